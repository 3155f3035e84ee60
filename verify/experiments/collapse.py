"""The penalty at which a data set's own map becomes zero, from the gradient there."""

from __future__ import annotations

from math import sqrt
from time import perf_counter

import numpy as np
import torch

from model import Problem
from solver.thresholds import LargestPenalty, largest_penalty
from verify.data.randomness import generator
from verify.data.teacher import Teacher, draw_teacher
from verify.experiments.experiment import Experiment, Measurement
from verify.experiments.training import training_of
from verify.simulation.pairing import paired_problem
from verify.simulation.student import width_of
from verify.store.case import Case

#: Draws of S0 + delta Z at each teacher, for the mean of its largest eigenvalue at this d.
DRAWS = 100
_KEY = "collapse_lam"


def measure(case: Case) -> Measurement:
    """The least penalty at which S = 0 is stationary on a case's data, beside the theory."""
    clock = perf_counter()
    teacher, training = training_of(case)
    objective = training.objective()
    s = torch.zeros((case.d, case.d), dtype=torch.float64)
    _, gradient = objective.value_and_gradient_of_map(s, 0.0)
    largest = float(np.linalg.eigvalsh(-gradient.numpy())[-1])
    paired, found = _theory(case, teacher)
    reference = _penalty(paired, case, teacher, found.m_hat, found.delta)
    return Measurement(
        measured={_KEY: largest / sqrt(training.p * case.d)},
        reference={_KEY: reference},
        reference_error={_KEY: found.error * reference / found.lam},
        data_hash=training.data.digest,
        seconds=perf_counter() - clock,
    )


def wrong(case: Case, control: str) -> dict[str, float]:
    """The same without the noise of the data, or with half of the threshold."""
    teacher = draw_teacher(case.problem.target, case.d, case.seed)
    paired, found = _theory(case, teacher)
    delta = 0.0 if control == "noise-ignored" else found.delta
    half = 0.5 if control == "factor-two-dropped" else 1.0
    return {_KEY: _penalty(paired, case, teacher, found.m_hat, delta) / half}


def _theory(case: Case, teacher: Teacher) -> tuple[Problem, LargestPenalty]:
    problem = case.problem
    width = width_of(problem.estimator, case.d)
    paired = paired_problem(problem, teacher, problem.samples(case.d), width)
    return paired, largest_penalty(paired)


def _penalty(paired: Problem, case: Case, teacher: Teacher, m_hat: float, delta: float) -> float:
    """m_hat/2 times the mean largest eigenvalue of S0 + delta Z at this d, as lam."""
    rng, d = generator(case.seed, "predicted-law"), case.d
    s0 = np.diag(np.asarray(teacher.eigenvalues, dtype=float))
    tops = []
    for _ in range(DRAWS if delta else 1):
        noise = rng.standard_normal((d, d))
        tops.append(np.linalg.eigvalsh(s0 + delta * (noise + noise.T) / sqrt(2 * d))[-1])
    kappa = float(paired.estimator.kappa)  # type: ignore[attr-defined]
    return m_hat * float(np.mean(tops)) / (2 * sqrt(kappa))


COLLAPSE = Experiment(measure, wrong)
