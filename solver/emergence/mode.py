"""When a mode of the target detaches from the bulk and when it is recovered, and how sharply."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from scipy.optimize import brentq

from attlas.model import PowerLaw
from attlas.model.channels import channel_of
from attlas.model.errors import BadInput
from attlas.solver.emergence.modes import modes_at
from attlas.solver.emergence.state import state_at
from attlas.solver.measured import Measured
from attlas.solver.scaling.penalty import dense_limit, penalty_of
from attlas.solver.scaling.predictions import Emerging, emergence_predicted
from attlas.solver.scaling.problem import problem_at
from attlas.solver.spectrum import target_law

#: Accuracy of log n.
_TOLERANCE = 1e-5
#: How far from the prediction a root is looked for, in factors of 2.
_DOUBLINGS = 12
#: Half steps in log n of the sharpness.
_STEPS = (0.06, 0.03)


@dataclass(frozen=True)
class Emergence:
    """One mode; numbers of samples are real numbers.

    Attributes
    ----------
    mode : int
        From 1, largest eigenvalue first.
    strength : float
        Its eigenvalue.
    detaches : Measured or None
        n at which a gap of the spectrum opens below it: noise level delta at that where it does.
        None where there is no such n within a factor 4096 of the prediction.
    half : Measured or None
        n of emergence: half of the direction lies in the range of the trained map.
    sharpness : Measured or None
        d captured/d log n there.
    predicted_detaches, predicted_half, predicted_sharpness : float
        Leading order (``attlas derive scaling``).
    """

    mode: int
    strength: float
    detaches: Measured | None
    half: Measured | None
    sharpness: Measured | None
    predicted_detaches: float
    predicted_half: float
    predicted_sharpness: float


def emergence(
    target: PowerLaw, mode: int, noise: float, lam: float | None = None, tokens: int = 1
) -> Emergence:
    """When a mode emerges, factorised training.

    Parameters
    ----------
    target : PowerLaw
        With d <= 2000.
    mode : int
        1 ... d - 1.
    noise : float
        Variance of the label noise, >= 0.
    lam : float, optional
        A fixed penalty; by default lam_c(n), which the predictions are for.
    tokens : int
        1 is the linear channel, more are softmax.

    Raises
    ------
    BadInput
        For a mode that the target does not have below its last.
    """
    if not 1 <= mode < target.d:
        raise BadInput("modes", mode, f"must be 1 to {target.d - 1}", "the last has no gap below")
    predicted = leading_order(target, mode, noise, tokens)
    opening = _opening(target, mode)

    def above(log_n: float) -> float:
        n = math.exp(log_n)
        penalty = penalty_of(target, n, noise, lam, tokens)
        delta = state_at(target, n, noise, penalty, tokens).delta
        return math.log(opening / max(delta, 1e-300))

    def captured(log_n: float) -> float:
        return float(modes_at(target, math.exp(log_n), noise, lam, tokens).captured[mode - 1])

    detaches = _root(above, math.log(predicted.detaches))
    half = _root(lambda log_n: captured(log_n) - 0.5, math.log(predicted.half))
    return Emergence(
        mode=mode,
        strength=target.eigenvalues[mode - 1],
        detaches=_samples(detaches),
        half=_samples(half),
        sharpness=None if half is None else _sharpness(captured, half),
        predicted_detaches=predicted.detaches,
        predicted_half=predicted.half,
        predicted_sharpness=predicted.sharpness,
    )


def leading_order(target: PowerLaw, mode: int, noise: float, tokens: int = 1) -> Emerging:
    """What is predicted for a mode (from 1) at lam_c.

    For softmax the noise is what it amounts to for n much larger than d^2, and without noise n
    counts once for each of the D combinations of scores that labels see (theory.md section 14).
    """
    if channel_of(tokens).linear:
        return emergence_predicted(target, mode, noise)
    if noise > 0:
        return emergence_predicted(target, mode, dense_limit(target, noise, tokens).noise)
    found = emergence_predicted(target, mode, 0.0)
    seen = problem_at(target, 1.0, noise, 0.0, tokens=tokens).channel.label_rank
    return Emerging(found.detaches / seen, found.half / seen, found.sharpness)


def _opening(target: PowerLaw, mode: int) -> float:
    """The noise level at which the gap below a mode opens: delta^2 mean 1/(u - s)^2 < 1 there."""
    curvature = target_law(target).noisy(1.0).poles.curvature  # type: ignore[attr-defined]
    if mode > len(curvature):
        raise BadInput(
            "modes", mode, f"must be 1 to {len(curvature)}", "double precision merges the others"
        )
    return float(curvature[-mode]) ** -0.5


def _root(function: Callable[[float], float], start: float) -> float | None:
    """Where an increasing function of log n vanishes."""
    low = high = start
    value = function(start)
    for _ in range(_DOUBLINGS):
        if value > 0:
            high, low = low, low - math.log(2)
            value = function(low)
            if value <= 0:
                break
        else:
            low, high = high, high + math.log(2)
            value = function(high)
            if value > 0:
                break
    else:
        return None
    return float(brentq(function, low, high, xtol=_TOLERANCE / 4, rtol=1e-12))  # type: ignore[arg-type]


def _samples(log_n: float | None) -> Measured | None:
    return None if log_n is None else Measured(math.exp(log_n), _TOLERANCE * math.exp(log_n))


def _sharpness(captured: Callable[[float], float], at: float) -> Measured:
    rough, fine = (
        (captured(at + step) - captured(at - step)) / (2 * step) for step in _STEPS
    )  # fmt: skip
    value = (4 * fine - rough) / 3
    return Measured(value, abs(fine - rough) + 1e-6)
