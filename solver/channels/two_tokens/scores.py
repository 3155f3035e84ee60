"""The two score differences that a two-token label sees, and their covariance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.kernel import ScoreTokens

Array = NDArray[np.floating]

#: Parts of what is added to the variance of diagonal scores that add to the strengths of u + v and
#: of u - v: 2 over 8, and 2 over 4.
SHARES = (0.25, 0.5)


@dataclass(frozen=True)
class Both:
    """A number for u + v and one for u - v: a matrix that the exchange of tokens leaves alone."""

    plus: float
    minus: float

    def __mul__(self, pair: Array) -> Array:
        """The matrix applied to a pair (u, v)."""
        if self.plus == self.minus:
            return self.plus * pair
        return (self.plus + self.minus) / 2 * pair + (self.plus - self.minus) / 2 * pair[::-1]

    def __iter__(self) -> Iterator[float]:
        return iter((self.plus, self.minus))


@dataclass(frozen=True)
class ScorePair:
    """u = h11 - h12 and v = h22 - h12 with covariance proportional to C = [[c, x], [x, c]].

    Exchange of the tokens leaves it as it is: u + v and u - v are independent.

    Parameters
    ----------
    diagonal : float
        c, 3 in the theory (theory.md section 4): the off-diagonal score's variance 1 plus the
        diagonal score's variance 2.
    cross : float
        x, 1 unless positions are correlated.
    noise : Both
        Variance of label noise over that of scores, relative to independent positions.
    teacher : float
        What tokens add to the variance of the teacher's diagonal scores.

    Notes
    -----
    theory.md section 17.
    """

    diagonal: float = 3.0
    cross: float = 1.0
    noise: Both = Both(1.0, 1.0)
    teacher: float = 0.0

    @classmethod
    def of(cls, plus: float, minus: float) -> ScorePair:
        """From the eigenvalues, along u + v and along u - v."""
        return cls((plus + minus) / 2, (plus - minus) / 2)

    @property
    def eigenvalues(self) -> tuple[float, float]:
        """Along u + v and along u - v."""
        return self.diagonal + self.cross, self.diagonal - self.cross

    @property
    def axes(self) -> tuple[float, float]:
        """Standard deviations of (u + v)/2 and (u - v)/2."""
        plus, minus = self.eigenvalues
        return (plus / 2) ** 0.5, (minus / 2) ** 0.5

    @classmethod
    def of_tokens(cls, tokens: ScoreTokens) -> ScorePair:
        """At correlation r of positions u + v has the variance 8 (1 - r)^2, u - v 4 (1 - r^2)."""
        r = tokens.positions[0][1] if tokens.positions else 0.0
        plus, minus = 4 * (1 - r) ** 2, 2 * (1 - r * r)
        return replace(cls.of(plus, minus), noise=Both(4 / plus, 2 / minus), teacher=tokens.teacher)

    def strengths(self, value: float, added: float) -> Both:
        """Of an overlap along u + v and u - v, with what tokens add on the diagonal."""
        return Both(*(value + share * added for share in SHARES))

    def signals(self, signal: float, noise: float) -> Both:
        """Of the scores behind the labels; Q = Q0 + noise/2 for the usual tokens."""
        added, half = self.strengths(signal, self.teacher), noise / 2
        return Both(
            added.plus + (self.noise.plus - 1) * half, added.minus + (self.noise.minus - 1) * half
        )

    def of_labels(self, signals: Both, signal: float) -> ScorePair:
        """The covariance of the scores behind the labels, over ``signal``."""
        if signals == Both(signal, signal):
            return self
        along, across = self.eigenvalues
        return ScorePair.of(along * signals.plus / signal, across * signals.minus / signal)

    def difference(self, strengths: Both) -> float:
        """Of u alone: what (u, v) of such strengths has for c times its own."""
        along, across = self.eigenvalues
        return (along * strengths.plus + across * strengths.minus) / (along + across)

    def unwhiten(self, first: Array, second: Array) -> Array:
        """Independent unit normals to a pair (u, v) of covariance C."""
        plus, minus = self.axes
        return np.stack([plus * first + minus * second, plus * first - minus * second])

    def times_covariance(self, pair: Array) -> Array:
        """C applied to a pair."""
        c, x = self.diagonal, self.cross
        return np.stack([c * pair[0] + x * pair[1], x * pair[0] + c * pair[1]])

    def squared_length(self, pair: Array) -> Array:
        """pair^T C^-1 pair."""
        # As a sum of squares: it does not cancel.
        along, across = self.eigenvalues
        plus, minus = pair[0] + pair[1], pair[0] - pair[1]
        plus *= plus
        minus *= minus
        plus *= 0.5 / along
        minus *= 0.5 / across
        plus += minus
        return plus


#: The covariance of theory.md section 4.
THEORY = ScorePair()
