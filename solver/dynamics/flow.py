"""The gradient flow of the population loss: all modes at once, coupled by q and m alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.model.errors import ComputationFailed
from attlas.solver.channels import PopulationLoss
from attlas.solver.dynamics.modes import Modes
from attlas.solver.dynamics.segment import NODES, Segment

Array = NDArray[np.floating]

#: Past points that the slopes are extrapolated from, at most: with more, long steps are unstable.
_PAST = 6
#: Steps after which a flow is given up: some minutes.
_MOST_STEPS = 50_000
#: The change by the corrector, over the error that is left after it.
_GAIN = 10.0
#: A step may be so much longer or shorter than the one before.
_LONGER, _SHORTER = 2.0, 0.2
#: First step, over the time in which the fastest mode grows by a factor e.
_FIRST = 1e-3
#: Corrections of one step, and when they end: at a change of log x below this, over the tolerance.
_CORRECTIONS, _SETTLED = 8, 0.05
#: Smallest tolerance that steps in double precision can meet.
_FINEST = 1e-14


@dataclass(frozen=True)
class Setting:
    """What one flow is driven by.

    Attributes
    ----------
    loss : PopulationLoss
    modes : Modes
    decay : float
        c, the weight decay in the loss per sample.
    start : float
        S = start I at t = 0.
    """

    loss: PopulationLoss
    modes: Modes
    decay: float
    start: float

    def slopes(self, x: Array) -> Array:
        """(e_q, e_m) where the eigenvalues of S are x."""
        return np.array(self.loss.slopes(*self.modes.overlaps(x)))

    def fastest(self, slopes: Array, end: float) -> float:
        """The largest rate of an eigenvalue at the start; at least one over the end."""
        in_q, in_m = np.abs(slopes)
        largest = 2 * in_q * self.start + in_m * float(self.modes.s.max()) + self.decay
        return max(2 * float(largest), 1 / end)

    def rate(self, x: Array) -> Array:
        """2 e_q x + e_m s + c: the relative speed at which each row of W shrinks."""
        in_q, in_m = self.slopes(x)
        return 2 * in_q * x + in_m * self.modes.s + self.decay


@dataclass(frozen=True)
class Path:
    """A flow from t = 0 to its end.

    Attributes
    ----------
    setting : Setting
    segments : tuple of Segment
    evaluations : int
        Of the slopes.
    """

    setting: Setting
    segments: tuple[Segment, ...]
    evaluations: int

    def at(self, times: Array) -> Array:
        """Eigenvalues of S, shape (times, M)."""
        begins = np.array([one.begin for one in self.segments])
        where = np.maximum(np.searchsorted(begins, times, side="left") - 1, 0)
        return np.array(
            [self.within(self.segments[i], t) for i, t in zip(where, times, strict=True)]
        )

    def within(self, segment: Segment, t: float) -> Array:
        """Eigenvalues at a time of a segment."""
        share = min((t - segment.begin) / segment.length, 1.0)
        return np.exp(segment.after(share, self.setting.modes.s, self.setting.decay))


def flow(setting: Setting, end: float, tolerance: float) -> Path:
    """Follow dS/dt = -4 e_q S^2 - e_m (S0 S + S S0) - 2 c S from S = start I.

    Only the two slopes are unknown functions of time. They are extrapolated from the steps before
    as polynomials, each mode follows them exactly, and the slopes that its end gives correct the
    polynomials, twice. So modes that are learned already do not bound the step.

    Parameters
    ----------
    setting : Setting
    end : float > 0
    tolerance : float > 0
        Of the logarithm of an eigenvalue in a step.

    Raises
    ------
    ComputationFailed
        If it takes more steps than :data:`_MOST_STEPS`, or leaves double precision.

    Notes
    -----
    theory.md section 20.
    """
    tolerance = max(tolerance, _FINEST)
    log_x = np.full(setting.modes.s.size, np.log(setting.start))
    times, slopes = [0.0], [setting.slopes(np.exp(log_x))]
    step, segments, corrector = (
        min(end, _FIRST / setting.fastest(slopes[0], end)),
        [],
        _Corrector(setting),
    )
    for _ in range(_MOST_STEPS):
        begin = times[-1]
        if begin >= end:
            return Path(setting, tuple(segments), corrector.evaluations)
        stop = end if begin + step > (1 - 1e-12) * end else begin + step
        past = _Past(times[-_PAST:], slopes[-_PAST:], begin, stop, log_x)
        found = corrector.solve(past, tolerance)
        change = np.inf if found is None else found.change / _GAIN
        order = min(len(times), _PAST) + 1
        factor = 0.9 * (tolerance / max(change, 1e-300)) ** (1 / order)
        if found is None or change > tolerance:
            step *= max(_SHORTER, min(factor, 0.5))
            if step < 1e-14 * end:
                break
            continue
        segments.append(found.segment)
        times.append(stop)
        slopes.append(found.slopes)
        log_x = found.log_x
        step = (stop - begin) * min(_LONGER, max(_SHORTER, factor))
    raise ComputationFailed(
        "The flow cannot be followed so far: give an earlier `t`, or a larger `rtol`."
    )


@dataclass(frozen=True)
class _Past:
    """What a step starts from: slopes at the times before, and log x at its beginning."""

    times: list[float]
    slopes: list[Array]
    begin: float
    end: float
    log_x: Array

    def segment(self, new: Array | None) -> Segment:
        """The step with the slopes' polynomial, through new ones at its end if there are any."""
        length = self.end - self.begin
        times = np.array(self.times if new is None else [*self.times, self.end])
        known = np.array(self.slopes if new is None else [*self.slopes, new])
        scaled = (times - self.begin) / length
        gaps = scaled[:, None] - scaled
        np.fill_diagonal(gaps, 1.0)
        ratio = (1 / np.prod(gaps, axis=1)) / (NODES[:, None] - scaled)
        at_nodes = (ratio @ known) / ratio.sum(axis=1, keepdims=True)
        return Segment(self.begin, length, self.log_x, at_nodes)


