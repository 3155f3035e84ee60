"""Deliberately wrong theories, one file each; they are just other parts of a problem."""

from verify.claims.controls.doubled_penalty import DOUBLED_PENALTY
from verify.claims.controls.dropped_factors import DROPPED_FACTORS
from verify.claims.controls.two_sided_threshold import TWO_SIDED_THRESHOLD

__all__ = ["DOUBLED_PENALTY", "DROPPED_FACTORS", "TWO_SIDED_THRESHOLD"]
