# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""From a penalty to its spectral denoiser, its J and its term in the free energy."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from attlas import model
from attlas.symbolic import notation as sym
from attlas.symbolic.functions import J
from attlas.symbolic.proximal import proximal


@dataclass(frozen=True)
class Denoiser:
    """What a penalty does to an eigenvalue x of S0 + delta Z.

    The learned eigenvalue is ``(m_hat/curvature) (x - threshold)``, cut at zero from below for a
    map constrained to be positive semi-definite.

    Attributes
    ----------
    learned : sympy.Expr
        The learned eigenvalue, before the cut, in terms of x and the conjugates.
    curvature : sympy.Expr
        sigma_hat plus twice the quadratic coefficient of the penalty.
    threshold : sympy.Expr
        epsilon, in units of x.
    amplitude : sympy.Expr
        The minimum of the effective problem is ``-amplitude (x - threshold)^2``.
    """

    learned: sp.Expr
    curvature: sp.Expr
    threshold: sp.Expr
    amplitude: sp.Expr


@dataclass(frozen=True)
class Estimator:
    """A penalty ``d Tr r(S)``, quadratic at most in the eigenvalues of a symmetric map, or in the
    singular values of any other.

    Attributes
    ----------
    name : str
    penalty : sympy.Expr
        r(x), in ``notation.x``, for an eigenvalue x >= 0.
    positive : bool
        Whether S is constrained to be positive semi-definite.
    description : str
    freedom : int
        Free entries of the map over d^2/2: 1 of a symmetric one, 2 of any other.
    """

    name: str
    penalty: sp.Expr
    positive: bool
    description: str
    freedom: int = 1

    @classmethod
    def of(cls, estimator: model.Estimator) -> Estimator:
        """The penalty of a problem's estimator, its coefficients as symbols."""
        shape = estimator.shape
        if shape is None:
            raise ValueError(f"{estimator.name} has no penalty")
        linear = sym.lam_tilde * sym.x if shape.thresholds else sp.Integer(0)
        quadratic = sym.lam_f * sym.x**2 / 2 if shape.quadratic else sp.Integer(0)
        return cls(
            name=estimator.name,
            penalty=linear + quadratic,
            positive=shape.positive,
            description=_described(estimator, shape),
            freedom=shape.freedom,
        )

    def denoiser(self) -> Denoiser:
        """Minimise ``freedom (sigma_hat x'^2/4 - m_hat x x'/2) + r(x')`` over the learned x'.

        Raises
        ------
        ValueError
            If the minimum is not a square in x: the penalty is not quadratic at most, and J does
            not exist in the form of theory.md section 3.
        """
        solved = proximal(self.penalty, sym.x, self.freedom * sym.sigma_hat / 2)
        field = self.freedom * sym.m_hat * sym.x / 2
        threshold = sp.simplify(solved.threshold * sym.x / field)
        amplitude = sp.simplify(-solved.value.subs(solved.field, field) / (sym.x - threshold) ** 2)
        if amplitude.has(sym.x):
            raise ValueError(f"the penalty {self.penalty} is not quadratic at most")
        return Denoiser(
            learned=sp.factor(solved.point.subs(solved.field, field)),
            curvature=sp.simplify(self.freedom * sym.m_hat**2 / (4 * amplitude)),
            threshold=threshold,
            amplitude=amplitude,
        )

    def spectral_function(self, delta: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
        """Mean of (x - epsilon)^2 over the part of the spectrum that is kept.

        Known in closed form without the constraint (second moment q0 + delta^2 for epsilon = 0);
        otherwise the undefined function J, whose law is the target's. Without the constraint J
        holds both signs of x; of a map that is not symmetric, x are singular values.
        """
        if not self.positive and epsilon == 0:
            return sym.q0 + delta**2
        return J(delta, epsilon)

    def matrix_term(self) -> sp.Expr:
        """The matrix side of the free energy, a function of (q_hat, m_hat, sigma_hat)."""
        rule = self.denoiser()
        noise_level = sp.sqrt(sym.q_hat) / sym.m_hat
        return -rule.amplitude * self.spectral_function(noise_level, rule.threshold)


def _described(estimator: model.Estimator, penalty: model.Penalty) -> str:
    what = "positive semi-definite S" if penalty.positive else "symmetric S"
    norm = "Tr S" if penalty.positive else "||S||_*"
    terms = [f"d lam_tilde {norm}"] if penalty.thresholds else []
    if not penalty.symmetric:
        what, norm = "S = W_Q W_K^T/sqrt(p d)", "||S||_*"
        terms = [f"(lam/2) (||W_Q||_F^2 + ||W_K||_F^2), at least d lam_tilde {norm},"]
    elif penalty.width is not None:
        what = "S = W W^T/sqrt(p d)"
        terms = [f"lam ||W||_F^2 = {terms[0]}"] if estimator.decays else terms
    terms += ["d (lam_f/2) ||S||_F^2"] if penalty.quadratic else []
    cut = "; J is cut at max(epsilon, omega_cut), with mass kappa above omega_cut"
    return f"{what} with {' + '.join(terms)} in the loss{cut if penalty.limited else ''}"


FACTORISED = Estimator.of(model.Factorised(1))
WIDTH_LIMITED = Estimator.of(model.WidthLimited(1))
DIRECT = Estimator.of(model.Direct(1))
DIRECT_PSD = Estimator.of(model.DirectPSD(1))
UNTIED = Estimator.of(model.Untied(1))
