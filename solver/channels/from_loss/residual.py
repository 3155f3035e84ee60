"""Expectations of one token's convex loss of the residual: integrals over one variable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import cubature
from scipy.optimize import brentq

from attlas.model import Channel
from attlas.model.channels import label_strength
from attlas.model.errors import ComputationFailed
from attlas.solver.channels.from_loss.residual_loss import ResidualLoss
from attlas.solver.channels.kernel import USUAL, ChannelMoments, ScoreTokens, TestErrors
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.float64]

#: Relative accuracy of the integrals at each level.
_LEVELS = (1e-10, 1e-12, 1e-13)
#: Standard deviations beyond which a normal variable has no weight in double precision.
_REACH = 9.0
#: Smallest strength of the residual: its powers must not vanish.
_SMALLEST = 1e-60


@dataclass(frozen=True)
class _Piece:
    """A stretch of residuals e = y - omega, by a coordinate on which all is smooth.

    Attributes
    ----------
    low, high : float
    kink : float or None
        Where the proximal residual stays; then the coordinate is e itself, else the proximal
        residual r, with e = r + 2 sigma l'(r): no proximal problem needs to be solved.
    """

    low: float
    high: float
    kink: float | None = None


@dataclass(frozen=True)
class ResidualKernel:
    """One token, a convex loss l(r) of r = y - h: M is a mean over e = y - omega.

    e is normal of variance 2 V, V = Q - 2m + q, and M depends on q and m through V alone.

    Parameters
    ----------
    channel : Channel
    loss : ResidualLoss
    """

    channel: Channel
    loss: ResidualLoss
    tokens: ScoreTokens = USUAL

    @property
    def finest(self) -> int:
        return len(_LEVELS) - 1

    @property
    def scale(self) -> float:
        return float(self.channel.scale)

    def nodes(self, signal: float, level: int) -> int:  # noqa: ARG002
        return 21 * 2 * (level + 1) * (1 + len(self.loss.kinks))

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        if overlaps.mse is None:
            variance = signal - 2 * overlaps.m + overlaps.q
        else:
            variance = label_strength(overlaps.mse, float(self.channel.noise))
        variance += self._revealed(overlaps.revealed)
        return _moments(self, overlaps.sigma, max(variance, _SMALLEST), level)

    def with_tokens(self, tokens: ScoreTokens) -> ResidualKernel:
        return replace(self, tokens=tokens)

    def _revealed(self, revealed: tuple[float, float]) -> float:
        """Half of what tokens add to the variance of teacher's less student's score."""
        own, shared = revealed
        return (self.tokens.teacher - 2 * shared + own) / 2

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        clean = q0 - 2 * m + q if mse is None else mse
        clean += self._revealed(revealed)
        noisy = label_strength(clean, float(self.channel.noise))
        return TestErrors(*(_mean_loss(self, max(v, _SMALLEST)) for v in (noisy, clean)))

    def _pieces(self, sigma: float, reach: float) -> Iterator[_Piece]:
        """The stretches of |e| <= reach, kinks apart."""
        pulls = 2 * sigma * self.loss.slopes
        kinks = [*zip(self.loss.kinks, *pulls, strict=True), (np.inf, 0.0, 0.0)]
        start, begin = -np.inf, -np.inf
        for kink, low, high in kinks:
            left, right = kink + low, kink + high
            if begin < reach and left > -reach:
                yield _Piece(
                    self._at(-reach, sigma) if begin < -reach else start,
                    self._at(reach, sigma) if left > reach else kink,
                )
            yield _Piece(max(left, -reach), min(right, reach), kink)
            start, begin = kink, right

    def _at(self, e: float, sigma: float) -> float:
        """The proximal residual of e, to the accuracy that an end of integration needs."""

        def miss(r: float) -> float:
            return r + 2 * sigma * self.loss.derivatives(np.array([r]))[1, 0] - e

        width = max(1.0, abs(e))
        while not (miss(-width) <= 0 <= miss(width)):
            width *= 2
            if not np.isfinite(width):
                raise ComputationFailed(
                    f"The loss of the {self.channel.name} channel has no proximal point at a "
                    f"residual of {e:.3g}: it must be finite there."
                )
        return brentq(miss, -width, width, xtol=1e-14 * abs(e))  # type: ignore[return-value]


@lru_cache(maxsize=32)
def _moments(kernel: ResidualKernel, sigma: float, variance: float, level: int) -> ChannelMoments:
    deviation = (2 * variance) ** 0.5
    total = np.zeros(5)
    for piece in kernel._pieces(sigma, _REACH * deviation):
        total += _integral(_integrand(kernel.loss, sigma, piece), piece, deviation, _LEVELS[level])
    energy, pull, along, loss, response = (float(value) for value in total)
    slope = along / (2 * variance)
    return ChannelMoments(
        energy=energy,
        d_sigma=-pull,
        d_m=-2 * slope,
        d_q=slope,
        train_error=loss,
        response=response,
        multi_minima_weight=0.0,
        d_own=slope / 2,
        d_shared=-slope,
    )


@lru_cache(maxsize=32)
def _mean_loss(kernel: ResidualKernel, variance: float) -> float:
    deviation = (2 * variance) ** 0.5
    values = [
        _integral(
            lambda e: (e, np.ones_like(e), kernel.loss.derivatives(e)[:1]),
            piece,
            deviation,
            _LEVELS[-1],
        )
        for piece in kernel._pieces(0.0, _REACH * deviation)
    ]
    return float(np.sum(values))


_Integrand = Callable[[Array], tuple[Array, Array, Array]]


def _integrand(loss: ResidualLoss, sigma: float, piece: _Piece) -> _Integrand:
    """e, its rate and the five integrands (5, N) at places of a stretch."""

    def smooth(r: Array) -> tuple[Array, Array, Array]:
        value, pull, bend = loss.derivatives(r)
        e, rate = r + 2 * sigma * pull, 1 + 2 * sigma * bend
        return e, rate, _rows(value, pull, e, bend / rate)

    def held(e: Array) -> tuple[Array, Array, Array]:
        assert piece.kink is not None
        value = np.full_like(e, loss.derivatives(np.array([piece.kink]))[0, 0])
        pull = (e - piece.kink) / (2 * sigma)
        return e, np.ones_like(e), _rows(value, pull, e, np.full_like(e, 1 / (2 * sigma)))

    def _rows(value: Array, pull: Array, e: Array, response: Array) -> Array:
        squared = pull * pull
        return np.stack([value + sigma * squared, squared, pull * e, value, 4 * response**2])

    return smooth if piece.kink is None else held


def _integral(integrand: _Integrand, piece: _Piece, deviation: float, rtol: float) -> Array:
    def density(t: Array) -> Array:
        e, rate, rows = integrand(t[:, 0])
        weight = rate * np.exp(-0.5 * (e / deviation) ** 2) / ((2 * np.pi) ** 0.5 * deviation)
        return (rows * weight).T

    if not piece.low < piece.high:
        return np.zeros(1)
    middle = [0.0] if piece.low < 0 < piece.high else []
    ends = [piece.low, *middle, piece.high]
    parts = [
        cubature(density, [low], [high], rule="gk21", rtol=rtol).estimate
        for low, high in pairwise(ends)
    ]
    return np.sum(parts, axis=0)
