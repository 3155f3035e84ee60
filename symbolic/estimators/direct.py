"""Direct training of S with a Frobenius penalty, with and without the positivity constraint."""

from __future__ import annotations

from attlas.symbolic import notation as sym
from attlas.symbolic.estimators.estimator import Estimator

_FROBENIUS = sym.lam_f * sym.x**2 / 2

DIRECT = Estimator(
    name="direct",
    penalty=_FROBENIUS,
    positive=False,
    description="symmetric S with d (lam_f/2) ||S||_F^2 in the loss",
)

DIRECT_PSD = Estimator(
    name="direct-psd",
    penalty=_FROBENIUS,
    positive=True,
    description="positive semi-definite S with d (lam_f/2) ||S||_F^2 in the loss",
)
