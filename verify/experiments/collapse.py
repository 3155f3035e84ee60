"""The penalty at which a data set's own map becomes zero, from the gradient there."""

from __future__ import annotations

import numpy as np
import torch

from attlas.model import Problem
from attlas.solver.largest_penalty import LargestPenalty, largest_penalty
from attlas.verify.claims.claim import Control
from attlas.verify.data.randomness import generator
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.spectra.draws import draw_noisy
from attlas.verify.store.case import Case
from attlas.verify.training.penalty import penalty_of

#: Draws of S0 + delta Z at each teacher, for the mean of its largest eigenvalue at this d.
DRAWS = 100
_KEY = "collapse_lam"


def measure(case: Case) -> Measurement:
    """The least penalty at which S = 0 is stationary on a case's data, beside the theory."""
    _, training = training_of(case)
    objective = training.objective()
    s = torch.zeros((case.d, case.d), dtype=torch.float64)
    _, gradient = objective.value_and_gradient_of_map(s, 0.0)
    largest = float(np.linalg.eigvalsh(-gradient.numpy())[-1])
    paired = paired_at(case)
    found = largest_penalty(paired)
    reference = _penalty(case, paired, found, found.delta)
    weight = penalty_of(training.problem.estimator, 1, case.d, training.p).linear
    return Measurement(
        measured={_KEY: largest / weight},
        reference={_KEY: reference},
        reference_error={_KEY: found.error * reference / found.lam},
        data_hash=training.data.digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The same without the noise of the data, or with half of the threshold."""
    paired = paired_at(case)
    found = largest_penalty(paired)
    delta = 0.0 if control.id == "noise-ignored" else found.delta
    half = 0.5 if control.id == "factor-two-dropped" else 1.0
    return {_KEY: _penalty(case, paired, found, delta) / half}


def _penalty(case: Case, paired: Problem, found: LargestPenalty, delta: float) -> float:
    """m_hat/2 times the mean largest eigenvalue of S0 + delta Z at this d, as lam."""
    rng, s0 = generator(case.seed, "predicted-law"), paired.target.eigenvalues
    assert s0 is not None
    tops = [
        np.linalg.eigvalsh(draw_noisy(s0, delta, rng))[-1] for _ in range(DRAWS if delta else 1)
    ]
    return found.m_hat * float(np.mean(tops)) / (2 * found.per_lam)


COLLAPSE = Experiment(measure, wrong)
