"""The (n, lam) plane of a power-law target: squared errors, local exponents, boundaries."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.model.names import names_checked
from attlas.solver.double_precision import within_double_precision
from attlas.solver.result import Answer
from attlas.solver.scaling.point import Level, level
from attlas.solver.scaling.predictions import best_penalty, boundary, exponent, phase_of, rate
from attlas.solver.scaling.problem import power_law
from attlas.solver.solution import Stats
from attlas.solver.status import Status

#: Fewest dimensions for which a dense phase lies between the sparse one and interpolation.
SMALLEST_D = 20


@dataclass(frozen=True)
class Plane(Answer):
    """The scaling verb's answer.

    Attributes
    ----------
    target : PowerLaw
    noise : float
    n, lam : tuple of float
        The grid.
    levels : tuple of tuple of Level
        One row for each lam.
    status : Status
    stats : Stats
    """

    target: PowerLaw
    noise: float
    n: tuple[float, ...]
    lam: tuple[float, ...]
    levels: tuple[tuple[Level, ...], ...]
    status: Status
    stats: Stats

    def exponents(self) -> tuple[np.ndarray, np.ndarray]:
        """d log mse/d log n between neighbours in n, and error bars; one row for each lam."""
        log_n = np.log(self.n)
        mse = np.array([[point.mse.value for point in row] for row in self.levels])
        relative = np.array([[p.mse.error / p.mse.value for p in row] for row in self.levels])
        step = np.diff(log_n)
        values = np.diff(np.log(mse), axis=1) / step
        return values, (relative[:, 1:] + relative[:, :-1]) / step

    def to_dict(self) -> dict[str, Any]:
        """The points, and the n of the upright boundaries."""
        return {"points": self.rows(), "uprights": self.uprights()}

    def rows(self) -> list[dict[str, Any]]:
        """Every grid point: its phase, the prediction there, and the numerical solution."""
        slopes, bars = self.exponents()
        rows = []
        for i, lam in enumerate(self.lam):
            for k, n in enumerate(self.n):
                found, phase = self.levels[i][k], phase_of(self.target, n, lam, self.noise)
                row: dict[str, Any] = {
                    "n": n,
                    "lam": lam,
                    "mse": found.mse.value,
                    "mse_error": found.mse.error,
                    "delta": found.delta,
                    "epsilon": found.epsilon,
                    "phase": phase,
                }
                if k < len(self.n) - 1:
                    row["exponent"], row["exponent_error"] = slopes[i, k], bars[i, k]
                if phase != "Ib":
                    predicted = rate(phase, self.target, n, lam, self.noise)
                    row["predicted_exponent"] = exponent(phase, float(self.target.gamma))
                    row["ratio"] = found.mse.value / predicted if predicted > 0 else math.nan
                    row["ratio_error"] = found.mse.error / predicted if predicted > 0 else math.nan
                rows.append(row)
        return rows

    def boundaries(self) -> dict[str, Callable[[float], float]]:
        """lam as a function of n on each boundary."""
        from attlas.symbolic.scaling import LAM_BOUNDARIES

        def line(name: str) -> Callable[[float], float]:
            return lambda n: boundary(name, self.target, n, self.noise)

        return {name: line(name) for name in LAM_BOUNDARIES}

    def uprights(self) -> dict[str, float]:
        """The n of each boundary that holds for lam << lam_c."""
        from attlas.symbolic.scaling import N_BOUNDARIES

        return {name: boundary(name, self.target, math.nan, self.noise) for name in N_BOUNDARIES}


@names_checked
@within_double_precision()
def scaling(
    target: object,
    noise: float,
    *,
    n: Sequence[float] | None = None,
    lam: Sequence[float] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Plane:
    """Solve the (n, lam) plane of a power-law target, one token, factorised training.

    Parameters
    ----------
    target : PowerLaw
        Not rescaled by q0.
    noise : float
        Variance of the label noise, > 0.
    n, lam : sequence of float, optional
        Increasing grids; by default from d/2 to beyond the last mode, and around lam_c.
    progress : callable, optional
        Told how many points of how many are solved.

    Raises
    ------
    BadInput
        For another target, a d too small for the phases, n or lam or noise not positive.
    ComputationFailed
        If numbers leave the range of double precision.
    """
    target = power_law(target)
    if target.d < SMALLEST_D:
        raise BadInput(
            "target power-law: d", target.d, f"must be {SMALLEST_D} or more for phases to exist"
        )
    if not noise > 0:
        raise BadInput("noise", noise, "must be greater than 0 for a plane of phases")
    last = boundary("all_modes", target, math.nan, noise)
    columns: tuple[float, ...] = tuple(n or np.geomspace(float(target.d) / 2, 30 * last, 22))
    _require_positive("n", columns)
    far = best_penalty(target, columns[-1], noise)
    rows: tuple[float, ...] = tuple(
        lam or np.geomspace(best_penalty(target, columns[0], noise) / 100, 100 * far, 16)
    )
    _require_positive("lam", rows)
    if len(columns) < 2:
        raise BadInput("n", min(columns), "must be a range", "a local exponent needs two points")
    if len(set(columns)) < len(columns):
        raise BadInput(
            "n", columns, "must be different numbers", "a local exponent divides by steps"
        )
    began = time.perf_counter()
    levels, total = [], len(rows) * len(columns)
    for i, penalty in enumerate(rows):
        row = []
        for k, samples in enumerate(columns):
            row.append(level(target, float(samples), float(penalty), noise))
            if progress is not None:
                progress(i * len(columns) + k + 1, total)
        levels.append(tuple(row))
    return Plane(
        target,
        noise,
        tuple(map(float, columns)),
        tuple(map(float, rows)),
        tuple(levels),
        Status.CONVERGED,
        Stats(iterations=total, seconds=time.perf_counter() - began),
    )


def _require_positive(flag: str, values: Sequence[float]) -> None:
    if not min(values) > 0:
        raise BadInput(flag, min(values), "must be greater than 0")
