"""Penalties, and the spectral denoisers and functions J that follow from them."""

from attlas.symbolic.estimators.direct import DIRECT, DIRECT_PSD
from attlas.symbolic.estimators.estimator import Denoiser, Estimator
from attlas.symbolic.estimators.factorised import FACTORISED, WIDTH_LIMITED

__all__ = ["DIRECT", "DIRECT_PSD", "FACTORISED", "WIDTH_LIMITED", "Denoiser", "Estimator"]
