"""The training loss and its gradient, written by hand from the T x T residual."""

from verify.training.losses.misfit import LinearMisfit, Misfit, SoftmaxMisfit, misfit_of
from verify.training.losses.objective import Objective

__all__ = ["LinearMisfit", "Misfit", "Objective", "SoftmaxMisfit", "misfit_of"]
