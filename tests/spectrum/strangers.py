"""Targets as a user writes them, outside the package."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from attlas.model.targets import Target, Wishart


@dataclass(frozen=True)
class Marchenko(Target):
    """Marchenko-Pastur of ratio c, of mean 1; Wishart(1/c) times sqrt(c)."""

    c: Fraction

    name = "marchenko"

    def r_transform(self, g: Any) -> Any:
        return 1 / (1 - self.c * g)


@dataclass(frozen=True)
class Sum(Target):
    """A free sum of two Wishart maps."""

    one: Fraction
    two: Fraction

    name = "sum"

    def r_transform(self, g: Any) -> Any:
        return Wishart(self.one).r_transform(g) + Wishart(self.two).r_transform(g)


@dataclass(frozen=True)
class Steps(Target):
    """Equally spaced eigenvalues."""

    d: Fraction

    name = "steps"

    @property
    def eigenvalues(self) -> tuple[float, ...]:
        return tuple(np.arange(1, int(self.d) + 1) / float(self.d))


@dataclass(frozen=True)
class Own(Target):
    """Wishart by another name, with its own teachers."""

    ratio: Fraction

    name = "own"

    def r_transform(self, g: Any) -> Any:
        return Wishart(self.ratio).r_transform(g)

    def draw(self, d: int, rng: np.random.Generator) -> np.ndarray:
        p = round(float(self.ratio) * d)
        w = rng.standard_normal((d, p))
        return w @ w.T / np.sqrt(p * d)
