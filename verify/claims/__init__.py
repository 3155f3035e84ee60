"""The claims, one file each, and their registry."""

from __future__ import annotations

from attlas.model.errors import unknown_name
from attlas.verify.claims.amp_tracking import AMP_TRACKING
from attlas.verify.claims.bayes_floor import BAYES_FLOOR
from attlas.verify.claims.best_penalties import BEST_PENALTIES
from attlas.verify.claims.claim import Claim, Control, Departure, Design, Point, Quantity
from attlas.verify.claims.collapse import COLLAPSE
from attlas.verify.claims.decomposition import DECOMPOSITION
from attlas.verify.claims.direct_training import DIRECT_TRAINING
from attlas.verify.claims.global_minimum import GLOBAL_MINIMUM
from attlas.verify.claims.interpolation import INTERPOLATION
from attlas.verify.claims.learning_curve import LEARNING_CURVE
from attlas.verify.claims.many_tokens import MANY_TOKENS
from attlas.verify.claims.margins import Margin, commit_margins
from attlas.verify.claims.nuclear_norm import NUCLEAR_NORM
from attlas.verify.claims.perfect_recovery import PERFECT_RECOVERY
from attlas.verify.claims.ridgeless_peak import RIDGELESS_PEAK
from attlas.verify.claims.scaling_exponents import SCALING_EXPONENTS
from attlas.verify.claims.seq2seq import SEQ2SEQ
from attlas.verify.claims.sequential_recovery import SEQUENTIAL_RECOVERY
from attlas.verify.claims.spectrum import SPECTRUM
from attlas.verify.claims.universality import UNIVERSALITY
from attlas.verify.claims.untied_factors import UNTIED_FACTORS
from attlas.verify.claims.width_limited import WIDTH_LIMITED

CLAIMS: dict[str, Claim] = {
    claim.id: claim
    for claim in (
        LEARNING_CURVE,
        MANY_TOKENS,
        NUCLEAR_NORM,
        UNTIED_FACTORS,
        GLOBAL_MINIMUM,
        AMP_TRACKING,
        DIRECT_TRAINING,
        BEST_PENALTIES,
        WIDTH_LIMITED,
        BAYES_FLOOR,
        INTERPOLATION,
        PERFECT_RECOVERY,
        RIDGELESS_PEAK,
        SPECTRUM,
        DECOMPOSITION,
        COLLAPSE,
        SEQ2SEQ,
        UNIVERSALITY,
        SEQUENTIAL_RECOVERY,
        SCALING_EXPONENTS,
    )
}


def claim(id_: str) -> Claim:
    """The claim of an id.

    Raises
    ------
    BadInput
        If there is none; the nearest id is named.
    """
    if id_ not in CLAIMS:
        raise unknown_name("claim", id_, CLAIMS)
    return CLAIMS[id_]


__all__ = [
    "CLAIMS",
    "Claim",
    "Control",
    "Departure",
    "Design",
    "Margin",
    "Point",
    "Quantity",
    "claim",
    "commit_margins",
]
