"""The four-way decomposition of the test error of a trained head."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace

from attlas.model import Problem, require_problem
from attlas.solver.channels import channel_kernel
from attlas.solver.decomposition.parts import Parts, split_error
from attlas.solver.decomposition.response import Response, response
from attlas.solver.learned_spectrum.rule import require_map, rule
from attlas.solver.solution import ABSENT, Solution, Stats
from attlas.solver.solve import solve
from attlas.solver.spectrum import GroupedTargetLaw, TargetLaw, target_law
from attlas.solver.status import Status


@dataclass(frozen=True)
class DecompositionValues:
    """The result keys of ``attlas decompose`` (theory.md section 13).

    over + under + approx = error_scaled = q - 2 eta* m + eta*^2 Q0 exactly; ``mse`` is
    q - 2m + Q0. test_error = e0 + c1 error_scaled + c2 mismatch + remainder.
    """

    over: float = ABSENT
    under: float = ABSENT
    approx: float = ABSENT
    mismatch: float = ABSENT
    error_scaled: float = ABSENT
    mse: float = ABSENT
    e0: float = ABSENT
    eta_star: float = ABSENT
    c1: float = ABSENT
    c2: float = ABSENT
    test_error: float = ABSENT
    remainder: float = ABSENT
    bulk_over: float = ABSENT
    bulk_under: float = ABSENT
    bulk_cross: float = ABSENT
    band_approx: float = ABSENT

    def present(self) -> dict[str, float]:
        """The keys that hold a value."""
        pairs = ((key, getattr(self, key)) for key in DECOMPOSITION_KEYS)
        return {key: value for key, value in pairs if value is not None}


DECOMPOSITION_KEYS: tuple[str, ...] = tuple(field.name for field in fields(DecompositionValues))


@dataclass(frozen=True)
class Decomposition(DecompositionValues):
    """The parts of a solved problem's test error, with an error bar per value.

    Attributes
    ----------
    problem : Problem
    solution : Solution
        The state-evolution solution that is decomposed.
    error : DecompositionValues
    status : Status
    stats : Stats
    """

    problem: Problem = ABSENT
    solution: Solution = ABSENT
    error: DecompositionValues = DecompositionValues()
    status: Status = Status.CONVERGED
    stats: Stats = ABSENT


def decompose(
    problem: Problem, *, rtol: float | None = None, raise_on_failure: bool = True
) -> Decomposition:
    """Split the test error of a trained head into its four causes.

    Parameters
    ----------
    problem : Problem
    rtol : float, optional
        Relative accuracy of the solution, as for :func:`attlas.solver.solve`.
    raise_on_failure : bool
        Whether a failed solve raises :class:`SolveError` or is returned with its status.

    Returns
    -------
    Decomposition

    Raises
    ------
    BadInput, SolveError
        As :func:`attlas.solver.solve`; for an estimator that trains no map.
    """
    require_map(require_problem(problem).estimator)
    began = time.perf_counter()
    solution = solve(problem, rtol=rtol, raise_on_failure=raise_on_failure)
    if not solution.status.ok:
        return Decomposition(
            problem=problem, solution=solution, status=solution.status, stats=solution.stats
        )
    law = _law(problem, solution)
    expansion = response(channel_kernel(problem.channel), law.q0)
    values = _values(law, expansion, solution)
    return Decomposition(
        **values.present(),
        problem=problem,
        solution=solution,
        error=_error(law, expansion, solution, values),
        status=solution.status,
        stats=replace(solution.stats, seconds=time.perf_counter() - began),
    )


def _law(problem: Problem, solution: Solution) -> TargetLaw:
    """The target's; eigenvalues in groups are resolved, so that bands are those of all d."""
    law = target_law(problem.target)
    if isinstance(law, GroupedTargetLaw) and solution.delta:
        return law.resolved(solution.delta)
    return law


def _values(law: TargetLaw, expansion: Response, solution: Solution) -> DecompositionValues:
    parts = _parts(law, expansion, solution)
    mismatch = (solution.m / law.q0 - expansion.eta_star) ** 2
    explained = expansion.c1 * parts.error_scaled + expansion.c2 * mismatch
    return DecompositionValues(
        over=parts.over,
        under=parts.under,
        approx=parts.approx,
        mismatch=mismatch,
        error_scaled=parts.error_scaled,
        mse=solution.mse,
        e0=expansion.e0,
        eta_star=expansion.eta_star,
        c1=expansion.c1,
        c2=expansion.c2,
        test_error=solution.test_error,
        remainder=solution.test_error - expansion.e0 - explained,
        bulk_over=_or_absent(parts.bulk_over),
        bulk_under=_or_absent(parts.bulk_under),
        bulk_cross=_or_absent(parts.bulk_cross),
        band_approx=_or_absent(parts.band_approx),
    )


def _or_absent(value: float | None) -> float:
    return ABSENT if value is None else value


def _parts(law: TargetLaw, expansion: Response, solution: Solution) -> Parts:
    if solution.status is Status.COLLAPSED:
        lost = expansion.eta_star**2 * law.q0
        return Parts(0.0, lost, 0.0, None, None, None, None)
    if solution.delta == 0:  # the target is recovered up to a factor
        left = (solution.eta - expansion.eta_star) ** 2 * law.q0
        return Parts(0.0, 0.0, left, None, None, None, None)
    noisy = law.noisy(solution.delta)
    learned = rule(solution.problem.estimator, solution, noisy)
    return split_error(law, noisy, learned, expansion.eta_star)


def _error(
    law: TargetLaw, expansion: Response, solution: Solution, values: DecompositionValues
) -> DecompositionValues:
    """Propagate the solution's error bars by moving one input at a time by its own bar.

    What groups of eigenvalues change is shown by groups twice as wide.
    """
    total = {key: 1e-12 * abs(value) for key, value in values.present().items()}
    moves: list[tuple[Response, Solution]] = []
    for key in ("eta", "delta", "epsilon", "m", "mse", "test_error"):
        bar = getattr(solution.error, key)
        if bar:
            moves.append((expansion, replace(solution, **{key: getattr(solution, key) + bar})))
    moves.append((replace(expansion, c1=expansion.c1 + expansion.error_c1), solution))
    moves.append((replace(expansion, c2=expansion.c2 + expansion.error_c2), solution))
    laws = [law] * len(moves)
    if isinstance(law, GroupedTargetLaw) and solution.delta:
        laws.append(law.coarser(solution.delta))
        moves.append((expansion, solution))
    for moved_law, (moved_expansion, moved_solution) in zip(laws, moves, strict=True):
        moved = _values(moved_law, moved_expansion, moved_solution).present()
        for key in total:
            total[key] += abs(moved.get(key, values.present()[key]) - values.present()[key])
    return DecompositionValues(**total)
