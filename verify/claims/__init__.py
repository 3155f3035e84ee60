"""The claims, one file each, in the order of reports."""

from __future__ import annotations

from importlib import import_module

from attlas.model.errors import unknown_name
from attlas.verify.claims.claim import (
    Claim,
    Control,
    Departure,
    Design,
    LeftOut,
    Point,
    Quantity,
    Statement,
    claims_of,
)
from attlas.verify.claims.margins import Margin, commit_margins

#: The files of this folder whose claims suites run. A claim says everything else about itself.
_FILES = (
    "learning_curve",
    "many_tokens",
    "nuclear_norm",
    "untied_factors",
    "untied_heads",
    "global_minimum",
    "amp_tracking",
    "gradient_flow",
    "direct_training",
    "best_penalties",
    "width_limited",
    "bayes_floor",
    "interpolation",
    "perfect_recovery",
    "separability",
    "ridgeless_peak",
    "spectrum",
    "decomposition",
    "collapse",
    "seq2seq",
    "tokens",
    "universality",
    "sequential_recovery",
    "scaling_exponents",
)

CLAIMS: dict[str, Claim] = {
    one.id: one for name in _FILES for one in claims_of(import_module(f"{__name__}.{name}"))
}


def claim(id_: str | Claim) -> Claim:
    """The claim of an id; a claim is itself.

    Raises
    ------
    BadInput
        If there is none; the nearest id is named.
    """
    if isinstance(id_, Claim):
        return id_
    if id_ not in CLAIMS:
        raise unknown_name("claim", id_, CLAIMS)
    return CLAIMS[id_]


__all__ = [
    "CLAIMS",
    "Claim",
    "Control",
    "Departure",
    "Design",
    "LeftOut",
    "Margin",
    "Point",
    "Quantity",
    "Statement",
    "claim",
    "commit_margins",
]
