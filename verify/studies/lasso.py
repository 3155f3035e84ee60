"""LASSO on the diagonal model beside the matrix: the same rates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import wishart

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.scaling.diagonal import Lasso, lasso_at, lasso_best
from attlas.solver.scaling.predictions import exponent
from attlas.solver.scaling.table import measure
from attlas.verify.studies.study import Row, Study, mean_and_error

Array = NDArray[np.float64]
#: Coefficients and n to the solution at a phase's threshold.
_Solve = Callable[[Array, float], Lasso]

#: Coefficients of the theory where few of them are recovered, and where all are.
_MANY, _ALL = 10**6, 2000
#: Half step in log n of the slopes.
_STEP = 0.2
#: Dimension of the simulated estimates, and their n over d.
_SIMULATED, _RATIO = 200, 20
#: A threshold far above the noise there.
_STRONG = 0.1


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each phase with a counterpart."""
    if n is not None:
        raise BadInput("n", list(n), "has no meaning with `study=lasso`", "leave it out")
    if noise <= 0:
        raise BadInput("noise", noise, "must be greater than 0")
    gamma = float(target.gamma)
    few, every = _MANY**1.2, 100 * noise * float(_ALL) ** (2 * gamma)
    strong = 100 * math.sqrt(noise * few)
    # All coefficients are well above the threshold, which is well above the noise.
    last = 0.01 * float(_ALL) ** -gamma
    dense = (30 / last) ** 2 * noise
    phases: tuple[tuple[str, int, float, _Solve], ...] = (
        ("II", _MANY, few, lambda theta, at: lasso_at(theta, at, noise, strong / at)),
        ("III", _ALL, dense, lambda theta, at: lasso_at(theta, at, noise, last * dense / at)),
        ("IV", _MANY, few, lambda theta, at: lasso_best(theta, at, noise)),
        ("VIb", _ALL, every, lambda theta, at: lasso_at(theta, at, noise, 0.0)),
    )
    return [_row(gamma, noise, seeds, *phase) for phase in phases]


def _row(
    gamma: float, noise: float, seeds: Sequence[int], phase: str, d: int, n: float, solve: _Solve
) -> Row:
    theta = coefficients(gamma, d)
    ends = [solve(theta, n * math.exp(side * _STEP)).mse for side in (1, -1)]
    small = coefficients(gamma, _SIMULATED)
    at = _RATIO * _SIMULATED
    # With a penalty of its own; phase III, whose last mode is far above the noise, needs larger n.
    here = lasso_at(small, at, noise, _STRONG) if phase in ("II", "III") else solve(small, at)
    tried = () if phase == "III" else seeds
    errors = [simulated(small, at, noise, here.penalty, seed) / here.mse for seed in tried]
    mean, bar = mean_and_error(errors)
    matrix = measure(phase, gamma).slope
    return {
        "phase": phase,
        "gamma": gamma,
        "formula": exponent(phase, gamma),
        "matrix slope": matrix.value,
        "matrix +-": matrix.error,
        "LASSO slope": math.log(ends[0] / ends[1]) / (2 * _STEP),
        "LASSO d": d,
        "LASSO n": n,
        "simulated/theory": mean,
        "simulated +-": bar,
    }


def coefficients(gamma: float, d: int) -> Array:
    """i^-gamma, i = 1 ... d."""
    return np.arange(1, d + 1, dtype=float) ** -gamma


def simulated(theta: Array, n: int, noise: float, penalty: float, seed: int) -> float:
    """Squared error of one LASSO estimate, by accelerated proximal gradient (ISTA with momentum).

    Only X^T X, a Wishart matrix, and X^T y enter; n must be d or more.
    """
    rng = np.random.default_rng([seed, n, theta.size])
    gram = np.asarray(wishart(n, np.eye(theta.size)).rvs(random_state=rng)) / n
    root = np.linalg.cholesky(gram)
    pull = gram @ theta + math.sqrt(noise / n) * root @ rng.standard_normal(theta.size)
    rate = 1 / float(np.linalg.eigvalsh(gram)[-1])
    now = ahead = np.zeros_like(theta)
    momentum = 1.0
    for _ in range(3000):
        moved = ahead - rate * (gram @ ahead - pull)
        new = np.sign(moved) * np.maximum(np.abs(moved) - rate * penalty, 0)
        after = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / after * (new - now)
        change = float(np.abs(new - now).max())
        now, momentum = new, after
        if change < 1e-13:
            break
    return float(((now - theta) ** 2).sum())


STUDY = Study(
    "LASSO beside the matrix",
    "Local exponents in n of the squared error: `formula` of the phase, the matrix problem "
    "(attlas scaling --table) and LASSO with coefficients i^-gamma in the corresponding regime "
    "(IV at its best penalty); LASSO estimates (d = 200, n = 20 d) over their theory.",
    rows,
)
