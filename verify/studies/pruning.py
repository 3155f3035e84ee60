"""The lam_c rule, what missing the best penalty costs, and pruning the spectrum instead.

Pruning: train with a penalty far below lam_c, then set to zero the learned eigenvalues within the
noise bulk. Beyond interpolation a small penalty keeps the positive half of a semicircle, whose
median is 0.808 of its noise level, so that the bulk's edge 2 delta follows from the median of the
learned eigenvalues: nothing is tuned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import semicircular

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.emergence import shares
from attlas.solver.scaling.point import level
from attlas.solver.scaling.predictions import best_penalty
from attlas.solver.scaling.problem import problem_at
from attlas.solver.spectrum import target_law
from attlas.verify.simulation.power_law_heads import heads_of
from attlas.verify.studies.study import Row, Study, mean_and_error
from attlas.verify.training.rank import non_zero

#: The small penalty, over lam_c.
_SMALL = 0.01
#: Median of the positive half of a semicircle of radius 2.
_MEDIAN = 2 * float(semicircular.ppf(0.75))
#: Alphas of the default rows, beyond interpolation.
_ALPHAS = (0.5, 2.0, 8.0, 32.0)


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each n, theory first."""
    samples = n or [alpha * target.d**2 for alpha in _ALPHAS]
    if noise <= 0:
        raise BadInput("noise", noise, "must be greater than 0: lam_c is 0 without noise")
    if min(samples) <= target.d**2 / 4:
        raise BadInput("n", min(samples), f"must be more than d^2/4 = {target.d**2 / 4:g} here")
    return [_row(target, noise, round(value), seeds) for value in samples]


def _row(target: PowerLaw, noise: float, n: int, seeds: Sequence[int]) -> Row:
    critical = best_penalty(target, n, noise)

    def error(factor: float) -> float:
        return level(target, n, factor * critical, noise).mse.value

    best = minimize_scalar(
        lambda x: error(math.exp(x)), bounds=(-3, 1), method="bounded", options={"xatol": 1e-3}
    )
    found: Row = {"n": n, "alpha": n / target.d**2, "best": float(best.fun)}  # type: ignore[attr-defined]
    found["best lam/lam_c"] = math.exp(float(best.x))  # type: ignore[attr-defined]
    for factor in (0.25, 0.5, 1.0, 2.0, 4.0):
        found[f"cost {factor:g} lam_c"] = error(factor) / float(best.fun)  # type: ignore[attr-defined]
    found["small lam"] = error(_SMALL) / float(best.fun)  # type: ignore[attr-defined]
    found["pruned"] = pruned_error(target, n, noise) / float(best.fun)  # type: ignore[attr-defined]
    heads = {"heads lam_c": 1.0, "heads pruned": _SMALL}
    for name, factor in heads.items():
        errors = _errors(target, n, noise, factor * critical, seeds, prune=factor < 1)
        mean, bar = mean_and_error([one / float(best.fun) for one in errors])  # type: ignore[attr-defined]
        found[name], found[f"{name} +-"] = mean, bar
    return found


def pruned_error(target: PowerLaw, n: float, noise: float) -> float:
    """Squared error in theory after pruning at twice the noise level read off the median."""
    found = level(target, n, _SMALL * best_penalty(target, n, noise), noise)
    law = target_law(target).noisy(found.delta)
    kept = law.truncated(found.epsilon).mass
    median = float(
        brentq(lambda x: law.truncated(x).mass - kept / 2, found.epsilon, law.top, xtol=1e-12)  # type: ignore[arg-type]
    )
    cut = found.epsilon + _edge(median - found.epsilon)
    _, parts = shares(law, np.asarray(target.eigenvalues), found.epsilon, cut=cut)
    return float(parts.sum()) / target.d


def _edge(median: float) -> float:
    """The bulk's edge from the median of the learned eigenvalues."""
    return 2 * median / _MEDIAN


def _errors(
    target: PowerLaw, n: int, noise: float, lam: float, seeds: Sequence[int], *, prune: bool
) -> list[float]:
    errors = []
    for run in heads_of(problem_at(target, n, noise, lam), target.d, seeds, overlaps=True):
        learned, targets = np.array(run.eigenvalues), np.array(run.teacher_eigenvalues)
        alive = learned[non_zero(learned)]
        cut = _edge(float(np.median(alive))) if prune else 0.0
        kept = np.where(learned > cut, learned, 0.0)
        assert run.overlaps is not None
        errors.append(float((run.overlaps * (kept - targets[:, None]) ** 2).sum()) / run.d)
    return errors


STUDY = Study(
    "The lam_c rule and pruning",
    "Squared errors over the least one along lam (`best`, at `best lam/lam_c`): at multiples of "
    "lam_c, with a penalty of lam_c/100 (`small lam`), and the same map pruned at the bulk's edge "
    "(`pruned`); trained heads with standard errors.",
    rows,
)
