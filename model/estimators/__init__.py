"""Estimators: penalties and the denoisers they imply, one file each."""

from attlas.model.estimators.bayes import BayesOptimal
from attlas.model.estimators.direct import Direct
from attlas.model.estimators.direct_psd import DirectPSD
from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.factorised import Factorised
from attlas.model.estimators.width_limited import WidthLimited

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
