"""The theory with its threshold at 15 % less data."""

from __future__ import annotations

from verify.claims.claim import Control

SHIFTED_THRESHOLD = Control(
    id="threshold-shifted",
    statement="The threshold lies at 15 % less data: the theory is taken at 1.15 times alpha.",
)
