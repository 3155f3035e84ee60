"""Training of a symmetric map under a Frobenius penalty: L-BFGS on its entries."""

from __future__ import annotations

from math import sqrt
from time import perf_counter

import numpy as np

from attlas.verify.training import lbfgs
from attlas.verify.training.fista import smooth_part
from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.map_certificate import certified
from attlas.verify.training.penalty import penalty_of
from attlas.verify.training.task import Trained, Training


def train(training: Training) -> Trained:
    """Minimise sum l + (ridge/2) |S|_F^2 over symmetric S, warm started. theory.md section 11."""
    clock = perf_counter()
    d, report = training.d, training.report
    smooth = smooth_part(training.objective())
    w = initial_factor(training.initialisation, d, training.p, training.seed)
    s, evaluations = w @ w.T / sqrt(training.p * d), 0
    estimator = training.problem.estimator
    penalty = penalty_of(estimator, training.lams[0], d, training.p)
    allowed = training.allowed(lbfgs.DEFAULT_STEPS)
    for lam in training.lams:
        penalty = penalty_of(estimator, lam, d, training.p)

        def evaluate(flat: np.ndarray, weight: float = penalty.ridge) -> tuple[float, np.ndarray]:
            value, gradient = smooth(flat.reshape(d, d))
            return value + weight / 2 * float(flat @ flat), gradient.ravel() + weight * flat

        def residual(flat: np.ndarray, gradient: np.ndarray, penalty=penalty) -> float:
            data = gradient - penalty.ridge * flat
            return penalty.residual(flat.reshape(d, d), data.reshape(d, d))

        found = lbfgs.minimise(
            evaluate,
            residual,
            s.ravel(),
            tolerance=training.tolerance,
            max_steps=allowed,
            report=None if report is None else lambda step: report("l-bfgs", step, allowed),
        )
        s, evaluations = found.x.reshape(d, d), evaluations + found.evaluations
    s = (s + s.T) / 2
    return certified(
        training,
        s,
        smooth(s),
        penalty,
        steps={"l-bfgs": evaluations},
        seconds={"l-bfgs": perf_counter() - clock},
    )
