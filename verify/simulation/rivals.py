"""Factorised against direct training, each at its own best penalty, above the Bayes floor.

Heads are trained at the penalty that is best in theory, at half and at twice of it, and the least
of the three mean errors counts: they too stand at a best penalty of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from scipy.optimize import minimize_scalar

from attlas.model import Problem, problem_from
from attlas.model.exact import Number
from attlas.solver.solve import solve
from attlas.verify.simulation.simulate import simulate

#: The ways of training that are compared, in the order of the figure.
TRAININGS: tuple[str, ...] = ("factorised", "direct-psd", "direct")
#: Penalties between which the best is searched; all are of order one as d -> infinity.
_LEAST, _LARGEST = 1e-4, 3.0
#: Accuracy of the search: of the logarithm of the penalty, to which the test error is flat, and
#: of the solves in it.
_PENALTY_TOLERANCE, _RTOL = 0.05, 1e-3
#: Penalties of the runs over the one that is best in theory, and the residual of their training,
#: which moves no error by more than its own relative size.
_FACTORS, _GRADIENT = (1.0, 0.5, 2.0), 1e-5

Report = Callable[[str], None]


@dataclass(frozen=True)
class Race:
    """One point of a learning curve: theory at the best penalty, and runs at theirs.

    Attributes
    ----------
    alpha, lam : float
        ``lam`` is best in theory.
    theory, error : float
        Test error on noisy labels, and its error bar.
    floor : float
        Bayes-optimal test error.
    measured, spread : float or None
        Mean over seeds and its standard error; None without runs.
    measured_lam : float or None
        The penalty among lam/2, lam and 2 lam at which runs have the least mean.
    """

    alpha: float
    lam: float
    theory: float
    error: float
    floor: float
    measured: float | None = None
    spread: float | None = None
    measured_lam: float | None = None

    @property
    def efficiency(self) -> float:
        """Bayes-optimal over this test error, at most 1."""
        return self.floor / self.theory


@dataclass(frozen=True)
class Rivals:
    """The learning curves of all trainings at one teacher rank.

    Attributes
    ----------
    kappa0, noise : float
    d, seeds : int
        Of the runs; 0 seeds where there are none.
    curves : dict from training to tuple of Race
    """

    kappa0: float
    noise: float
    d: int
    seeds: int
    curves: dict[str, tuple[Race, ...]]

    def winners(self) -> tuple[str, ...]:
        """The training of least test error at each alpha."""
        columns = zip(*self.curves.values(), strict=True)
        return tuple(
            min(zip(self.curves, column, strict=True), key=lambda pair: pair[1].theory)[0]
            for column in columns
        )


def best_penalty(problem: Problem) -> Problem:
    """The problem with the penalty of least test error (noisy labels), to about 5 %.

    A search in the logarithm of lam between 1e-4 and 3: enough for a figure.
    :func:`attlas.solver.best_lambda.best_lambda` finds it with error bars, and the limit lam -> 0+.
    """

    def test_error(log_lam: float) -> float:
        trial = _with_lam(problem, math.exp(log_lam))
        solution = solve(trial, rtol=_RTOL, raise_on_failure=False)
        return solution.test_error if solution.status.ok else math.inf

    found = minimize_scalar(
        test_error,
        bounds=(math.log(_LEAST), math.log(_LARGEST)),
        method="bounded",
        options={"xatol": _PENALTY_TOLERANCE},
    )
    return _with_lam(problem, math.exp(float(found.x)))  # type: ignore[attr-defined]


def race(
    kappa0: Number,
    noise: Number,
    alphas: Sequence[Number],
    *,
    d: int = 60,
    seeds: int = 2,
    tokens: int = 2,
    trainings: Sequence[str] = TRAININGS,
    report: Report | None = None,
) -> Rivals:
    """Learning curves of several trainings, each at its own best penalty.

    Parameters
    ----------
    kappa0, noise : number
    alphas : sequence of numbers
    d, seeds : int
        Runs at each point and each of three penalties, whose test errors exceed the limit by some
        1/d; 0 seeds for none.
    tokens : int
    trainings : sequence of str
    report : callable, optional
        Receives a line a point.
    """
    curves = {}
    for training in trainings:
        points = []
        for alpha in alphas:
            points.append(race_at(training, kappa0, noise, alpha, d=d, seeds=seeds, tokens=tokens))
            if report is not None:
                report(f"{training}, kappa0 = {kappa0}, alpha = {alpha}: {points[-1]}")
        curves[training] = tuple(points)
    return Rivals(float(kappa0), float(noise), d, seeds, curves)


def race_at(
    training: str,
    kappa0: Number,
    noise: Number,
    alpha: Number,
    *,
    d: int = 60,
    seeds: int = 2,
    tokens: int = 2,
) -> Race:
    """One point of :func:`race`."""
    flat = {"alpha": alpha, "kappa0": kappa0, "noise": noise, "tokens": tokens}
    best = best_penalty(problem_from(**flat, training=training, lam="0.1"))
    solution = solve(best, rtol=_RTOL)
    lam = float(best.estimator.lam)  # type: ignore[attr-defined]
    point = Race(
        alpha=float(best.alpha),
        lam=lam,
        theory=solution.test_error,
        error=solution.error.test_error,
        floor=solve(problem_from(**flat, training="bayes")).test_error,
    )
    if not seeds:
        return point
    means = [(_measured(_with_lam(best, lam * factor), d, seeds), factor) for factor in _FACTORS]
    (mean, spread), factor = min(means)
    return replace(
        point,
        measured=mean,
        spread=spread if seeds > 1 else None,
        measured_lam=lam * factor,
    )


def _measured(problem: Problem, d: int, seeds: int) -> tuple[float, float]:
    """Mean test error over seeds, and its standard error."""
    quick = problem.estimator.trained().nuclear
    found = simulate(
        problem,
        d=d,
        seeds=seeds,
        paired=False,
        algorithm="staged" if quick else "adam",
        gradient_tolerance=_GRADIENT,
    )
    return found.mean.test_error, found.spread.test_error if seeds > 1 else math.nan


def _with_lam(problem: Problem, lam: float) -> Problem:
    return problem.with_(estimator=problem.estimator.with_(lam=f"{lam:.4g}"))
