"""Deliberately wrong theories, one file each; they are just other parts of a problem."""

from verify.claims.controls.doubled_penalty import DOUBLED_PENALTY

__all__ = ["DOUBLED_PENALTY"]
