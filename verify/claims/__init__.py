"""The claims, one file each, and their registry."""

from __future__ import annotations

from model.errors import unknown_name
from verify.claims.claim import Claim, Control, Departure, Design, Point, Quantity
from verify.claims.learning_curve import LEARNING_CURVE
from verify.claims.margins import Margin, commit_margins

CLAIMS: dict[str, Claim] = {claim.id: claim for claim in (LEARNING_CURVE,)}


def claim(id_: str) -> Claim:
    """The claim of an id.

    Raises
    ------
    BadInput
        If there is none; the nearest id is named.
    """
    if id_ not in CLAIMS:
        raise unknown_name("--claim", id_, CLAIMS)
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
