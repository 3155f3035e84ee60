"""The arithmetics in which an expression can be evaluated: float64, mpmath and arb balls."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import flint
import mpmath
import numpy as np
from mpmath.libmp import from_man_exp

#: Digits carried beyond those asked for.
GUARD_DIGITS = 12

# flint keeps one precision per process: evaluations in arb take turns.
_FLINT_LOCK = threading.RLock()


class Arithmetic(ABC):
    """A number system: how to read exact numbers, and its elementary functions.

    Principal branches throughout. Sums, products and integer powers are Python's operators.
    """

    name: str
    digits: int
    functions: dict[str, Callable[..., Any]]

    @abstractmethod
    def ratio(self, top: int, bottom: int) -> Any:
        """The fraction top/bottom."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """Convert an input: exact numbers, strings and numbers of this arithmetic."""

    @abstractmethod
    def power(self, base: Any, exponent: Any) -> Any:
        """base**exponent for an exponent that is not a whole number."""

    @abstractmethod
    def constant(self, name: str) -> Any:
        """One of pi, e, i."""

    @abstractmethod
    def finish(self, value: Any) -> Any:
        """The result handed to the caller."""

    @contextmanager
    def precision(self) -> Iterator[None]:
        """The block in which numbers are combined at this arithmetic's precision."""
        yield


class Float64(Arithmetic):
    """Double precision, elementwise on numpy arrays."""

    name = "float64"
    digits = 16

    def __init__(self) -> None:
        self.functions = {
            "exp": np.exp, "log": np.emath.log, "sin": np.sin, "cos": np.cos, "tan": np.tan,
            "asin": np.emath.arcsin, "acos": np.emath.arccos, "atan": np.arctan,
            "cosh": np.cosh, "sinh": np.sinh, "tanh": np.tanh,
            "erf": _erf, "Abs": np.abs, "sign": np.sign, "arg": np.angle, "re": np.real,
            "im": np.imag, "Im": np.imag, "conjugate": np.conj, "Max": np.maximum,
            "Min": np.minimum,
        }  # fmt: skip

    def ratio(self, top: int, bottom: int) -> Any:
        return top / bottom

    def read(self, value: Any) -> Any:
        if isinstance(value, (str, Fraction)):
            return float(Fraction(value))
        if isinstance(value, (np.ndarray, complex, float, int, np.generic)):
            return value
        return complex(value) if _is_complex(value) else float(value)

    def power(self, base: Any, exponent: Any) -> Any:
        return np.emath.power(base, exponent)

    def constant(self, name: str) -> Any:
        return {"pi": np.pi, "e": np.e, "i": 1j}[name]

    def finish(self, value: Any) -> Any:
        return value


class Mpmath(Arithmetic):
    """Any number of digits, without error bounds. Each instance has its own precision."""

    name = "mpmath"

    def __init__(self, digits: int) -> None:
        # A private context: a thread at another precision cannot change this one.
        context: Any = mpmath.MPContext()  # type: ignore[attr-defined]
        self.digits = digits
        context.dps = digits + GUARD_DIGITS
        self.context = context
        self.functions = {
            "exp": context.exp, "log": context.log, "sin": context.sin, "cos": context.cos,
            "tan": context.tan, "asin": context.asin, "acos": context.acos, "atan": context.atan,
            "cosh": context.cosh, "sinh": context.sinh, "tanh": context.tanh,
            "erf": context.erf, "Abs": abs, "sign": context.sign, "arg": context.arg,
            "re": context.re, "im": context.im, "Im": context.im,
            "conjugate": context.conj, "Max": max, "Min": min,
        }  # fmt: skip

    def ratio(self, top: int, bottom: int) -> Any:
        return self.context.mpf(top) / bottom

    def read(self, value: Any) -> Any:
        if isinstance(value, str):
            value = Fraction(value)
        if isinstance(value, Fraction):
            return self.ratio(value.numerator, value.denominator)
        if isinstance(value, (flint.arb, flint.acb)):
            return to_mpmath(value, self.context)
        if _is_complex(value):
            return self.context.mpc(value)
        return self.context.mpf(value)

    def power(self, base: Any, exponent: Any) -> Any:
        return self.context.power(base, exponent)

    def constant(self, name: str) -> Any:
        return {"pi": +self.context.pi, "e": +self.context.e, "i": self.context.mpc(0, 1)}[name]

    def finish(self, value: Any) -> Any:
        if isinstance(value, self.context.mpc):
            return mpmath.mp.make_mpc(value._mpc_)
        return mpmath.mp.make_mpf(self.context.mpf(value)._mpf_)


