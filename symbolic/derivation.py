# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false
"""A derivation as an object: statement, assumptions, equations and steps that can be executed."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import sympy as sp

from attlas.symbolic import notation as sym
from attlas.symbolic.evaluate import evaluate

#: Digits to which a numerical check compares its two sides.
CHECK_DIGITS = 50


@dataclass(frozen=True)
class Outcome:
    """What an executed check found.

    Attributes
    ----------
    passed : bool
    how : str
        "exactly" or how many digits were compared.
    """

    passed: bool
    how: str


@dataclass(frozen=True)
class Check:
    """Something that can be executed to see that a step holds.

    Attributes
    ----------
    description : str
    run : callable returning Outcome
    """

    description: str
    run: Callable[[], Outcome]


@dataclass(frozen=True)
class Step:
    """One step: what stood before, the rule applied, what stands after.

    A step without a check is an assumption of the theory, and is labelled as one.
    """

    before: sp.Basic | str
    rule: str
    after: sp.Basic | str
    check: Check | None = None

    @property
    def is_assumption(self) -> bool:
        """Whether nothing here can be executed: the step is taken from the physics."""
        return self.check is None


@dataclass(frozen=True)
class Derivation:
    """A result of the theory with everything that leads to it.

    Attributes
    ----------
    key, title, statement : str
    equations : dict of str to sympy.Basic
        Named formulas; the numeric functions evaluate these very objects.
    assumptions : tuple of str
    steps : tuple of Step
    source : str
        Section of docs/theory.md.
    numeric : callable or None
        The number, at exact parameters, in any arithmetic.
    """

    key: str
    title: str
    statement: str
    equations: dict[str, sp.Basic]
    assumptions: tuple[str, ...]
    steps: tuple[Step, ...]
    source: str
    numeric: Callable[..., Any] | None = field(default=None, compare=False)

    def run_checks(self) -> tuple[tuple[Step, Outcome], ...]:
        """Execute every step that can be."""
        return tuple((step, step.check.run()) for step in self.steps if step.check is not None)


def exactly(
    difference: Callable[[], sp.Expr], description: str = "the two sides are identical"
) -> Check:
    """A check that an expression, built when the check runs, simplifies to zero."""

    def run() -> Outcome:
        return Outcome(bool(sp.simplify(difference()) == 0), "exactly")

    return Check(description, cache(run))


def numerically(
    left: sp.Expr,
    right: sp.Expr,
    description: str = "both sides agree at random points",
    points: int = 3,
) -> Check:
    """A check that two expressions agree to 50 digits at random points of their typical ranges."""

    def run() -> Outcome:
        names = {symbol.name for symbol in left.free_symbols | right.free_symbols}
        worst = mpmath.mpf(0)
        for seed in range(points):
            values = random_point(names, seed)
            ends = [evaluate(side, values, "mpmath", CHECK_DIGITS) for side in (left, right)]
            worst = max(worst, relative_difference(*ends))
        return digits_outcome(worst)

    return Check(description, cache(run))


def by_numbers(pairs: Callable[[], list[tuple[Any, Any]]], description: str) -> Check:
    """A check that computes pairs of numbers by two routes and compares them to 50 digits."""

    def run() -> Outcome:
        return digits_outcome(max(relative_difference(*pair) for pair in pairs()))

    return Check(description, cache(run))


def random_point(names: set[str], seed: int) -> dict[str, Fraction]:
    """Exact random values inside the typical range of each symbol."""
    generator = random.Random(seed)
    point = {}
    for name in sorted(names):
        low, high = sym.notation(name).typical
        point[name] = low + (high - low) * Fraction(generator.randint(1, 9999), 10000)
    return point


def relative_difference(left: Any, right: Any) -> Any:
    """|left - right| relative to the larger of 1 and their sizes, at their own precision."""
    with mpmath.workdps(CHECK_DIGITS + 30):
        scale = max(mpmath.mpf(1), abs(mpmath.mpmathify(left)), abs(mpmath.mpmathify(right)))
        return abs(mpmath.mpmathify(left) - mpmath.mpmathify(right)) / scale


def digits_outcome(worst: Any) -> Outcome:
    """Pass if the difference is below 10^-50."""
    passed = bool(worst < mpmath.mpf(10) ** (-CHECK_DIGITS))
    return Outcome(passed, f"to {CHECK_DIGITS} digits at random points")


def substituted(derivation: Derivation, values: Mapping[sp.Symbol, sp.Expr]) -> Derivation:
    """The same derivation with exact values put into its equations."""
    equations = {name: _put_in(e, values) for name, e in derivation.equations.items()}
    return replace(derivation, equations=equations)


def _put_in(equation: sp.Basic, values: Mapping[sp.Symbol, sp.Expr]) -> sp.Basic:
    """Substitute on both sides without letting an identity collapse to true."""
    if isinstance(equation, sp.Rel):
        sides = [side.subs(values) for side in equation.args]
        return equation.func(*sides, evaluate=False)
    return equation.subs(values)
