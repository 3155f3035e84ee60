"""The training loss and its gradient, written by hand from the T x T residual."""

from attlas.verify.training.losses.misfit import (
    CrossEntropyMisfit,
    LinearMisfit,
    Misfit,
    SoftmaxMisfit,
    misfit_of,
)
from attlas.verify.training.losses.objective import Differentiable, Objective, Penalised

__all__ = [
    "CrossEntropyMisfit",
    "Differentiable",
    "LinearMisfit",
    "Misfit",
    "Objective",
    "Penalised",
    "SoftmaxMisfit",
    "misfit_of",
]
