"""Estimators: penalties and the denoisers they imply, one file each."""

from model.estimators.estimator import Estimator
from model.estimators.factorised import Factorised

__all__ = ["Estimator", "Factorised"]
