"""Quantities that several claims compare, at a claim's usual cap; ``replace`` gives another."""

from __future__ import annotations

from attlas.verify.claims.claim import Quantity

LOSS = Quantity("loss", "loss", r"\Phi", "training loss including the penalty, over d²")
TRAIN_ERROR = Quantity(
    "train_error", "training error", r"e_{\mathrm{train}}", "mean misfit of a sample", 0.05
)
TEST_ERROR = Quantity(
    "test_error", "test error", r"e_{\mathrm{test}}", "the same on fresh samples", 0.05
)
SELF_OVERLAP = Quantity("q", "self-overlap", "q", "Tr S²/d of the trained map")
OVERLAP = Quantity("m", "overlap with the teacher", "m", "Tr S S₀/d")
