"""The training loss and its gradient, written by hand from the T x T residual."""

from verify.losses.misfit import LinearMisfit, Misfit, SoftmaxMisfit, misfit_of
from verify.losses.objective import Objective

__all__ = ["LinearMisfit", "Misfit", "Objective", "SoftmaxMisfit", "misfit_of"]
