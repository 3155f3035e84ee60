"""Capture of each mode of a power-law target by trained heads, beside the theory."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from attlas.model import PowerLaw, Problem
from attlas.solver import solve
from attlas.solver.emergence import shares
from attlas.solver.scaling.predictions import best_penalty
from attlas.solver.scaling.problem import power_law
from attlas.solver.scaling.table import SHIFT
from attlas.solver.spectrum import target_law
from attlas.verify.claims.claim import Control
from attlas.verify.claims.controls import HALVED_NOISE
from attlas.verify.claims.controls.power_laws import GAMMA_SHIFTED
from attlas.verify.claims.points.sequential_recovery import FIXED_RATIO, FOLLOWED
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.simulation.case_run import run_of
from attlas.verify.simulation.emergence import mode_shares
from attlas.verify.simulation.pairing import RTOL
from attlas.verify.store.case import Case

_SHIFT = Fraction(SHIFT)


def at_dimension(problem: Problem, d: int) -> Problem:
    """The problem of a point at another dimension: n/d^2 is kept, or n/d with lam ~ lam_c."""
    target, estimator, lam = power_law(problem.target), problem.estimator, None
    alpha = problem.alpha
    if problem in FIXED_RATIO:
        alpha *= Fraction(target.d, d)
        n = float(alpha) * d * d
        lam = Fraction(best_penalty(PowerLaw(target.gamma, d), n, float(problem.channel.noise)))
    return problem.with_(
        target=PowerLaw(target.gamma, d), alpha=alpha, estimator=estimator.with_(lam=lam)
    )


def measure(case: Case) -> Measurement:
    """A trained head beside the theory at the same eigenvalues."""
    problem = at_dimension(case.problem, case.d)
    run = run_of(case, problem, overlaps=True)
    captured, error = mode_shares(run)
    reference = _theory(problem)
    return Measurement(
        measured=_keys(captured, float(error.sum()), run.observables.test_error),
        reference=reference,
        reference_error={key: RTOL * value for key, value in reference.items()},
        converged=run.converged and run.certificate.minimal,
        certificate=run.certificate.gradient,
        data_hash=run.data_hash,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The theory of a target with another gamma, or of half the noise."""
    problem = at_dimension(case.problem, case.d)
    if control.id == GAMMA_SHIFTED.id:
        target = power_law(problem.target)
        return _theory(problem.with_(target=PowerLaw(target.gamma + _SHIFT, target.d)))
    return _theory(HALVED_NOISE.wrong(problem))


@cache
def _theory(problem: Problem) -> dict[str, float]:
    target = power_law(problem.target)
    found = solve(problem, rtol=RTOL)
    law = target_law(target).noisy(found.delta)
    captured, _ = shares(law, np.asarray(target.eigenvalues), found.epsilon, found.eta)
    return _keys(captured, found.mse, found.test_error)


def _keys(captured: np.ndarray, mse: float, test_error: float | None) -> dict[str, float]:
    assert test_error is not None
    values = {f"captured_{i + 1}": float(captured[i]) for i in range(FOLLOWED)}
    return values | {"mse": mse, "test_error": test_error}


SEQUENTIAL = Experiment(measure, wrong)
