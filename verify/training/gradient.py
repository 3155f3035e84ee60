"""Training by gradients: of the factor, or of the map where the penalty is not weight decay."""

from __future__ import annotations

from attlas.model import Estimator
from attlas.verify.training import direct, factorised, fista
from attlas.verify.training.task import Trained, Training


def by_factor(estimator: Estimator) -> bool:
    """Whether a factor is trained: its weight decay lam ||W||_F^2 is all of the penalty."""
    return estimator.decays and estimator.trained().quadratic == 0


def train(training: Training) -> Trained:
    """Adam and L-BFGS on the factor, or the counterpart for a map without factors."""
    if by_factor(training.problem.estimator):
        return factorised.train(training)
    penalty = training.problem.estimator.trained()
    smooth = not penalty.positive and not penalty.thresholds
    return (direct if smooth else fista).train(training)
