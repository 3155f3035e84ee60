"""The figures of a claim, quantity by quantity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attlas.reports.page.extrapolation import extrapolation
from attlas.reports.page.learning_curve import has_curve, learning_curve
from attlas.verify.claims import Quantity
from attlas.verify.suite.result import ClaimResult


@dataclass(frozen=True)
class Panels:
    """The figures of a quantity; there is no curve where the theory is not solved along alpha."""

    quantity: Quantity
    curve: str | None
    scaling: str


def panels(result: ClaimResult, quantities: Sequence[Quantity]) -> list[Panels]:
    """The figures of each quantity."""
    return [
        Panels(
            quantity,
            learning_curve(result, quantity, f"{result.claim.id}-{quantity.key}-alpha")
            if has_curve(result, quantity)
            else None,
            extrapolation(result, quantity, f"{result.claim.id}-{quantity.key}-size"),
        )
        for quantity in quantities
    ]
