"""The learning curve as the sum of what every mode contributes."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.double_precision import within_double_precision
from attlas.solver.emergence.mode import Emergence, emergence, leading_order
from attlas.solver.emergence.modes import LARGEST_D, Modes, modes_at
from attlas.solver.result import Answer
from attlas.solver.scaling.problem import power_law
from attlas.solver.solution import Stats

#: Modes are too few below this to be told from their bulk.
SMALLEST_D = 8
#: Points of the default grid of n.
_POINTS = 41


@dataclass(frozen=True)
class Curve(Answer):
    """Modes along n.

    Attributes
    ----------
    target : PowerLaw
    noise : float
    lam : float or None
        The fixed penalty, or None for lam_c(n).
    tokens : int
    points : tuple of Modes
        One for each n, increasing.
    modes : tuple of Emergence
        The first few.
    stats : Stats
    """

    target: PowerLaw
    noise: float
    lam: float | None
    tokens: int
    points: tuple[Modes, ...]
    modes: tuple[Emergence, ...]
    stats: Stats

    def to_dict(self) -> dict[str, Any]:
        """The modes, and their capture and parts at every n."""
        return {"modes": [dataclasses.asdict(mode) for mode in self.modes], "points": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """One row for each n, with lists over the modes."""
        count = len(self.modes)
        return [
            {
                "n": point.n,
                "lam": point.lam,
                "mse": point.mse.value,
                "mse_error": point.mse.error,
                "captured": point.captured[:count].tolist(),
                "captured_error": point.bar,
                "parts": point.error[:count].tolist(),
                "rest": float(point.error[count:].sum()),
            }
            for point in self.points
        ]


@within_double_precision()
def learning_curve(
    target: object,
    noise: float,
    *,
    modes: int = 6,
    n: Sequence[float] | None = None,
    lam: float | None = None,
    tokens: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Curve:
    """Capture and squared error, mode by mode, along n.

    Parameters
    ----------
    target : PowerLaw
        Not rescaled by q0; 8 <= d <= 2000.
    noise : float
        Variance of the label noise, >= 0.
    modes : int
        How many are followed one by one.
    n : sequence of float, optional
        By default from well before the first to beyond the last of them.
    lam : float, optional
        A fixed penalty; lam_c(n) by default.
    tokens : {1, 2}
        1 is the linear channel, 2 softmax.
    progress : callable, optional
        Told how many of how many points are solved.

    Raises
    ------
    BadInput
        For another target, or d, n, noise, modes or tokens out of range.
    ComputationFailed
        If numbers leave the range of double precision.
    """
    target = power_law(target)
    if not SMALLEST_D <= target.d <= LARGEST_D:
        raise BadInput(
            "target power-law: d", target.d, f"must be {SMALLEST_D} to {LARGEST_D} mode by mode"
        )
    if not 1 <= modes < target.d:
        raise BadInput("modes", modes, f"must be 1 to {target.d - 1}")
    if tokens not in (1, 2):
        raise BadInput("tokens", tokens, "must be 1 or 2 mode by mode")
    if noise < 0:
        raise BadInput("noise", noise, "must be 0 or greater")
    if n is not None and not all(value > 0 for value in n):
        raise BadInput("n", min(n), "must be greater than 0")
    began = time.perf_counter()
    columns = n or _grid(target, modes, noise, tokens)
    total = len(columns) + modes
    points, found = [], []
    for value in columns:
        points.append(modes_at(target, float(value), noise, lam, tokens))
        _tell(progress, len(points), total)
    for mode in range(1, modes + 1):
        found.append(emergence(target, mode, noise, lam, tokens))
        _tell(progress, len(points) + mode, total)
    stats = Stats(iterations=total, seconds=time.perf_counter() - began)
    return Curve(target, noise, lam, tokens, tuple(points), tuple(found), stats)


def _tell(progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _grid(target: PowerLaw, modes: int, noise: float, tokens: int) -> tuple[float, ...]:
    last = leading_order(target, modes, noise, tokens).half
    return tuple(np.geomspace(0.2 * target.d, max(8 * last, 4 * target.d), _POINTS))
