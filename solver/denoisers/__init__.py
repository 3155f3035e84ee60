"""Spectral denoisers: one file a penalty."""

from __future__ import annotations

from functools import singledispatch

from model import Estimator, Factorised
from solver.denoisers.denoiser import Denoiser, MatrixState, denoised
from solver.denoisers.factorised import SoftThreshold
from solver.spectrum import TargetLaw

__all__ = ["Denoiser", "MatrixState", "denoised", "denoiser"]


@singledispatch
def denoiser(estimator: Estimator, law: TargetLaw) -> Denoiser:
    """The denoiser of an estimator on a target's law; a new penalty registers its own."""
    raise NotImplementedError(f"no denoiser is registered for {type(estimator).__name__}")


@denoiser.register
def _(estimator: Factorised, law: TargetLaw) -> Denoiser:
    return SoftThreshold(law=law, lam_tilde=estimator.lam_tilde)
