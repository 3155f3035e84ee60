"""Factorised and direct training of the same data, each at its own best penalty."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attlas.model import Problem
from attlas.solver.solve import solve
from attlas.verify.claims.claim import Control
from attlas.verify.claims.points.best_penalties import BEST, problem_at
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.measure import measure as measured_of
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.store.case import Case
from attlas.verify.training import gradient, staged
from attlas.verify.training.certificate import Certificate

#: Relative accuracy of the theory, whose error bars are counted, and residual of the training.
RTOL, TOLERANCE = 1e-3, 1e-6

#: Result key of the test error of each training.
ERRORS = {"factorised": "test_error", "direct-psd": "test_error_psd", "direct": "test_error_direct"}


def rivals_of(problem: Problem) -> dict[str, Problem]:
    """The trainings that are compared at the place of a factorised problem."""
    for kappa0, alpha in BEST:
        if problem_at(kappa0, alpha) == problem:
            return {name: problem_at(kappa0, alpha, name) for name in ERRORS}
    raise ValueError(f"no best penalties are known at {problem}")


def measure(case: Case) -> Measurement:
    """One teacher and one set of sequences and labels, trained in each way."""
    runs = {name: _run(case, problem) for name, problem in rivals_of(case.problem).items()}
    theory = _theory(case)
    reference, errors = _with_ratios(theory), _ratio_errors(theory)
    certificates = [run.certificate for run in runs.values()]
    return Measurement(
        measured=_with_ratios({name: (run.test_error, 0.0) for name, run in runs.items()}),
        reference=reference,
        reference_error=errors,
        converged=all(one.converged for one in certificates),
        certificate=max(one.gradient for one in certificates),
        data_hash=runs["factorised"].digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """Theories that take one training for another."""
    theory = _theory(case)
    taken = {
        "roles-exchanged": {"factorised": "direct-psd", "direct-psd": "factorised"},
        "positivity-dropped": {"direct-psd": "direct"},
    }[control.id]
    return _with_ratios({name: theory[taken.get(name, name)] for name in ERRORS})


@dataclass(frozen=True)
class _Run:
    test_error: float
    certificate: Certificate
    digest: str


def _run(case: Case, problem: Problem) -> _Run:
    teacher, training = training_of(case, problem, tolerance=TOLERANCE)
    factorised = problem.estimator.name == "factorised"
    trained = (staged if factorised else gradient).train(training)
    seen = measured_of(problem, teacher, training.data, trained, seed=case.seed)
    assert seen.observables.test_error is not None
    return _Run(seen.observables.test_error, trained.certificate, training.data.digest)


def _theory(case: Case) -> dict[str, tuple[float, float]]:
    """Test error and its bar of each training at the case's own teacher."""
    found = {}
    for name, problem in rivals_of(case.problem).items():
        solution = solve(paired_at(replace(case, problem=problem)), rtol=RTOL)
        found[name] = (solution.test_error, solution.error.test_error)
    return found


def _with_ratios(errors: dict[str, tuple[float, float]]) -> dict[str, float]:
    """Errors by result key, and those of direct training over the factorised one."""
    own = errors["factorised"][0]
    return {ERRORS[name]: value for name, (value, _) in errors.items()} | {
        "ratio_psd": errors["direct-psd"][0] / own,
        "ratio_direct": errors["direct"][0] / own,
    }


def _ratio_errors(errors: dict[str, tuple[float, float]]) -> dict[str, float]:
    relative = {name: bar / value for name, (value, bar) in errors.items()}
    ratios = _with_ratios(errors)
    return {ERRORS[name]: bar for name, (_, bar) in errors.items()} | {
        key: ratios[key] * (relative[name] + relative["factorised"])
        for key, name in (("ratio_psd", "direct-psd"), ("ratio_direct", "direct"))
    }


BEST_PENALTIES = Experiment(measure, wrong)
