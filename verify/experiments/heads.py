"""Trained heads beside the theory where the usual way is too slow, or finds local minima."""

from __future__ import annotations

from dataclasses import replace

from attlas.solver.solution import Observables, Solution
from attlas.solver.solve import solve
from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.simulation.case_run import run_of
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.simulation.result import Run
from attlas.verify.store.case import Case

_KEYS = ("loss", "train_error", "test_error", "q", "m", "mse")
#: Relative accuracy of the theory of many tokens, whose integral is randomised; its error bar
#: counts as systematic.
_RTOL = 3e-3
#: Starts of a narrow student: from each it may end in another local minimum.
_STARTS = ("large", "low-rank")


def measure_many_tokens(case: Case) -> Measurement:
    """A trained head of three or more tokens."""
    run = run_of(case)
    theory = solve(paired_at(case), rtol=_RTOL)
    minimal = run.converged and run.certificate.minimal
    return _measurement(run, theory, minimal)


def measure_narrow(case: Case) -> Measurement:
    """The lowest minimum that a narrow student finds from its starts."""
    runs = [run_of(case, initialisation=start) for start in _STARTS]
    run = min(runs, key=lambda run: run.observables.loss or float("inf"))
    return _measurement(run, solve(paired_at(case)), run.converged)


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The theory of a wrong problem at the same teacher."""
    problem = control.wrong(case.problem)
    return _values(solve(paired_at(replace(case, problem=problem)), rtol=_RTOL))


def _measurement(run: Run, theory: Solution, converged: bool) -> Measurement:
    return Measurement(
        measured=_values(run.observables),
        reference=_values(theory),
        reference_error=_values(theory.error),
        converged=converged,
        certificate=run.certificate.gradient,
        data_hash=run.data_hash,
    )


def _values(of: Observables) -> dict[str, float]:
    return {key: getattr(of, key) for key in _KEYS}


MANY_TOKENS = Experiment(measure_many_tokens, wrong)
NARROW = Experiment(measure_narrow, wrong)
