"""Every way to get one coefficient of an expression wrong by one per cent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

WRONG = sp.Rational(101, 100)


def mutants(expression: Any) -> Iterator[Any]:
    """Copies of an expression (or equation) with one coefficient changed.

    A coefficient is a number that multiplies or adds, or the unwritten 1 of the whole or of a
    term in a sum.
    Exponents are left alone.
    """
    if isinstance(expression, sp.Rel):
        # The left side names the quantity.
        for changed in mutants(expression.rhs):
            yield expression.func(expression.lhs, changed, evaluate=False)
        return
    seen: set[Any] = set()
    for changed in (expression * WRONG, *_changed(expression)):
        if changed != expression and changed not in seen:
            seen.add(changed)
            yield changed


def _changed(node: Any) -> Iterator[Any]:
    if isinstance(node, sp.Rational):
        yield node * WRONG
        return
    if isinstance(node, sp.Pow):
        for base in _changed(node.base):
            yield base**node.exp
        return
    for index, argument in enumerate(node.args):
        if isinstance(node, sp.Add):
            yield node - argument + argument * WRONG
        for changed in _changed(argument):
            yield node.func(*node.args[:index], changed, *node.args[index + 1 :])
