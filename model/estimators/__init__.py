"""Estimators: what is trained, and its penalty. A new one is one class, also in a user's file."""

from attlas.model.estimators.bayes import BayesOptimal
from attlas.model.estimators.direct import Direct, DirectPSD
from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.factorised import Factorised, WidthLimited
from attlas.model.estimators.grammar import ESTIMATORS, estimator_from
from attlas.model.estimators.penalty import Penalty, weight_decay
from attlas.model.estimators.untied import Untied

__all__ = [
    "ESTIMATORS",
    "BayesOptimal",
    "Direct",
    "DirectPSD",
    "Estimator",
    "Factorised",
    "Penalty",
    "Untied",
    "WidthLimited",
    "estimator_from",
    "weight_decay",
]
