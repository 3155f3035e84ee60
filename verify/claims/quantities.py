"""Quantities that claims compare, at a claim's usual cap; ``replace`` gives another."""

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

#: Whatever a trained head is measured by.
QUANTITIES: dict[str, Quantity] = {
    quantity.key: quantity
    for quantity in (
        SELF_OVERLAP,
        OVERLAP,
        TRAIN_ERROR,
        TEST_ERROR,
        Quantity(
            "test_error_clean",
            "test error on clean labels",
            r"e_{\mathrm{clean}}",
            "mean misfit of fresh samples without label noise",
            0.05,
        ),
        LOSS,
        Quantity("mse", "squared error of the map", r"\mathrm{mse}", "Tr (S − S₀)²/d", 0.05),
        Quantity(
            "rank_fraction", "share of non-zero eigenvalues", r"\rho", "rank of the map over d"
        ),
    )
}
