"""One line of the table of benchmarks."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """What was measured, beside the plain way and the target.

    Attributes
    ----------
    group, item : str
    attlas, plain : str
        The two measurements, with units; plain is empty where there is nothing to compare.
    ratio : float or None
        Plain over attlas.
    target : str
        Empty where there is none.
    met : bool or None
        Whether the target is met; None without a target.
    note : str
    """

    group: str
    item: str
    attlas: str
    plain: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None
    note: str = ""


def record(benchmark: Any, *rows: Row) -> None:
    """Keep rows with the timings, for the table."""
    benchmark.extra_info["rows"] = [dataclasses.asdict(row) for row in rows]


def seconds(value: float) -> str:
    """A time with a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Slope of the least-squares line of log cost against log size."""
    x = [math.log(size) for size in sizes]
    y = [math.log(cost) for cost in costs]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)
