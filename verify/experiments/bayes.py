"""The Bayes-optimal estimate made from data by message passing, beside its theory."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from attlas.model import Problem
from attlas.solver.bayes import bayes_solution
from attlas.solver.solution import Solution
from attlas.solver.spectrum import target_law
from attlas.verify.claims.claim import Control
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.store.case import Case
from attlas.verify.training.amp.bayes import posterior_mean

_KEYS = ("q", "m", "mse")


def measure(case: Case) -> Measurement:
    """q, m and the squared error of the estimate, as shares of the teacher's own Tr S0^2/d."""
    problem, d = case.problem, case.d
    teacher = draw_teacher(problem.target, d, case.seed)
    data = draw_data(problem, teacher, problem.samples(d), case.seed)
    found = posterior_mean(problem, data, teacher.s0)
    own = float(np.sum(np.square(teacher.s0))) / d
    values = {
        "q": found.last.q,
        "m": found.last.m,
        "mse": float(np.sum(np.square(found.s - teacher.s0))) / d,
    }
    theory = _theory(problem, d)
    return Measurement(
        measured={key: value / own for key, value in values.items()},
        reference=_shares(problem, theory),
        reference_error={key: getattr(theory.error, key) for key in _KEYS},
        converged=found.converged,
        certificate=found.last.change,
        data_hash=data.digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The same shares in a wrong theory."""
    problem = control.wrong(case.problem)
    return _shares(problem, bayes_solution(problem))


def _theory(problem: Problem, d: int) -> Solution:
    """The theory at exactly the amount of data that is drawn."""
    return bayes_solution(problem.with_(alpha=Fraction(problem.samples(d), d**2)))


def _shares(problem: Problem, theory: Solution) -> dict[str, float]:
    q0 = target_law(problem.target).q0
    return {key: getattr(theory, key) / q0 for key in _KEYS}


BAYES = Experiment(measure, wrong)
