"""Solve a learning problem: all branches, the lowest free energy first, with error bars."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

from attlas.model import Problem, require_problem
from attlas.model.errors import BadInput
from attlas.model.exact import Number, exact, positive, whole
from attlas.model.names import names_checked
from attlas.solver.branches import RESIDUAL, Branch, find_branches
from attlas.solver.budget import now
from attlas.solver.channels import ChannelKernel, ReplicatedKernel
from attlas.solver.error_bars import (
    ACCURACY_KEYS,
    ErrorSources,
    accurate,
    error_bars,
    jumping,
    within_reach,
    worst,
)
from attlas.solver.fixed_point import FixedPoint, LeftDomain, refine
from attlas.solver.observe import observe, with_slope
from attlas.solver.replicate_errors import next_level, replicate_errors
from attlas.solver.ridgeless import branch_from_peak
from attlas.solver.routes import analytic_solution
from attlas.solver.solution import Observables, Solution, SolveError, Stats
from attlas.solver.state_evolution import StateEvolution, hats
from attlas.solver.status import Status
from attlas.solver.threads import single_threaded

#: Relative accuracy of a solve whose integrals are deterministic, and the one that is enough where
#: the proximal point jumps.
_RTOL, _ENOUGH = 1e-6, 1e-4
#: Relative error bars up to which a solution answers a user who named no tolerance.
_USABLE = 0.5
#: Those beyond which it says so.
_COARSE = 1e-3
#: Seconds that a solve takes unless told a tolerance or a budget.
BUDGET = 20.0
#: Distance to a fixed point of the coarsest map within which refinement is worth its time.
_NEAR = 0.3
#: Randomised nodes, at a microsecond to ten each, that a solve spends unless told a tolerance.
_PATIENCE = 1.1e6


@names_checked
def solve(
    problem: Problem,
    *,
    rtol: float | None = None,
    budget: float | None = None,
    aim: float | None = None,
    max_steps: int = 5000,
    raise_on_failure: bool = True,
) -> Solution:
    """The exact high-dimensional limit of a trained head (theory.md sections 3 and 6).

    The state-evolution equations are solved from an informed and from an uninformed start; the
    branch of lowest free energy is returned, the others are in ``branches``. Where there is a
    direct route (one token, lam = 0, the Bayes-optimal reference) it is taken instead.

    Parameters
    ----------
    problem : Problem
    rtol : float in (0, 0.1], optional
        Relative accuracy asked of q, m, sigma and the loss; integration is refined until the
        error bars meet it, and a tolerance that is named and missed is a failure. By default what
        the problem can give: 1e-6; 1e-4 where the proximal point jumps; 1e-3 for three tokens and
        more, whose integrals are randomised, as far as about a million nodes go.
    budget : number > 0, optional
        Seconds after which no finer integration is begun, and a search is given up. By default 20
        if no tolerance is named, else none.
    aim : float in (0, 0.1], optional
        Relative accuracy that is enough where no ``rtol`` is named; to miss it is no failure.
    max_steps : int >= 10
        Evaluations of the fixed-point map allowed per start.
    raise_on_failure : bool
        Whether a failure raises :class:`SolveError` or returns a Solution whose ``status`` says
        what went wrong.

    Returns
    -------
    Solution

    Raises
    ------
    BadInput
        If a parameter is out of range, or the student is narrower than the rank its solution
        needs; the needed kappa is named.
    SolveError
        If no start converged, or the accuracy was not reached, and ``raise_on_failure``.
    """
    problem = require_problem(problem, any_tokens=True)
    rtol = relative_tolerance(rtol)
    aim = relative_tolerance(aim, "aim")
    budget = None if budget is None else float(positive("budget", budget))
    max_steps = whole("max_steps", max_steps, at_least=10)
    began = time.perf_counter()
    try:
        solution = analytic_solution(problem, _USABLE if rtol is None else rtol)
        if solution is None:
            with single_threaded():
                solution = _iterated(problem, rtol, budget, aim, max_steps)
    except ArithmeticError:  # an overflow, a division by what has vanished, LeftDomain
        solution = Solution(problem=problem, status=Status.OUT_OF_RANGE)
    if solution.status is Status.COLLAPSED:
        solution = replace(solution, advice=_collapsed_from(problem))
    missed = solution.status is Status.INACCURATE
    if missed or (solution.status is Status.CONVERGED and rtol is None):
        bars = worst(solution, solution.error)
        reached = f"The relative error bars are at most {bars:.1e}."
        if missed or bars > _COARSE:
            more = "" if missed else "Name `rtol`, or raise `budget`, for more."
            solution = replace(solution, advice=f"{solution.advice} {reached} {more}".strip())
    seconds = time.perf_counter() - began
    solution = replace(solution, stats=replace(solution.stats, seconds=seconds))
    _require_width(problem, solution)
    if raise_on_failure and not solution.status.ok:
        raise SolveError(solution)
    return solution


def relative_tolerance(rtol: Number | None, name: str = "rtol") -> float | None:
    """A relative accuracy that can be asked for, where one is.

    Raises
    ------
    BadInput
    """
    if rtol is None:
        return None
    number = float(exact(name, rtol))
    if not 0 < number <= 0.1:
        raise BadInput(name, rtol, "must be greater than 0 and at most 0.1")
    return number


@dataclass(frozen=True)
class Aim:
    """What a solve is asked for.

    Attributes
    ----------
    rtol : float
        Relative error bars at which it stops.
    enough : float
        The same where the proximal point jumps.
    usable : float
        Error bars with which it counts as solved.
    until : float
        Time, of :func:`attlas.solver.budget.now`, from which nothing new is begun.
    most_nodes : float
        Randomised nodes that may be spent.
    """

    rtol: float
    enough: float
    usable: float
    until: float = math.inf
    most_nodes: float = math.inf

    @classmethod
    def of(
        cls, rtol: float | None, budget: float | None, aim: float | None, kernel: ChannelKernel
    ) -> Aim:
        """From what a user named; whoever names a tolerance may wait for it."""
        if rtol is None:
            until = now() + (budget or BUDGET)
            most = _PATIENCE if budget is None else math.inf
            aim = max(aim or 0.0, unnamed_tolerance(kernel))
            return cls(aim, max(aim, _ENOUGH), _USABLE, until, most)
        until = math.inf if budget is None else now() + budget
        return cls(rtol, rtol, rtol, until)


def _iterated(
    problem: Problem, rtol: float | None, budget: float | None, aim: float | None, max_steps: int
) -> Solution:
    system = StateEvolution.of(problem)
    goal = Aim.of(rtol, budget, aim, system.kernel)
    peak = branch_from_peak(problem, system)
    branches = [peak] if peak is not None else find_branches(system, max_steps, goal.until)
    solution = _ranked([polished(problem, system, branch, goal, max_steps) for branch in branches])
    if not solution.status.ok and now() > goal.until:
        more = "The time given ended first: raise `budget`."
        solution = replace(solution, advice=more)
    return solution


def unnamed_tolerance(kernel: ChannelKernel) -> float:
    """The relative accuracy that a solve aims at when none is named."""
    return kernel.rtol if isinstance(kernel, ReplicatedKernel) else _RTOL


def polished(
    problem: Problem,
    system: StateEvolution,
    branch: Branch,
    aim: Aim,
    max_steps: int,
) -> Solution:
    """Refine the integration until the error bars meet the aim, or as far as it lets."""
    failed = Solution(problem=problem, status=Status.NOT_CONVERGED, start=branch.start)
    if branch.point is None:
        return failed
    point, level, steps = branch.point, 0, branch.point.steps
    replicated = isinstance(system.kernel, ReplicatedKernel)
    slope = None if replicated else 1.0
    # Residuals enter the error bars: at a tenth of the tolerance they are idle. Bars from
    # replicates leave less room.
    idle = 0.0025 if replicated else 0.02
    try:
        levels = [observe(system, point.x, level, slope)]
        error = _bars(system, levels, point, level)
        while level < system.kernel.finest and _promising(point):
            rtol = aim.enough if jumping(levels) else aim.rtol
            if accurate(levels[-1], error, rtol):
                break
            finer = _finer(system, level, levels[-1], error, rtol)
            nodes = system.kernel.nodes(system.signal, finer)
            if (
                nodes > aim.most_nodes
                if replicated
                else not _within_reach(system, levels, error, rtol, level)
            ):
                break
            if now() > aim.until:
                break
            refined = refine(
                lambda x, level=finer: system.step(x, level),
                point,
                tolerance=max(RESIDUAL, idle * rtol / max(1.0, point.sensitivity)),
                max_steps=max_steps,
                until=aim.until,
            )
            steps += refined.steps
            if now() > aim.until and not _converged(refined, rtol):
                break
            point, level = refined, finer
            levels.append(observe(system, point.x, level, slope))
            error = _bars(system, levels, point, level)
    except LeftDomain:
        return failed
    values = levels[-1]
    if slope is not None:
        values, error = with_slope(values, error, system.matrix.slope(hats(point.x)))
    return Solution.of(
        values,
        problem=problem,
        error=error,
        status=_status(system, point, values, error, aim),
        stats=Stats(iterations=steps, seconds=0.0, nodes=system.kernel.nodes(system.signal, level)),
        start=branch.start,
        residual=point.residual,
    )


def _within_reach(
    system: StateEvolution, levels: list[Observables], error: Observables, rtol: float, level: int
) -> bool:
    nodes = system.kernel.nodes(system.signal, level)
    return within_reach(levels, error, rtol, system.kernel.finest - level, nodes)


def _finer(
    system: StateEvolution, level: int, values: Observables, error: Observables, rtol: float
) -> int:
    if isinstance(system.kernel, ReplicatedKernel):
        return next_level(system.kernel, system.signal, level, values, error, rtol)
    return level + 1


def _bars(
    system: StateEvolution, levels: list[Observables], point: FixedPoint, level: int
) -> Observables:
    sources = ErrorSources(point.residual, point.sensitivity, system.state(point.x).error)
    if isinstance(system.kernel, ReplicatedKernel):
        return replicate_errors(system, system.kernel, point, level, sources)
    return error_bars(levels, sources, exact=system.kernel.finest == 0)


def _promising(point: FixedPoint) -> bool:
    """Whether finer nodes may finish what coarse ones began: a solution is near, on logarithms.

    The coarsest map may jump across its own fixed point.
    """
    return max(point.residual, point.displacement) < _NEAR


def _converged(point: FixedPoint, rtol: float) -> bool:
    return max(point.residual, point.displacement) <= max(rtol, 1e3 * RESIDUAL)


def _status(
    system: StateEvolution, point: FixedPoint, values: Observables, error: Observables, aim: Aim
) -> Status:
    if not _converged(point, aim.enough):
        return Status.NOT_CONVERGED
    if not accurate(values, error, aim.usable):
        return Status.INACCURATE
    return Status.COLLAPSED if system.state(point.x).collapsed else Status.CONVERGED


def _ranked(found: list[Solution]) -> Solution:
    """The lowest free energy among the starts that worked; failures only if none did."""
    order = (Status.CONVERGED, Status.COLLAPSED), (Status.INACCURATE,), (Status.NOT_CONVERGED,)
    rank = {status: place for place, group in enumerate(order) for status in group}
    branches = sorted(found, key=lambda s: (rank[s.status], s.loss if s.loss is not None else 0.0))
    best = branches[0]
    iterations = sum(branch.stats.iterations for branch in branches)
    usable: list[Solution] = []
    for branch in branches:
        failed = branch.status is Status.NOT_CONVERGED
        if not failed and not any(_indistinguishable(branch, other) for other in usable):
            usable.append(branch)
    return replace(
        best,
        stats=replace(best.stats, iterations=iterations),
        branches=tuple(usable),
    )


def _indistinguishable(one: Solution, other: Solution) -> bool:
    """Whether two starts ended at one point within their error bars.

    Where the proximal point jumps the coarse map has steps, and two starts may end on different
    ones beside a single solution.
    """
    return all(
        abs(getattr(one, key) - getattr(other, key))
        <= getattr(one.error, key) + getattr(other.error, key)
        for key in ACCURACY_KEYS
    )


def _collapsed_from(problem: Problem) -> str:
    # Some thresholds are found by solving.
    from attlas.solver.largest_penalty import largest_penalty

    if problem.tokens.covariance is not None:
        return "Nothing is learned at so large a lam."
    largest = largest_penalty(problem)
    return f"At these parameters that is every lam beyond {largest.lam:.6g}(±{largest.error:.1g})."


def _require_width(problem: Problem, solution: Solution) -> None:
    penalty = problem.estimator.penalty
    if penalty is None or penalty.width is None or solution.rank_fraction is None:
        return
    bar = solution.error.rank_fraction or 0.0
    if not penalty.limited and float(penalty.width) < solution.rank_fraction - bar:
        raise BadInput(
            "kappa",
            float(penalty.width),
            f"must be at least {solution.rank_fraction:.6g}, the rank fraction of the solution",
            "a narrower student solves another problem, that of `training=width-limited`",
        )
