"""Error bars from independent randomisations of a channel's integrals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from attlas.solver.channels.kernel import ReplicatedKernel
from attlas.solver.error_bars import ACCURACY_KEYS, ErrorSources
from attlas.solver.fixed_point import FixedPoint
from attlas.solver.observe import observe
from attlas.solver.solution import OBSERVABLE_KEYS, Observables
from attlas.solver.state_evolution import StateEvolution

#: Two-sided confidence of an error bar.
_CONFIDENCE = 0.99
#: Error bars fall at least as this power of the number of nodes.
_RATE = 0.65
#: More nodes than this times those of a level are not extrapolated to.
_LARGEST_RATIO = 40


def replicate_errors(
    system: StateEvolution,
    kernel: ReplicatedKernel,
    point: FixedPoint,
    level: int,
    sources: ErrorSources,
) -> Observables:
    """Absolute error bars of a fixed point found with the average over replicates.

    Each replicate r has its own map G_r, and its own fixed point, to first order
    x + (1 - J)^-1 (G_r(x) - x). Every key is evaluated there with the nodes of that replicate
    alone; the replicates are independent and the pooled solution is their mean, so that Student's
    law gives a bar of 99 % confidence from their spread.

    Parameters
    ----------
    system : StateEvolution
    kernel : ReplicatedKernel
        The kernel of ``system``.
    point : FixedPoint
    level : int
        Level of integration at which ``point`` was found.
    sources : ErrorSources
        The errors besides that of the integration.
    """
    inverse = np.linalg.inv(np.eye(point.x.size) - point.jacobian)
    found: list[Observables] = []
    overlaps = system.state(point.x).overlaps
    for index, moments in enumerate(system.replicate_moments(overlaps, level)):
        image = system.coordinates(moments, overlaps)
        alone = replace(system, kernel=kernel.replicate(index))
        found.append(observe(alone, point.x + inverse @ (image - point.x), level))
    freedom = kernel.replicates - 1
    quantile = float(stdtrit(freedom, 0.5 + 0.5 * _CONFIDENCE))
    bars: dict[str, float] = {}
    for key in OBSERVABLE_KEYS:
        values = [value for one in found if (value := getattr(one, key)) is not None]
        if not values:
            continue
        if np.all(np.isinf(values)):  # as the equations say, for any nodes
            bars[key] = 0.0
            continue
        deviation = float(np.std(values, ddof=1)) / kernel.replicates**0.5
        bars[key] = quantile * deviation + 4 * abs(float(np.mean(values))) * sources.relative
    return Observables(**bars)


def next_level(
    kernel: ReplicatedKernel,
    signal: float,
    level: int,
    values: Observables,
    error: Observables,
    rtol: float,
) -> int:
    """The level that the error bars of this one predict to be fine enough for a tolerance."""
    present = values.present()
    excess = max(
        getattr(error, key) / (rtol * abs(present[key]))
        for key in ACCURACY_KEYS
        if present.get(key)
    )
    ratio = min(max(excess, 1.0) ** (1 / _RATE), _LARGEST_RATIO)
    enough = ratio * kernel.nodes(signal, level)
    finer = range(level + 1, kernel.finest + 1)
    return next((one for one in finer if kernel.nodes(signal, one) >= enough), kernel.finest)