class Arb(Arithmetic):
    """Balls that contain the exact value: every result carries its own proven error."""

    name = "arb"

    def __init__(self, digits: int) -> None:
        self.digits = digits
        self.bits = int((digits + GUARD_DIGITS) * 3.3219280949) + 8
        both = _real_or_complex
        self.functions = {
            **{key: both(key) for key in ("exp", "sin", "cos", "tan", "atan", "cosh", "sinh")},
            "tanh": both("tanh"), "erf": both("erf"), "log": _arb_log,
            "asin": both("asin"), "acos": both("acos"), "Abs": abs,
            "sign": lambda v: flint.acb(v).real_sgn().real,
            "arg": lambda v: flint.acb(v).arg(),
            "re": lambda v: flint.acb(v).real, "im": lambda v: flint.acb(v).imag,
            "Im": lambda v: flint.acb(v).imag,
            "conjugate": lambda v: flint.acb(v).conjugate(),
            "Max": lambda left, right: flint.arb(left).max(flint.arb(right)),
            "Min": lambda left, right: flint.arb(left).min(flint.arb(right)),
        }  # fmt: skip

    def ratio(self, top: int, bottom: int) -> Any:
        return flint.arb(flint.fmpq(top, bottom))

    def read(self, value: Any) -> Any:
        if isinstance(value, (flint.arb, flint.acb)):
            return value
        if isinstance(value, (str, Fraction)):
            exact = Fraction(value)
            return self.ratio(exact.numerator, exact.denominator)
        if _is_complex(value):
            return flint.acb(self.read(value.real), self.read(value.imag))
        if hasattr(value, "_mpf_"):
            return flint.arb(mpmath.mp.make_mpf(value._mpf_))
        return flint.arb(value)

    def power(self, base: Any, exponent: Any) -> Any:
        if isinstance(base, flint.arb) and not base >= 0:
            base = flint.acb(base)
        return base**exponent

    def constant(self, name: str) -> Any:
        if name == "i":
            return flint.acb(0, 1)
        return flint.arb.pi() if name == "pi" else flint.arb.const_e()

    def finish(self, value: Any) -> Any:
        if isinstance(value, flint.acb) and value.imag.is_zero():
            return value.real
        return value

    @contextmanager
    def precision(self) -> Iterator[None]:
        with _FLINT_LOCK:
            before = flint.ctx.prec
            flint.ctx.prec = self.bits
            try:
                yield
            finally:
                flint.ctx.prec = before


def arithmetic_named(name: str, digits: int) -> Arithmetic:
    """The arithmetic called float64, mpmath or arb.

    Raises
    ------
    ValueError
        For any other name.
    """
    if name == "float64":
        return Float64()
    if name == "mpmath":
        return Mpmath(digits)
    if name == "arb":
        return Arb(digits)
    raise ValueError(f"arithmetic = {name!r} is not valid: float64, mpmath or arb")


def _erf(value: Any) -> Any:
    from scipy.special import erf

    return erf(value)


def _real_or_complex(name: str) -> Callable[[Any], Any]:
    def apply(value: Any) -> Any:
        return getattr(value, name)()

    return apply


def _arb_log(value: Any) -> Any:
    if isinstance(value, flint.arb) and not value > 0:
        value = flint.acb(value)
    return value.log()


def to_mpmath(value: Any, context: Any) -> Any:
    """The midpoint of a ball, without rounding, as a number of an mpmath context."""
    if isinstance(value, flint.acb):
        return context.mpc(to_mpmath(value.real, context), to_mpmath(value.imag, context))
    mantissa, exponent = flint.arb(value).mid().man_exp()
    return context.make_mpf(from_man_exp(int(mantissa), int(exponent)))


def _is_complex(value: Any) -> bool:
    if hasattr(value, "_mpc_"):
        return True
    return isinstance(value, (complex, np.complexfloating))
