"""The four-way decomposition of the test error of a trained head."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace
from typing import Annotated

from attlas.model import Problem, require_isotropic, require_problem
from attlas.model.names import names_checked
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.decomposition.parts import Parts, split_error
from attlas.solver.decomposition.response import Response, response
from attlas.solver.learned_spectrum.rule import require_map, rule
from attlas.solver.result import Result
from attlas.solver.solution import ABSENT, Solution, Stats
from attlas.solver.solve import solve
from attlas.solver.spectrum import TargetLaw, target_law
from attlas.solver.state_evolution import StateEvolution
from attlas.solver.status import Status


@dataclass(frozen=True)
class DecompositionValues:
    """The result keys of ``attlas decompose`` (theory.md section 13).

    over + under + approx = error_scaled = q - 2 eta* m + eta*^2 Q0 exactly; ``mse`` is
    q - 2m + Q0. test_error = e0 + c1 error_scaled + c2 mismatch + remainder.
    """

    over: Annotated[
        float,
        Key(
            "overfitting: energy learned in directions the target does not have; zero for "
            "targets without such directions, see bulk_over",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[x̂²; s = 0], s the target's eigenvalue and x̂ the learned one beside it",
                r"\mathbb{E}[\hat x^2;\ s=0]",
            ),
        ),
    ] = ABSENT
    under: Annotated[
        float,
        Key(
            "underfitting: energy of the target directions that are not recovered",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[η*²s²; s ≠ 0, x̂ = 0], s the target's eigenvalue and x̂ the learned one beside "
                "it, η* = eta_star",
                r"\mathbb{E}[\eta_*^2s^2;\ s\ne0,\ \hat x=0]",
            ),
        ),
    ] = ABSENT
    approx: Annotated[
        float,
        Key(
            "approximation: squared error that is left along what was recovered",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[(x̂ − η*s)²; s ≠ 0, x̂ > 0], s the target's eigenvalue and x̂ the learned one "
                "beside it, η* = eta_star",
                r"\mathbb{E}[(\hat x-\eta_*s)^2;\ s\ne0,\ \hat x>0]",
            ),
        ),
    ] = ABSENT
    mismatch: Annotated[
        float,
        Key(
            "squared distance of the learned scale m/q0 from the scale of least test error",
            "0 or more",
            theory_md("13"),
            Definition("(m/Q₀ − η*)², η* = eta_star", r"(m/Q_0-\eta_*)^2"),
        ),
    ] = ABSENT
    error_scaled: Annotated[
        float,
        Key(
            "squared error of the learned map to the target at its best scale: over + under + "
            "approx",
            "0 or more",
            theory_md("13"),
            Definition(
                "‖S − η*S₀‖²_F/d = q − 2η*m + η*²Q₀ = over + under + approx",
                r"\|S-\eta_*S_0\|_F^2/d = q-2\eta_*m+\eta_*^2Q_0",
            ),
        ),
    ] = ABSENT
    mse: Annotated[float, Key()] = ABSENT
    e0: Annotated[
        float,
        Key(
            "least test error along maps proportional to the target: that of eta_star S0",
            "0 or more",
            theory_md("13"),
            Definition(
                "e₀ = e_test(q = η*²Q₀, m = η*Q₀), η* = eta_star",
                r"e_0 = e_{\mathrm{test}}(\eta_*^2Q_0,\ \eta_*Q_0)",
            ),
        ),
    ] = ABSENT
    eta_star: Annotated[
        float,
        Key(
            "scale c at which c S0 has the least test error; beta0/beta for clean labels",
            "greater than 0",
            theory_md("13"),
            Definition(
                "η* = argmin_c e_test(q = c²Q₀, m = cQ₀)",
                r"\eta_* = \operatorname{argmin}_c\,e_{\mathrm{test}}(c^2Q_0,\ cQ_0)",
            ),
        ),
    ] = ABSENT
    c1: Annotated[
        float,
        Key(
            "test error for each unit of error_scaled: slope of the test error in q at eta_star S0",
            "greater than 0",
            theory_md("13"),
            Definition(
                "c₁ = ∂e_test/∂q at (η*²Q₀, η*Q₀); test_error = e0 + c1 error_scaled + c2 mismatch "
                "+ remainder",
                r"c_1 = \frac{\partial e_{\mathrm{test}}}{\partial q}(\eta_*^2Q_0,\ \eta_*Q_0)",
            ),
        ),
    ] = ABSENT
    c2: Annotated[
        float,
        Key(
            "test error for each unit of mismatch, beside what c1 counts already; may be negative",
            "real",
            theory_md("13"),
            Definition(
                "c₂ = ½ d²/dc² e_test(c²Q₀, cQ₀) at c = η*, less c₁Q₀; test_error = e0 + c1 "
                "error_scaled + c2 mismatch + remainder",
                r"c_2 = \tfrac12\frac{d^2}{dc^2}e_{\mathrm{test}}(c^2Q_0,\ "
                r"cQ_0)\big|_{c=\eta_*}-c_1Q_0",
            ),
        ),
    ] = ABSENT
    test_error: Annotated[float, Key()] = ABSENT
    remainder: Annotated[
        float,
        Key(
            "what the second-order expansion of the test error leaves out",
            "real",
            theory_md("13"),
            Definition(
                "remainder = test_error − e0 − c1 error_scaled − c2 mismatch",
                r"e_{\mathrm{test}}-e_0-c_1\|S-\eta_*S_0\|_F^2/d-c_2(m/Q_0-\eta_*)^2",
            ),
        ),
    ] = ABSENT
    bulk_over: Annotated[
        float,
        Key(
            "overfitting by bands, where the spectrum has several: energy learned in the "
            "lowest one",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[x̂²; x in the lowest band of S₀ + δZ]",
                r"\mathbb{E}[\hat x^2;\ x\in\text{lowest band}]",
            ),
        ),
    ] = ABSENT
    bulk_under: Annotated[
        float,
        Key(
            "underfitting by bands: target energy in the lowest band or below the threshold",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[η*²s²; x in the lowest band of S₀ + δZ or below ε], η* = eta_star",
                r"\mathbb{E}[\eta_*^2s^2;\ x\in\text{lowest band or }x<\epsilon]",
            ),
        ),
    ] = ABSENT
    bulk_cross: Annotated[
        float,
        Key(
            "cross term of bulk_over and bulk_under",
            "real",
            theory_md("13"),
            Definition(
                "−2η* E[x̂ s; x in the lowest band of S₀ + δZ], η* = eta_star",
                r"-2\eta_*\,\mathbb{E}[\hat xs;\ x\in\text{lowest band}]",
            ),
        ),
    ] = ABSENT
    band_approx: Annotated[
        float,
        Key(
            "approximation by bands: squared error in the bands above the lowest; bulk_over + "
            "bulk_under + bulk_cross + band_approx is error_scaled",
            "0 or more",
            theory_md("13"),
            Definition(
                "E[(x̂ − η*s)²; x above the lowest band], η* = eta_star",
                r"\mathbb{E}[(\hat x-\eta_*s)^2;\ x\text{ above the lowest band}]",
            ),
        ),
    ] = ABSENT

    def present(self) -> dict[str, float]:
        """The keys that hold a value."""
        pairs = ((key, getattr(self, key)) for key in DECOMPOSITION_KEYS)
        return {key: value for key, value in pairs if value is not None}


DECOMPOSITION_KEYS: tuple[str, ...] = tuple(field.name for field in fields(DecompositionValues))


@dataclass(frozen=True)
class Decomposition(DecompositionValues, Result):
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


@names_checked
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
    require_map(require_problem(problem, any_tokens=True).estimator)
    require_isotropic(problem, "directions of the target are not those of C^(1/2) S0 C^(1/2)")
    began = time.perf_counter()
    solution = solve(problem, rtol=rtol, raise_on_failure=raise_on_failure)
    if not solution.status.ok:
        return Decomposition(
            problem=problem, solution=solution, status=solution.status, stats=solution.stats
        )
    law = _law(problem, solution)
    expansion = response(StateEvolution.of(problem))
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
    return law.resolved(solution.delta) if solution.delta else law


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
    if solution.delta and (coarser := law.coarser(solution.delta)):
        laws.append(coarser)
        moves.append((expansion, solution))
    for moved_law, (moved_expansion, moved_solution) in zip(laws, moves, strict=True):
        moved = _values(moved_law, moved_expansion, moved_solution).present()
        for key in total:
            total[key] += abs(moved.get(key, values.present()[key]) - values.present()[key])
    return DecompositionValues(**total)
