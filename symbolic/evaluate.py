# sympy's own annotations are narrower than what its functions return.
# pyright: reportGeneralTypeIssues=false
"""One visitor over sympy trees, for every arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sympy as sp

from attlas.symbolic.arithmetic import Arithmetic, arithmetic_named


class Evaluator:
    """Evaluates an expression tree in a given context.

    Parameters
    ----------
    arithmetic : Arithmetic
    values : mapping of symbol name to number
        Numbers of the arithmetic; exact numbers are converted without rounding first.
    functions : mapping of function name to callable, optional
        Meaning of undefined functions such as J, in the same arithmetic.
    """

    def __init__(
        self,
        arithmetic: Arithmetic,
        values: Mapping[str, Any],
        functions: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.arithmetic = arithmetic
        self.values = {name: arithmetic.read(value) for name, value in values.items()}
        self.functions = {**arithmetic.functions, **(functions or {})}
        self._known: dict[sp.Basic, Any] = {}

    def __call__(self, node: sp.Basic) -> Any:
        """The value of a node; equal subtrees are evaluated once."""
        if node not in self._known:
            self._known[node] = self._visit(node)
        return self._known[node]

    def _visit(self, node: sp.Basic) -> Any:
        if isinstance(node, sp.Symbol):
            return self._symbol(node)
        if isinstance(node, sp.Rational):
            return self.arithmetic.ratio(int(node.p), int(node.q))
        if isinstance(node, sp.NumberSymbol | sp.core.numbers.ImaginaryUnit):
            return self._constant(node)
        if isinstance(node, sp.Add):
            return self._fold(node, lambda left, right: left + right)
        if isinstance(node, sp.Mul):
            return self._fold(node, lambda left, right: left * right)
        if isinstance(node, sp.Pow):
            return self._power(node)
        if isinstance(node, sp.Piecewise):
            return self._piecewise(node)
        if isinstance(node, sp.Function | sp.Max | sp.Min):
            return self._function(node)
        raise TypeError(f"no evaluation for {type(node).__name__}: {node}")

    def _symbol(self, node: sp.Symbol) -> Any:
        if node.name not in self.values:
            raise KeyError(f"no value was given for the symbol {node.name}")
        return self.values[node.name]

    def _constant(self, node: sp.Basic) -> Any:
        names = {sp.pi: "pi", sp.E: "e", sp.I: "i"}
        return self.arithmetic.constant(names[node])

    def _fold(self, node: sp.Basic, combine: Callable[[Any, Any], Any]) -> Any:
        result = self(node.args[0])
        for argument in node.args[1:]:
            result = combine(result, self(argument))
        return result

    def _power(self, node: sp.Pow) -> Any:
        base = self(node.base)
        if isinstance(node.exp, sp.Integer):
            count = int(node.exp)
            return base**count if count >= 0 else 1 / base ** (-count)
        return self.arithmetic.power(base, self(node.exp))

    def _piecewise(self, node: sp.Piecewise) -> Any:
        for value, condition in node.args:
            if condition == sp.true or self._holds(condition):
                return self(value)
        raise ValueError(f"no branch of {node} applies")

    def _holds(self, condition: sp.Basic) -> bool:
        if not isinstance(condition, sp.core.relational.Relational):
            raise TypeError(f"no evaluation for the condition {condition}")
        left, right = self(condition.args[0]), self(condition.args[1])
        compare = {
            sp.Lt: lambda: left < right, sp.Le: lambda: left <= right,
            sp.Gt: lambda: left > right, sp.Ge: lambda: left >= right,
        }  # fmt: skip
        return bool(compare[type(condition)]())

    def _function(self, node: sp.Basic) -> Any:
        name = type(node).__name__
        if name not in self.functions:
            raise KeyError(f"no meaning was given for the function {name}")
        arguments = [self(argument) for argument in node.args]
        if name in ("Max", "Min"):
            result = arguments[0]
            for argument in arguments[1:]:
                result = self.functions[name](result, argument)
            return result
        return self.functions[name](*arguments)


def evaluate(
    expression: sp.Basic,
    values: Mapping[str, Any],
    arithmetic: str = "float64",
    digits: int = 50,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """The number that an expression stands for.

    Parameters
    ----------
    expression : sympy.Basic
    values : mapping of str to number
        One value per free symbol, by name. Exact numbers (int, Fraction, decimal or fraction
        strings) keep their exact meaning; with ``float64``, numpy arrays evaluate elementwise.
    arithmetic : {"float64", "mpmath", "arb"}
    digits : int
        Working precision of mpmath and arb, before guard digits. Ignored for float64.
    functions : mapping, optional
        Meaning of undefined functions, in the same arithmetic.

    Returns
    -------
    float, complex or ndarray; mpmath.mpf or mpc; flint.arb or acb (a ball that contains the value)

    Raises
    ------
    KeyError
        If a symbol or function has no value.
    """
    numbers = arithmetic_named(arithmetic, digits)
    with numbers.precision():
        return numbers.finish(Evaluator(numbers, values, functions)(expression))
