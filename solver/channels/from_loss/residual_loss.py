"""Losses of one token that see the residual alone, with their kinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.core.relational import Relational

from attlas.model import Channel
from attlas.symbolic.channels.loss import loss_of

Array = NDArray[np.float64]

#: Residuals at which convexity is looked at, of either sign.
_TRIALS = np.concatenate([-np.logspace(6, -6, 241), np.logspace(-6, 6, 241)])
#: Distance from a kink, relative, at which its one-sided slopes are taken.
_BESIDE = 1e-13


@dataclass(frozen=True, eq=False)
class ResidualLoss:
    """l(r) of the residual r = y - h, its derivatives and its kinks.

    Attributes
    ----------
    channel : Channel
    derivatives : callable
        r of shape (N,) to l, l', l'' of shape (3, N).
    kinks : tuple of float
        Where l' or l'' jumps, in order.
    """

    channel: Channel
    derivatives: Callable[[Array], Array]
    kinks: tuple[float, ...]

    @cached_property
    def slopes(self) -> Array:
        """l' to the left and to the right of each kink, shape (2, kinks)."""
        at = np.array(self.kinks)
        width = _BESIDE * np.maximum(1.0, np.abs(at))
        return np.stack([self.derivatives(at + side * width)[1] for side in (-1, 1)])

    @cached_property
    def convex(self) -> bool:
        """Whether l is convex, as far as trials on twelve decades tell.

        Raises
        ------
        BadInput
            If a kink points upwards: no label has its proximal point near it.
        """
        low, high = self.slopes
        for place, jump in zip(self.kinks, high - low, strict=True):
            if jump < -1e-9 * (1 + abs(jump)):
                raise self.channel.fault(
                    f"the loss has a kink that points upwards at a residual of {place:.4g}",
                    "take a loss that is smooth there",
                )
        bend = self.derivatives(_TRIALS)[2]
        return bool(np.all(bend[np.isfinite(bend)] >= -1e-12))


@lru_cache(maxsize=32)
def residual_loss(channel: Channel) -> ResidualLoss | None:
    """The loss as one of the residual, or None where it sees more than that.

    Raises
    ------
    BadInput
        If the channel says that it is convex and it is not.
    """
    if channel.tokens > 1:
        return None
    r, shift = sp.Symbol("r", real=True), sp.Symbol("h", real=True)
    loss = written(channel, lambda: loss_of(channel, [[r]], [[sp.Integer(0)]]))
    moved = loss_of(channel, [[r + shift]], [[shift]])
    points = [
        {r: sp.Float(value), shift: sp.Float(value**2 - 1)} for value in (-1.3, -0.2, 0.45, 2.1)
    ]
    if any(abs(complex((loss - moved).xreplace(at).evalf())) > 1e-9 for at in points):
        return None
    # Jumps of the slope are told apart: between them its derivative has no mass points.
    bend = sp.diff(loss, r, 2).replace(sp.DiracDelta, lambda *_: sp.Integer(0))
    evaluate = numeric([r], [loss, sp.diff(loss, r), bend])
    found = ResidualLoss(
        channel, lambda at: evaluate([at]), tuple(sorted(_kinks(channel, loss, r)))
    )
    if channel.convex and not found.convex:
        raise channel.fault("it says convex = True, and its loss is not")
    return found


def written(channel: Channel, build: Callable[[], Any]) -> Any:
    """A loss in sympy.

    Raises
    ------
    BadInput
        If the channel's function does not take symbols.
    """
    try:
        return build()
    except (TypeError, AttributeError, ValueError) as error:
        raise channel.fault(
            f"its labels and loss must be written with the functions of f ({error})",
            "f.exp, f.log, f.sqrt, f.tanh, f.cosh, f.where, f.maximum, f.softmax, abs and **",
        ) from error


def numeric(symbols: list[sp.Symbol], terms: list[Any]) -> Callable[[list[Array]], Array]:
    """Several expressions as one function from arrays (N,) to an array (terms, N)."""
    function = sp.lambdify(symbols, terms, "numpy", cse=True)

    def evaluate(values: list[Array]) -> Array:
        out = np.empty((len(terms), values[0].size))
        with np.errstate(all="ignore"):
            for row, value in zip(out, function(*values), strict=True):
                row[:] = value
        return out

    return evaluate


def switches(loss: sp.Expr) -> list[Any]:
    """Expressions that vanish where a loss changes its formula."""
    found: list[Any] = [part.args[0] for part in loss.atoms(sp.Abs, sp.sign, sp.Heaviside)]
    rules: set[Any]
    for part in loss.atoms(sp.Max, sp.Min):
        first: Any = part.args[0]
        found += [first - other for other in part.args[1:]]
    for part in loss.atoms(sp.Piecewise):
        rules = set().union(*(c.atoms(Relational) for _, c in part.args))  # type: ignore[misc, union-attr]
        found += [rule.lhs - rule.rhs for rule in rules]
    return found


def _kinks(channel: Channel, loss: sp.Expr, r: sp.Symbol) -> set[float]:
    places: set[float] = set()
    for switch in switches(loss):
        try:
            roots = sp.solve(switch, r)
            places |= {float(root) for root in roots if root.is_real}
        except (NotImplementedError, TypeError) as error:
            raise channel.fault(
                f"the loss has a kink where {switch} = 0, whose place was not found",
                "write its kinks as conditions on the residual y - h itself",
            ) from error
    return places