@dataclass(frozen=True)
class _Corrected:
    """A step that agrees with the slopes at its end.

    Attributes
    ----------
    change : float
        How far the extrapolated slopes had led from it, in log x.
    """

    segment: Segment
    slopes: Array
    log_x: Array
    change: float


class _Corrector:
    """Finds slopes at the end of a step that are those of the map they lead to.

    Broyden's method in the two slopes; what it has learned of their response is kept from step to
    step. Where learned modes follow at once, the response does not vanish with the step.

    Attributes
    ----------
    evaluations : int
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._inverse = np.eye(2)
        self.evaluations = 1

    def solve(self, past: _Past, tolerance: float) -> _Corrected | None:
        """The corrected step, or None where it is not found soon."""
        setting = self._setting
        first = past.segment(None)
        log_first = log_x = self._after(first)
        slopes = first.slopes_after(np.ones(1))[0]
        moves, misses = [], []
        for _ in range(_CORRECTIONS):
            self.evaluations += 1
            misses.append(setting.slopes(np.exp(log_x)) - slopes)
            if moves:
                self._learn(moves[-1], misses[-1] - misses[-2])
            moves.append(self._inverse @ misses[-1])
            slopes = slopes + moves[-1]
            segment = past.segment(slopes)
            before, log_x = log_x, self._after(segment)
            moved = float(np.abs(log_x - before).max())
            if not np.isfinite(moved):
                break
            if moved <= _SETTLED * tolerance:
                change = float(np.abs(log_x - log_first).max())
                return _Corrected(segment, slopes, log_x, change)
        self._inverse = np.eye(2)
        return None

    def _after(self, segment: Segment) -> Array:
        return segment.after(1.0, self._setting.modes.s, self._setting.decay)

    def _learn(self, move: Array, response: Array) -> None:
        """Broyden's update of the inverse of -d(miss)/d(slopes)."""
        back = self._inverse @ -response
        scale = float(move @ back)
        if abs(scale) > 1e-3 * float(move @ move):
            self._inverse = self._inverse + np.outer(move - back, move @ self._inverse) / scale


def descent(setting: Setting, step: float, at: NDArray[np.int64]) -> Array:
    """Gradient descent with a step size: x -> x (1 - step (2 e_q x + e_m s + c))^2.

    Parameters
    ----------
    setting : Setting
    step : float > 0
        In units of t.
    at : array of int
        Numbers of steps wanted, increasing.

    Returns
    -------
    array, shape (len(at), M)

    Raises
    ------
    ComputationFailed
        If it diverges.
    """
    x = np.full(setting.modes.s.size, setting.start)
    found, done = [], 0
    for wanted in at:
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(wanted - done):
                x = x * (1 - step * setting.rate(x)) ** 2
                if not np.all(x < 1e100):
                    raise ComputationFailed(
                        f"Gradient descent diverges after {len(found)} of the times asked for: "
                        "lower `step`."
                    )
        done = int(wanted)
        found.append(x)
    return np.array(found)
