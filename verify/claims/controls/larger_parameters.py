"""Laws of the trained map with one of their parameters a tenth larger."""

from __future__ import annotations

from attlas.verify.claims.claim import Control

#: What the parameter is multiplied by.
LARGER = 1.1
EPSILON_LARGER = Control("epsilon-larger", "The threshold ε is 10 % larger.")
DELTA_LARGER = Control("delta-larger", "The noise δ is 10 % larger.")
