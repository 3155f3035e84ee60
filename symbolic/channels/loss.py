# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportReturnType=false
"""The loss of a channel as an expression in its scores, from the one place where it is written."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp

from attlas.model.channels import Channel
from attlas.model.channels.channel import READERS, Matrix
from attlas.symbolic import notation as sym


class Symbols:
    """The functions that losses are written in, for sympy."""

    exp, log, sqrt, tanh, cosh = sp.exp, sp.log, sp.sqrt, sp.tanh, sp.cosh
    maximum = sp.Max

    @staticmethod
    def number(value: Any) -> sp.Expr:
        return sp.Rational(str(value)) if isinstance(value, Fraction) else sp.sympify(value)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any) -> sp.Expr:
        return sp.Piecewise((yes, condition), (no, True))

    @staticmethod
    def softmax(row: Sequence[Any]) -> Sequence[Any]:
        weights = [sp.exp(score) for score in row]
        return [weight / sp.Add(*weights) for weight in weights]

    @staticmethod
    def log_softmax(row: Sequence[Any]) -> Sequence[Any]:
        total = sp.log(sp.Add(*(sp.exp(score) for score in row)))
        return [score - total for score in row]


def in_symbols(channel: Channel) -> Channel:
    """The channel with the parameters of the theory's notation as symbols."""
    copy = object.__new__(type(channel))
    for name in channel.fields():
        known = name in READERS and name != "tokens"
        value = sym.notation(name).symbol if known else getattr(channel, name)
        object.__setattr__(copy, name, value)
    return copy


def symmetric(letter: str, tokens: int) -> sp.Matrix:
    """A symmetric matrix of scores, as symbols."""

    def entry(i: int, j: int) -> sp.Symbol:
        low, high = sorted((int(i) + 1, int(j) + 1))
        return sp.Symbol(f"{letter}_{low}{high}", real=True)

    return sp.Matrix(tokens, tokens, entry)


def loss_of(channel: Channel, behind: Matrix, scores: Matrix) -> sp.Expr:
    """What scores cost beside the labels of those behind them.

    Parameters
    ----------
    channel : Channel
        Its parameters may be symbols, of :func:`in_symbols`.
    behind, scores : T x T matrix of sympy.Expr
        The teacher's scores z0 with their noise, and the student's scores h.
    """
    labels = channel.labels(behind, Symbols)
    return sp.sympify(channel.loss(labels, scores, Symbols))
