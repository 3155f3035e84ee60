"""What a study is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attlas.model import PowerLaw

#: One line of a study; every row of a study has the same keys.
Row = dict[str, float | int | str | None]


@dataclass(frozen=True)
class Study:
    """Rows of numbers about a power-law target.

    Attributes
    ----------
    title, legend : str
        What it is about, and what its columns mean.
    rows : callable
        Takes the target, the noise, samples (or None for its own) and seeds (may be empty).
    """

    title: str
    legend: str
    rows: Callable[[PowerLaw, float, Sequence[float] | None, Sequence[int]], list[Row]]


def mean_and_error(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean over seeds and its standard error; None where there are too few."""
    count = len(values)
    if count == 0:
        return None, None
    mean = sum(values) / count
    if count == 1:
        return mean, None
    spread = sum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, (spread / count) ** 0.5
