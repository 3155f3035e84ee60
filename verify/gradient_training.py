"""Training by gradients, by estimator."""

from __future__ import annotations

from functools import singledispatch

from model import Direct, DirectPSD, Estimator, Factorised, WidthLimited
from verify import direct_training, factor_training, fista
from verify.algorithms import Trained, Training


def train(training: Training) -> Trained:
    """Adam and L-BFGS on the factor, or the counterpart for a map without factors."""
    return _train(training.problem.estimator, training)


@singledispatch
def _train(estimator: Estimator, training: Training) -> Trained:  # noqa: ARG001
    raise TypeError(f"no training by gradients is defined for {type(estimator).__name__}")


@_train.register(Factorised)
@_train.register(WidthLimited)
def _(estimator: Factorised | WidthLimited, training: Training) -> Trained:  # noqa: ARG001
    return factor_training.train(training)


@_train.register
def _(estimator: Direct, training: Training) -> Trained:  # noqa: ARG001
    return direct_training.train(training)


@_train.register
def _(estimator: DirectPSD, training: Training) -> Trained:  # noqa: ARG001
    return fista.train(training)
