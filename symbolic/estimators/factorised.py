"""Training of the factor W with weight decay: a nuclear norm on positive maps."""

from __future__ import annotations

from attlas.symbolic import notation as sym
from attlas.symbolic.estimators.estimator import Estimator

FACTORISED = Estimator(
    name="factorised",
    penalty=sym.lam_tilde * sym.x,
    positive=True,
    description="S = W W^T/sqrt(p d) with lam ||W||_F^2 = d lam_tilde Tr S in the loss",
)

WIDTH_LIMITED = Estimator(
    name="width-limited",
    penalty=sym.lam_tilde * sym.x,
    positive=True,
    width_limited=True,
    description=(
        "factorised training with fewer hidden units than the solution wants: J is cut at "
        "max(epsilon, omega_cut), with mass kappa above omega_cut"
    ),
)
