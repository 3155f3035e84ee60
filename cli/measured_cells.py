"""What trained heads add to a table: one cell a mean, and the line that says how to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attlas.verify.spectra.along import Mean

MEASURED_LEGEND = (
    "heads: mean of the trained heads +- its standard error (nan for one head), and in brackets\n"
    "the mean of the theory at each head's own teacher, n/d^2 and width. The other columns are\n"
    "the theory as d -> infinity."
)


def measured_cell(found: Mean | None) -> str:
    """``mean +- standard error (paired theory)``; empty where nothing was measured."""
    if found is None:
        return ""
    return f"{found.value:.4g} +- {found.error:.1g} ({found.paired:.4g})"
