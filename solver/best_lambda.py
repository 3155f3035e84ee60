"""The penalty of least test error, what it costs to miss it, and how far the floor is."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Annotated, Any

from scipy.optimize import minimize_scalar

from attlas.model import BadInput, BayesOptimal, Problem, require_problem
from attlas.model.names import names_checked
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.result import Result
from attlas.solver.solution import Solution, SolveError, Stats
from attlas.solver.solve import solve
from attlas.solver.status import Status

#: Penalties of the first scan, as fractions of the one beyond which nothing is learned.
_DECADES = 6
_PER_DECADE = 3
#: Relative accuracy of the first scan, and of the solves that the minimum is searched with.
_COARSE_RTOL, _SCAN_RTOL = 1e-2, 1e-4
#: The scan ends where so many successive penalties have errors this much above the least one.
_RISEN, _ABOVE = 3, 1.1


@dataclass(frozen=True)
class BestLambda:
    """The answer of :func:`best_lambda`; ``error`` has the same keys.

    Attributes
    ----------
    lam : float
        The minimising penalty; 0 stands for the limit lam -> 0+.
    test_error : float
        Test error there (noisy labels).
    test_error_half, test_error_double : float
        Test errors at half and at twice the best penalty.
    loss_within_factor_2 : float
        Largest relative increase of the test error within a factor of 2 of the best penalty.
    bayes_test_error : float
        The floor: test error of the posterior mean.
    efficiency : float
        bayes_test_error / test_error.
    """

    lam: Annotated[
        float,
        Key(
            "the penalty of least test error, everything else the same; 0 is the limit lam -> 0+",
            "0 or greater",
            theory_md("11"),
            Definition(
                "λ* = argmin_λ e(λ), e(λ) the test error on noisy labels",
                r"\lambda_* = \operatorname{argmin}_\lambda e_{\mathrm{test}}(\lambda)",
            ),
        ),
    ]
    test_error: Annotated[
        float,
        Key(
            "test error (noisy labels) at the best penalty",
            "0 or more",
            theory_md("11"),
            Definition(
                "e(λ*), e(λ) the test error on noisy labels, λ* = lam",
                r"e_{\mathrm{test}}(\lambda_*)",
            ),
        ),
    ]
    test_error_half: Annotated[
        float,
        Key(
            "test error at half the best penalty; absent where that is lam -> 0+",
            "at least test_error",
            theory_md("11"),
            Definition(
                "e(λ*/2), e(λ) the test error on noisy labels, λ* = lam",
                r"e_{\mathrm{test}}(\lambda_*/2)",
            ),
        ),
    ]
    test_error_double: Annotated[
        float,
        Key(
            "test error at twice the best penalty; absent where that is lam -> 0+",
            "at least test_error",
            theory_md("11"),
            Definition(
                "e(2λ*), e(λ) the test error on noisy labels, λ* = lam",
                r"e_{\mathrm{test}}(2\lambda_*)",
            ),
        ),
    ]
    loss_within_factor_2: Annotated[
        float,
        Key(
            "what it costs to miss the best penalty by a factor of 2: largest relative "
            "increase of the test error within it (no training loss)",
            "0 or more",
            theory_md("11"),
            Definition(
                "max(e(λ*/2), e(2λ*))/e(λ*) − 1, λ* = lam",
                r"\frac{\max(e_{\mathrm{test}}(\lambda_*/2),\,e_{\mathrm{test}}"
                r"(2\lambda_*))}{e_{\mathrm{test}}(\lambda_*)}-1",
            ),
        ),
    ]
    bayes_test_error: Annotated[
        float,
        Key(
            "the floor: test error of the posterior mean, which no estimator can beat",
            "0 or more, at most test_error",
            theory_md("12"),
            Definition(
                "T E|y − E[y | data]|², y one row of a label; for T = 1, E(y − E[y | data])²",
                r"T\,\mathbb{E}\,|y-\mathbb{E}[y\mid\text{data}]|^2",
            ),
        ),
    ]
    efficiency: Annotated[
        float,
        Key(
            "how close the best penalty comes to the floor: bayes_test_error/test_error",
            "between 0 and 1",
            theory_md("12"),
            Definition(
                "bayes_test_error/test_error", r"e_{\mathrm{Bayes}}/e_{\mathrm{test}}(\lambda_*)"
            ),
        ),
    ]

    def present(self) -> dict[str, float]:
        """Values by key; at lam -> 0+ there is no half and no twice the best penalty.

        The floor is absent for tokens whose posterior has no theory.
        """
        return {key: value for key, value in vars(self).items() if not math.isnan(value)}


@dataclass(frozen=True)
class BestLambdaResult(Result):
    """The best penalty of a problem, with error bars and the solution there.

    Attributes
    ----------
    problem : Problem
        With the best penalty in place.
    values, error : BestLambda
    solution : Solution
    status : Status
    stats : Stats
    """

    problem: Problem
    values: BestLambda
    error: BestLambda
    solution: Solution
    status: Status
    stats: Stats

    def _values(self) -> BestLambda:
        return self.values


@names_checked
def best_lambda(problem: Problem, *, rtol: float | None = None) -> BestLambdaResult:
    """Minimise the test error over the penalty.

    The minimum is bracketed by a scan down from the collapse penalty, over six decades or until
    the test error has risen by a tenth at three successive penalties, then found by Brent's method
    in log lam. Where the error still falls at the end of the scan, or no longer changes over a
    decade, the limit lam -> 0+ is compared first.

    Parameters
    ----------
    problem : Problem
        Its estimator must have a penalty ``lam``, whose value is not used.
    rtol : float, optional
        As for :func:`attlas.solver.solve`, at the best penalty.

    Raises
    ------
    BadInput
        If the estimator has no penalty.
    SolveError
        If a solve fails.
    """
    began = time.perf_counter()
    if not hasattr(require_problem(problem, any_tokens=True).estimator, "lam"):
        raise BadInput("training", problem.estimator.name, "must have a penalty lam")
    reference = None  # of tokens whose posterior has no theory
    if problem.tokens.like_gaussian:
        reference = problem.with_(estimator=BayesOptimal())  # which says where there is none
    search = _Search(problem)
    lam, spread = search.minimum(penalty_scale(problem))
    solution = solve(search.at(lam), rtol=rtol)
    half, double = (search.test_error(factor * lam) if lam else math.nan for factor in (0.5, 2))
    floor = None if reference is None else solve(reference, rtol=rtol)
    lowest = math.nan if floor is None else floor.test_error
    best = solution.test_error
    excess = max(half, double) / best - 1 if lam else 0.0
    # Perfect recovery needs no penalty and reaches the floor, which is then zero as well.
    efficiency = lowest / best if best else 1.0
    values = BestLambda(lam, best, half, double, excess, lowest, efficiency)
    scan = 2 * _SCAN_RTOL
    relative = sum(
        one.error.test_error / one.test_error for one in (solution, floor) if one and one.test_error
    )
    error = BestLambda(
        lam=spread,
        test_error=solution.error.test_error,
        test_error_half=scan * half,
        test_error_double=scan * double,
        loss_within_factor_2=2 * scan,
        bayes_test_error=math.nan if floor is None else floor.error.test_error,
        efficiency=values.efficiency * relative,
    )
    stats = replace(solution.stats, iterations=search.solves, seconds=time.perf_counter() - began)
    return BestLambdaResult(search.at(lam), values, error, solution, solution.status, stats)


class _Search:
    """Test errors of one problem at many penalties."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._seen: dict[tuple[float, float], float] = {}

    @property
    def solves(self) -> int:
        """Number of problems solved."""
        return len(self._seen)

    def at(self, lam: float) -> Problem:
        """The problem with a given penalty."""
        return self._problem.with_(estimator=self._problem.estimator.with_(lam=lam))

    def test_error(self, lam: float, rtol: float = _SCAN_RTOL) -> float:
        """Test error at a penalty, to the accuracy of the search."""
        if (lam, rtol) not in self._seen:
            self._seen[lam, rtol] = self._solved(lam, rtol)
        return self._seen[lam, rtol]

    def _solved(self, lam: float, rtol: float) -> float:
        try:
            solution = solve(self.at(lam), rtol=rtol, raise_on_failure=False)
        except BadInput as refusal:
            if refusal.parameter != "kappa":
                raise
            # The student is too narrow for what this penalty would learn.
            return math.inf
        if solution.status is Status.NOT_CONVERGED:
            raise SolveError(solution)
        return solution.test_error

    def minimum(self, scale: float) -> tuple[float, float]:
        """The best penalty and its uncertainty."""
        count = _DECADES * _PER_DECADE
        grid = [scale * 10 ** (-step / _PER_DECADE) for step in range(count + 1)]
        scanned: list[float] = []
        for lam in grid:
            scanned.append(self.test_error(lam, _COARSE_RTOL))
            if min(scanned[-_RISEN:]) > _ABOVE * min(scanned) or _level(scanned):
                break
        best = scanned.index(min(scanned))
        falling = _limit_is_known(self._problem) and best == len(scanned) - 1
        if falling and self.test_error(0.0) <= scanned[-1]:
            return 0.0, grid[best]
        lower = grid[min(best + 1, count)]
        upper = grid[max(best - 1, 0)]
        found: Any = minimize_scalar(
            lambda log_lam: self.test_error(math.exp(log_lam)),
            bounds=(math.log(lower), math.log(upper)),
            method="bounded",
            options={"xatol": 1e-3},
        )
        lam = math.exp(float(found.x))
        return lam, lam * self._uncertainty(lam)

    def _uncertainty(self, lam: float) -> float:
        """Relative width over which the scan's accuracy cannot tell test errors apart."""
        step = 0.2
        here = self.test_error(lam)
        bend = self.test_error(lam * math.exp(step)) + self.test_error(lam * math.exp(-step))
        curvature = (bend - 2 * here) / step**2
        if curvature <= 0:
            return 1.0
        return min(1.0, math.sqrt(4 * _SCAN_RTOL * here / curvature) + 1e-3)


def penalty_scale(problem: Problem) -> float:
    """A penalty above which less and less is learned: the collapse one where there is one."""
    if _collapses(problem) and problem.tokens.covariance is None:
        return float(largest_penalty(problem).lam)
    return 100.0 * max(1.0, float(problem.alpha))


def _collapses(problem: Problem) -> bool:
    """Whether S = 0 beyond some lam."""
    shape, none = problem.estimator.shape, problem.estimator.with_(lam=0).penalty
    return shape is not None and none is not None and shape.thresholds and not none.thresholds


def _limit_is_known(problem: Problem) -> bool:
    """Whether lam -> 0+ has a solution at any alpha: it is nuclear, or something else is left."""
    shape, none = problem.estimator.shape, problem.estimator.with_(lam=0).penalty
    if shape is None or none is None:
        return False
    return not none.vanishes or (shape.nuclear and problem.tokens.like_gaussian)


def _level(scanned: list[float]) -> bool:
    """Whether the error falls no more: by less than the scan's accuracy over a decade."""
    if len(scanned) <= _PER_DECADE or scanned[-1] > min(scanned):
        return False
    before, now = scanned[-1 - _PER_DECADE], scanned[-1]
    return 0 < before - now < _COARSE_RTOL * now
