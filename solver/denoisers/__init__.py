"""Spectral denoisers: one file a penalty."""

from __future__ import annotations

from functools import singledispatch

from attlas.model import Direct, DirectPSD, Estimator, Factorised, WidthLimited
from attlas.solver.denoisers.denoiser import Denoiser, MatrixState, denoised
from attlas.solver.denoisers.direct import PositiveRidge, Ridge
from attlas.solver.denoisers.factorised import SoftThreshold
from attlas.solver.denoisers.width_limited import TruncatedSoftThreshold
from attlas.solver.spectrum import TargetLaw

__all__ = ["Denoiser", "MatrixState", "denoised", "denoiser"]


@singledispatch
def denoiser(estimator: Estimator, law: TargetLaw) -> Denoiser:
    """The denoiser of an estimator on a target's law; a new penalty registers its own."""
    raise NotImplementedError(f"no denoiser is registered for {type(estimator).__name__}")


@denoiser.register
def _(estimator: Factorised, law: TargetLaw) -> Denoiser:
    return SoftThreshold(law=law, lam_tilde=estimator.lam_tilde)


@denoiser.register
def _(estimator: Direct, law: TargetLaw) -> Denoiser:
    return Ridge(law=law, lam=float(estimator.lam))


@denoiser.register
def _(estimator: DirectPSD, law: TargetLaw) -> Denoiser:
    return PositiveRidge(law=law, lam=float(estimator.lam))


@denoiser.register
def _(estimator: WidthLimited, law: TargetLaw) -> Denoiser:
    return TruncatedSoftThreshold(
        law=law, lam_tilde=estimator.lam_tilde, kappa=float(estimator.kappa)
    )
