"""Power-law targets, and the problem of one at a real number of samples."""

from __future__ import annotations

import math
from fractions import Fraction

from attlas.model import Factorised, PowerLaw, Problem, Target
from attlas.model.channels import channel_of
from attlas.model.errors import BadInput

#: Decimal places of the last eigenvalue below the first: powers of it must not vanish.
_SMALLEST_MODE = 75


def power_law(target: object) -> PowerLaw:
    """The target of a scaling law.

    Raises
    ------
    BadInput
        If it is no power law, one rescaled by q0, or one so steep that its last modes vanish.
    """
    if not isinstance(target, Target):
        raise BadInput("target", target, "must be a power-law", "power-law:gamma=1.25,d=400")
    text, exponent, d = target.grammar(), target.power_law_exponent, target.dimension
    if exponent is None or d is None:
        raise BadInput("target", text, "must be a power-law", "power-law:gamma=1.25,d=400")
    given, target = target, PowerLaw(exponent, d)
    if given != target:
        raise BadInput("target", text, "must not be rescaled", "leave q0 out")
    steepest = _SMALLEST_MODE / math.log10(target.d)
    if target.gamma > steepest:
        raise BadInput(
            "target power-law: gamma",
            target.gamma,
            f"must be at most {steepest:.3g} at d = {target.d}",
            "the last modes would vanish in double precision",
        )
    return target


def problem_at(target: PowerLaw, n: float, noise: float, lam: float, *, tokens: int = 1) -> Problem:
    """Factorised training of a full-width student.

    Parameters
    ----------
    target : PowerLaw
    n : float
        Samples, > 0.
    noise : float
        Variance of the label noise, >= 0.
    lam : float
        Penalty, >= 0; 0 is the limit lam -> 0+.
    tokens : int
        1 is the linear channel, more are softmax with beta = beta0 = 1.

    Raises
    ------
    BadInput
        If n is not positive.
    """
    if not 0 < n < math.inf:
        raise BadInput("n", n, "must be greater than 0 and finite")
    return Problem(
        alpha=Fraction(n) / target.d**2,
        target=target,
        channel=channel_of(tokens, noise=Fraction(noise)),
        estimator=Factorised(lam=Fraction(lam)),
    )
