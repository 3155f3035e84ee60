"""The laws of the tokens' entries that the package names."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attlas.model.errors import BadInput
from attlas.model.exact import Number, exact
from attlas.model.tokens.law import LAWS, TokenLaw

if TYPE_CHECKING:
    import numpy as np

#: Excess kurtosis of entries +1 and -1, the least there is, and of tokens on a sphere.
LEAST_KURTOSIS = Fraction(-2)
#: Of the integral over log s: its trapezoidal rule is exact to 1e-13 from 0.2 on.
_STEP = 0.1


@LAWS.register
@dataclass(frozen=True)
class Gaussian(TokenLaw):
    """Independent N(0, 1) entries: the law of theory.md section 1."""

    name: ClassVar[str] = "gaussian"
    turns: ClassVar[bool] = True

    @property
    def excess_kurtosis(self) -> Fraction:
        return Fraction(0)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return rng.standard_normal(shape)


@LAWS.register
@dataclass(frozen=True)
class Rademacher(TokenLaw):
    """Independent entries +1 or -1."""

    name: ClassVar[str] = "rademacher"

    @property
    def excess_kurtosis(self) -> Fraction:
        return LEAST_KURTOSIS

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return 2.0 * rng.integers(0, 2, size=shape).astype(float) - 1.0


@LAWS.register
@dataclass(frozen=True)
class Sphere(TokenLaw):
    """z uniform on the sphere of radius sqrt(d); a covariance then gives it another length."""

    name: ClassVar[str] = "sphere"
    turns: ClassVar[bool] = True

    @property
    def excess_kurtosis(self) -> Fraction:
        return LEAST_KURTOSIS

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return of_fixed_length(rng.standard_normal(shape))


@LAWS.register
@dataclass(frozen=True)
class Normalised(Gaussian):
    """Gaussian tokens of any covariance, brought to the length sqrt(d), as models do it."""

    name: ClassVar[str] = "normalised"
    normalised: ClassVar[bool] = True

    @property
    def excess_kurtosis(self) -> Fraction:
        """That of the tokens themselves where their covariance is 1."""
        return LEAST_KURTOSIS


@LAWS.register
@dataclass(frozen=True, init=False)
class Student(TokenLaw):
    """Independent Student entries scaled to variance 1.

    Parameters
    ----------
    nu : number > 4
        Degrees of freedom; k = 6/(nu - 4).
    """

    nu: Fraction

    name: ClassVar[str] = "student"

    def __init__(self, nu: Number) -> None:
        number = exact("nu", nu)
        if number <= 4:
            raise BadInput("nu", nu, "must be greater than 4, so that the fourth moment is finite")
        object.__setattr__(self, "nu", number)

    @property
    def excess_kurtosis(self) -> Fraction:
        return 6 / (self.nu - 4)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        nu = float(self.nu)
        return rng.standard_t(nu, size=shape) * ((nu - 2) / nu) ** 0.5


@LAWS.register
@dataclass(frozen=True, init=False)
class Kurtosis(TokenLaw):
    """Independent entries 0 and +-sqrt(3 + k), of variance 1 and excess kurtosis k.

    Parameters
    ----------
    k : number >= -2
    """

    k: Fraction

    name: ClassVar[str] = "kurtosis"

    def __init__(self, k: Number) -> None:
        number = exact("k", k)
        if number < LEAST_KURTOSIS:
            raise BadInput("k", k, "must be -2 or greater: no law of variance 1 has less")
        object.__setattr__(self, "k", number)

    @property
    def excess_kurtosis(self) -> Fraction:
        return self.k

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        height = float(self.k + 3)
        signs = 2.0 * rng.integers(0, 2, size=shape) - 1.0
        return signs * (rng.random(shape) * height < 1.0) * height**0.5


@LAWS.register
@dataclass(frozen=True)
class ThreePoint(TokenLaw):
    """Independent entries 0 (probability 2/3) and +-sqrt(3): five moments are those of N(0, 1)."""

    name: ClassVar[str] = "three-point"

    @property
    def excess_kurtosis(self) -> Fraction:
        return Fraction(0)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        return 3.0**0.5 * rng.choice([-1.0, 0.0, 0.0, 0.0, 0.0, 1.0], size=shape)


def of_fixed_length(x: np.ndarray) -> np.ndarray:
    """Tokens along the last axis, brought to the length sqrt(d)."""
    return x * (x.shape[-1] / (x * x).sum(axis=-1, keepdims=True)) ** 0.5


def of_normalised(c: np.ndarray) -> np.ndarray:
    """E of d u_i^2/||u||^2 for Gaussian u of independent entries with variances c.

    1/||u||^2 is the integral of exp(-s ||u||^2) over s > 0, so that u_i^2 has the mean
    c_i (1 + 2 s c_i)^-1 prod_j (1 + 2 s c_j)^(-1/2) under it; in log s the trapezoidal rule
    converges faster than any power.
    """
    import numpy as np

    reach = np.log(1e17)
    s = np.exp(np.arange(-reach - np.log(c.max() * len(c)), reach - np.log(c.min()), _STEP))
    spread = 1 + 2 * np.outer(s, c)
    weight = s * _STEP * np.exp(-np.log(spread).sum(axis=1) / 2)
    moments = c * (weight @ (1 / spread))
    return moments * len(c) / moments.sum()
