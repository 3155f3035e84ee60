"""A penalty on the eigenvalues of the trained map, as data that every room reads."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from attlas.model.errors import BadInput
from attlas.model.exact import Number, Surd, non_negative
from attlas.model.exact import positive as above_zero


@dataclass(frozen=True, init=False)
class Penalty:
    """The penalty d Tr r(S), ``r(x) = linear |x| + quadratic x^2``, in a loss summed over samples.

    Its denoiser takes an eigenvalue x of S0 + delta Z to (m_hat/s) (x - epsilon)_+, with threshold
    epsilon = 2 linear/m_hat and curvature s = sigma_hat + 4 quadratic; of a symmetric map both
    signs are shrunk. Of a map that is not symmetric x are singular values, and both coefficients
    count half there: it has twice as many free entries.

    Parameters
    ----------
    linear : number >= 0, or Surd
        Coefficient of d ||S||_*, which is d Tr S for a positive map.
    quadratic : number >= 0
        Coefficient of d ||S||_F^2.
    positive : bool
        Whether S is positive semi-definite.
    symmetric : bool
        Whether S is symmetric; otherwise it is any d x d matrix.
    width : number > 0, optional
        p/d of the factor W in S = W W^T/sqrt(p d), or of both of S = W_Q W_K^T/sqrt(p d); None
        where the map itself is trained.
    limited : bool
        Whether the theory keeps no more than width d eigenvalues. Otherwise the width must not be
        below the rank of the solution.

    Raises
    ------
    BadInput
        For a negative coefficient, or a width of a symmetric map that is not positive.

    Notes
    -----
    theory.md sections 2, 3, 11, 13b and 19.
    """

    linear: Surd
    quadratic: Fraction
    positive: bool
    width: Fraction | None
    limited: bool
    symmetric: bool

    def __init__(
        self,
        linear: Number | Surd = 0,
        quadratic: Number = 0,
        *,
        positive: bool,
        width: Number | None = None,
        limited: bool = False,
        symmetric: bool = True,
    ) -> None:
        slope = linear if isinstance(linear, Surd) else Surd(non_negative("linear", linear))
        ratio = None if width is None else above_zero("width", width)
        if positive and not symmetric:
            raise BadInput("positive", positive, "is for maps that are symmetric")
        if ratio is not None and symmetric and not positive:
            raise BadInput("width", width, "is of a factor, whose map is positive", "leave it out")
        if limited and (ratio is None or not positive):
            raise BadInput("limited", limited, "needs a width, and a positive map")
        object.__setattr__(self, "linear", slope)
        object.__setattr__(self, "quadratic", non_negative("quadratic", quadratic))
        object.__setattr__(self, "positive", bool(positive))
        object.__setattr__(self, "width", ratio)
        object.__setattr__(self, "limited", bool(limited))
        object.__setattr__(self, "symmetric", bool(symmetric))

    @property
    def freedom(self) -> int:
        """Free entries of the map over d^2/2: 1 of a symmetric one, 2 of any other."""
        return 1 if self.symmetric else 2

    @property
    def thresholds(self) -> bool:
        """Whether eigenvalues are set to zero by a soft threshold above 0."""
        return self.linear.factor > 0

    @property
    def vanishes(self) -> bool:
        """Whether nothing is penalised: what the limit lam -> 0+ stands for."""
        return not self.thresholds and self.quadratic == 0

    @property
    def nuclear(self) -> bool:
        """Whether it is the nuclear norm of positive maps of any rank: weight decay on a factor."""
        return self.positive and self.thresholds and self.quadratic == 0 and not self.limited


def weight_decay(lam: Fraction | int, kappa: Fraction) -> Surd:
    """lam_tilde = sqrt(kappa) lam: lam ||W||_F^2 is d lam_tilde Tr S (theory.md section 2)."""
    return Surd(Fraction(lam), kappa)
