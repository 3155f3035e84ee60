"""Estimators: penalties and the denoisers they imply, one file each."""

from model.estimators.bayes import BayesOptimal
from model.estimators.direct import Direct
from model.estimators.direct_psd import DirectPSD
from model.estimators.estimator import Estimator
from model.estimators.factorised import Factorised
from model.estimators.width_limited import WidthLimited

#: The estimator of each ``--training``, by name.
ESTIMATORS: dict[str, type[Estimator]] = {
    estimator.name: estimator
    for estimator in (Factorised, Direct, DirectPSD, WidthLimited, BayesOptimal)
}

__all__ = [
    "ESTIMATORS",
    "BayesOptimal",
    "Direct",
    "DirectPSD",
    "Estimator",
    "Factorised",
    "WidthLimited",
]
