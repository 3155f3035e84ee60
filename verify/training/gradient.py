"""Training by gradients, by estimator."""

from __future__ import annotations

from functools import singledispatch

from attlas.model import Direct, DirectPSD, Estimator, Factorised, WidthLimited
from attlas.verify.training import direct, factorised, fista
from attlas.verify.training.algorithms import Trained, Training


def train(training: Training) -> Trained:
    """Adam and L-BFGS on the factor, or the counterpart for a map without factors."""
    return _train(training.problem.estimator, training)


@singledispatch
def _train(estimator: Estimator, training: Training) -> Trained:  # noqa: ARG001
    raise TypeError(f"no training by gradients is defined for {type(estimator).__name__}")


@_train.register(Factorised)
@_train.register(WidthLimited)
def _(estimator: Factorised | WidthLimited, training: Training) -> Trained:  # noqa: ARG001
    return factorised.train(training)


@_train.register
def _(estimator: Direct, training: Training) -> Trained:  # noqa: ARG001
    return direct.train(training)


@_train.register
def _(estimator: DirectPSD, training: Training) -> Trained:  # noqa: ARG001
    return fista.train(training)
