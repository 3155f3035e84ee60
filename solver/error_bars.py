"""Error bars of a solution from the same problem solved with coarser integration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from attlas.solver.solution import OBSERVABLE_KEYS, Observables

#: Keys whose relative error the tolerance of a solve is about.
ACCURACY_KEYS = ("q", "m", "sigma", "loss")
#: Relative rounding of the integrals and sums behind one evaluation of the map.
_ROUNDING = 2e-14
#: Probability that a set of samples may have and still lie between the nodes.
_UNSEEN = 1e-8
#: The response has long tails where the proximal point is about to jump: next to a jump of size
#: zero its mean converges, as the root of a lattice's spacing, and its variance does not.
_HEAVY = 10.0
#: Share of the change before the last that remains where jumps scatter.
_HIDDEN = 0.5
#: Effect of jumps, relative to the last change, that leaves the convergence to the smooth part.
_UNFELT = 0.03
#: Overlaps below this, relative to those of training without penalty, are as good as zero: next to
#: collapse they vanish, and their relative accuracy with them.
_NEGLIGIBLE = 1e-10
#: On more nodes than this, the most by which another level divides the bars where the proximal
#: point jumps (measured: 2 to 4).
_MANY_NODES, _LARGEST_GAIN = 1.5e5, 5.0
#: Levels that can be afforded from there on.
_AFFORDABLE = 2
#: Nodes beyond which the next level takes too much memory; labels as sharp as steps need many.
_MOST_NODES = 1.3e6


@dataclass(frozen=True)
class ErrorSources:
    """What limits a solution besides the integration over scores.

    Attributes
    ----------
    residual : float
        Relative residual of the fixed point.
    sensitivity : float
        Factor from a perturbation of the map to the fixed point.
    spectral : float
        Relative error of the spectral integrals.
    """

    residual: float
    sensitivity: float
    spectral: float

    @property
    def relative(self) -> float:
        """Their joint effect on the conjugates, relative."""
        return self.sensitivity * (self.residual + self.spectral + _ROUNDING)


def error_bars(levels: Sequence[Observables], sources: ErrorSources, *, exact: bool) -> Observables:
    """Absolute error bars of the last of a sequence of refinements.

    The last change bounds the error of the level before it. Where the proximal point is
    continuous the rule converges exponentially, and the bar is that change times four times its
    ratio to the change before, never less than half of it; the change is that of the key that
    changed most. Where it jumps, changes scatter: the bar is twice the change, and never less than
    half the change before. The weight of two minima is counted on nodes, and carries the
    error of counting.

    Parameters
    ----------
    levels : sequence of Observables
        The solution at successive levels of integration.
    sources : ErrorSources
    exact : bool
        Whether the channel's expectations are in closed form, so that one level is enough.
    """
    last = levels[-1]
    bars: dict[str, float] = {}
    jumps = jumping(levels)
    shared = _change(levels[-1], levels[-2]) if len(levels) > 1 else 0.0
    for key in OBSERVABLE_KEYS:
        value = getattr(last, key)
        if value is None:
            continue
        if math.isinf(value):  # as the equations say, at every level: the replicon at a cut
            bars[key] = 0.0
            continue
        bar = 4 * abs(value) * sources.relative
        if not exact:
            if len(levels) < (3 if jumps else 2):
                bar = float("inf")
            else:
                # A change that happens to be small for one key says little about that key.
                moved = abs(value - getattr(levels[-2], key))
                moved = max(moved, shared * abs(value))
                # The levels are chosen for the accuracy keys; the others converge as they may.
                caution = 1.0 if key in ACCURACY_KEYS else 2.0
                bar += caution * max(_trust(levels, key) * moved, _scatter(levels, key))
                if key == "replicon" and jumps:
                    before = abs(getattr(levels[-2], key) - getattr(levels[-3], key))
                    bar = max(bar, _HEAVY * max(moved, before))
                if key == "multi_minima_weight":
                    bar += 5 * (value * _UNSEEN) ** 0.5 + _UNSEEN
        bars[key] = bar
    return Observables(**bars)


def accurate(values: Observables, error: Observables, rtol: float) -> bool:
    """Whether q, m, sigma and the loss meet a relative tolerance (zeros are exact)."""
    return worst(values, error) <= rtol


def worst(values: Observables, error: Observables) -> float:
    """The largest relative error bar of q, m, sigma and the loss.

    Next to collapse the overlaps are compared with a floor of 1e-10 of their size without penalty.
    """
    present = values.present()
    floors = _floors(values)
    bars = [
        getattr(error, key) / max(abs(present[key]), floors.get(key, 0.0))
        for key in ACCURACY_KEYS
        if present.get(key, 0.0) != 0.0
    ]
    return max(bars, default=0.0)


def within_reach(
    levels: Sequence[Observables], error: Observables, rtol: float, remaining: int, nodes: int
) -> bool:
    """Whether finer levels may still meet a tolerance.

    Where the proximal point jumps, bars fall slowly on fine nodes, at several times the price of
    all levels before: the finest are spared where they would not be enough.

    Parameters
    ----------
    levels, error
        As for ``error_bars``, and its result.
    rtol : float
    remaining : int
        Number of finer levels.
    nodes : int
        Nodes of the last level.
    """
    if nodes > _MOST_NODES:
        return False
    if not jumping(levels) or nodes < _MANY_NODES:
        return True
    return worst(levels[-1], error) <= rtol * _LARGEST_GAIN ** min(remaining, _AFFORDABLE)


def _floors(values: Observables) -> dict[str, float]:
    if values.eta is None:  # the Bayes-optimal reference, which nothing shrinks
        return {}
    q0 = values.mse - values.q + 2 * values.m
    floors = {"q": values.eta**2 * q0, "m": values.eta * q0}
    if values.sigma_hat:
        floors["sigma"] = 1 / values.sigma_hat
    return {key: _NEGLIGIBLE * size for key, size in floors.items()}


def _change(new: Observables, old: Observables) -> float:
    """Largest relative change of the keys that the tolerance is about."""
    changes = [0.0]
    for key in ACCURACY_KEYS:
        value, before = getattr(new, key), getattr(old, key)
        if value:
            changes.append(abs(value - before) / abs(value))
    return max(changes)


def _trust(levels: Sequence[Observables], key: str) -> float:
    if len(levels) < 3 or jumping(levels):
        return 2.0
    last, before = _change(levels[-1], levels[-2]), _change(levels[-2], levels[-3])
    new, old, older = (getattr(level, key) for level in (levels[-1], levels[-2], levels[-3]))
    if before == 0 or old == older:
        return 1.0
    return min(1.0, max(0.5, 4 * last / before, 4 * abs((new - old) / (old - older))))


def jumping(levels: Sequence[Observables]) -> bool:
    """Whether jumps of the proximal point are felt beside the last change.

    They are where nodes of any level have two minima, unless their weight, times the loss of a
    whole sample, is far below that change: then it is the smooth part that still converges.
    """
    weight = max(level.multi_minima_weight or 0.0 for level in levels)
    if weight == 0 or len(levels) < 2:
        return weight > 0
    return weight > _UNFELT * _change(levels[-1], levels[-2]) * levels[-1].train_error


def _scatter(levels: Sequence[Observables], key: str) -> float:
    """What a lucky last change may hide, from the one before, of this key or of all."""
    if len(levels) < 3 or not jumping(levels):
        return 0.0
    old, older = getattr(levels[-2], key), getattr(levels[-3], key)
    return _HIDDEN * max(abs(old - older), _change(levels[-2], levels[-3]) * abs(old))
