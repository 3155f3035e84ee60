"""Functions that sympy does not have: those of the free energy, and an inert imaginary part.

``J(delta, epsilon)`` differentiates to ``J1`` and ``J2``; ``M(sigma, m, q)`` to ``M_sigma``,
``M_m`` and ``M_q``. Everything else about them is supplied by a target or a channel.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from attlas.symbolic import notation as sym


class Asymptotically(sp.Eq):
    """An equation that holds to leading order in a limit: its two sides have the ratio 1 there."""


class J(sp.Function):
    """Integral of (x - epsilon)^2 over x > epsilon under the law of S0 + delta Z."""

    nargs = (2,)

    def fdiff(self, argindex: int = 1) -> Any:
        return (J1, J2)[argindex - 1](*self.args)


class J1(sp.Function):
    """Derivative of J in delta."""

    nargs = (2,)


class J2(sp.Function):
    """Derivative of J in epsilon."""

    nargs = (2,)


class M(sp.Function):
    """Mean Moreau envelope of the loss, as a function of (sigma, m, q)."""

    nargs = (3,)

    def fdiff(self, argindex: int = 1) -> Any:
        return (MSigma, MM, MQ)[argindex - 1](*self.args)


class MSigma(sp.Function):
    """Derivative of M in sigma."""

    nargs = (3,)


class MM(sp.Function):
    """Derivative of M in m."""

    nargs = (3,)


class MQ(sp.Function):
    """Derivative of M in q."""

    nargs = (3,)


class Im(sp.Function):
    """Imaginary part, left as it is (sympy's own ``im`` rewrites its argument)."""

    nargs = (1,)


class PairMean(sp.Function):
    """Mean over the label law of a sum over the independent entries a <= b of the scores."""

    nargs = (1,)


class Both(sp.Function):
    """Chance that two normal numbers of a correlation lie below x and y: ``Both(x, y, r)``."""

    nargs = (3,)

    def fdiff(self, argindex: int = 1) -> Any:
        args: Any = self.args
        x, y, r = args
        if argindex == 3:
            form = (x**2 - 2 * r * x * y + y**2) / (2 * (1 - r**2))
            return sp.exp(-form) / (2 * sp.pi * sp.sqrt(1 - r**2))
        here, other = (x, y) if argindex == 1 else (y, x)
        return normal_density(here) * normal_mass((other - r * here) / sp.sqrt(1 - r**2))


class Gain(sp.Function):
    """Mean of tanh(b u/2) ((1 + k^2 u^2) erf(k u/sqrt 2) + 2 k u phi(k u)), u normal: Gain(k)."""

    nargs = (1,)

    def fdiff(self, argindex: int = 1) -> Any:  # noqa: ARG002
        return GainSlope(*self.args)


class GainSlope(sp.Function):
    """Derivative of Gain in k: mean of tanh(b u/2) u (2 k u erf(k u/sqrt 2) + 4 phi(k u))."""

    nargs = (1,)


def normal_density(x: Any) -> sp.Expr:
    """phi(x)."""
    return sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)


def normal_mass(x: Any) -> sp.Expr:
    """Chance that a normal number lies below x."""
    return (1 + sp.erf(x / sp.sqrt(2))) / 2


_PLAIN: dict[Any, sp.Symbol] = {
    J: sym.J,
    J1: sym.J1,
    J2: sym.J2,
    M: sym.M_value,
    MSigma: sym.M_sigma,
    MM: sym.M_m,
    MQ: sym.M_q,
}


def plain(expression: sp.Expr) -> sp.Expr:
    """Write the values of J, M and their derivatives as symbols, dropping the arguments."""
    return expression.replace(  # type: ignore[return-value]
        lambda e: e.func in _PLAIN,
        lambda e: _PLAIN[e.func],
    )
