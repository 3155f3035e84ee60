"""The theory with its threshold at 15 % less data."""

from __future__ import annotations

from fractions import Fraction

from attlas.verify.claims.claim import Control

#: What the amount of data is multiplied by.
MORE_DATA = Fraction(115, 100)
SHIFTED_THRESHOLD = Control(
    id="threshold-shifted",
    statement="The threshold lies at 15 % less data: the theory is taken at 1.15 times alpha.",
)
