"""Deliberately wrong theories, one file each; they are just other parts of a problem."""

from attlas.verify.claims.controls.doubled_penalty import DOUBLED_PENALTY
from attlas.verify.claims.controls.dropped_factors import DROPPED_FACTORS
from attlas.verify.claims.controls.halved_noise import HALVED_NOISE
from attlas.verify.claims.controls.missing_threshold import MISSING_THRESHOLD
from attlas.verify.claims.controls.two_sided_threshold import TWO_SIDED_THRESHOLD

#: The wrong theories that every suite must reject.
CONTROLS = (
    DOUBLED_PENALTY,
    DROPPED_FACTORS,
    TWO_SIDED_THRESHOLD,
    MISSING_THRESHOLD,
    HALVED_NOISE,
)

__all__ = [
    "CONTROLS",
    "DOUBLED_PENALTY",
    "DROPPED_FACTORS",
    "HALVED_NOISE",
    "MISSING_THRESHOLD",
    "TWO_SIDED_THRESHOLD",
]
