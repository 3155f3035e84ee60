"""Heavy-tailed learned spectra: the tail exponent of the outliers, its cut and its count.

Eigenvalues c i^-gamma have a density x^-(1 + 1/gamma). A learned outlier is s + delta^2/s -
epsilon: its tail is fitted as it is, and again after adding the threshold epsilon of the theory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attlas.model import PowerLaw
from attlas.solver.emergence.modes import LARGEST_D
from attlas.solver.learned_spectrum.rule import Rule
from attlas.solver.scaling.point import level
from attlas.solver.scaling.predictions import best_penalty
from attlas.solver.scaling.problem import problem_at
from attlas.solver.weights.tail import Tail, tail_of
from attlas.verify.data.randomness import generator
from attlas.verify.simulation.power_law_heads import heads_of
from attlas.verify.spectra.draws import draw_learned
from attlas.verify.studies.study import Row, Study, mean_and_error

#: Dimensions of the default rows, up to the target's own; n grows with them at this alpha.
_SIZES = (40, 80, 160, 320, 640, 1280)
_ALPHA = 8.0
#: The cut, in noise levels: an outlier at 2.5 delta belongs to a target eigenvalue of 2 delta.
_BEYOND = 2.5
#: Random matrices from the predicted law, at each dimension.
_DRAWS = 4
#: Heads are trained up to this dimension.
_TRAINED_UP_TO = 80


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each dimension, or for each n at the target's own."""
    if n:
        points = [(target.d, value) for value in n]
    else:
        sizes = [d for d in _SIZES if d < target.d] + [min(target.d, LARGEST_D)]
        points = [(d, _ALPHA * d * d) for d in sizes]
    return [_row(PowerLaw(target.gamma, d), noise, round(value), seeds) for d, value in points]


def _row(target: PowerLaw, noise: float, n: int, seeds: Sequence[int]) -> Row:
    critical = best_penalty(target, n, noise)
    found = level(target, n, critical, noise)
    edge = max(_BEYOND * found.delta, found.epsilon) - found.epsilon
    rule = Rule(1.0, found.epsilon, found.epsilon)
    rng = generator(0, "predicted-law")
    drawn = [
        draw.eigenvalues
        for draw in draw_learned(target.eigenvalues, rule, found.delta, _DRAWS, rng)
    ]
    heads = heads_of(
        problem_at(target, n, noise, critical),
        target.d,
        seeds if target.d <= _TRAINED_UP_TO else (),
    )
    trained = [np.array(run.eigenvalues) for run in heads]
    row: Row = {"d": target.d, "n": n, "expected": 1 + 1 / float(target.gamma), "cut": edge}
    for name, spectra in (("theory", drawn), ("heads", trained)):
        for suffix, shift in (("", 0.0), (" + eps", found.epsilon)):
            fits = [tail_of(values + shift, edge + shift) for values in spectra]
            row |= _summary(f"{name}{suffix}", [fit for fit in fits if fit is not None])
        row.pop(f"{name} + eps count")
    return row


def _summary(name: str, fits: Sequence[Tail]) -> Row:
    mean, bar = mean_and_error([fit.exponent for fit in fits])
    count, _ = mean_and_error([float(fit.count) for fit in fits])
    return {f"{name} count": count, name: mean, f"{name} +-": bar}


STUDY = Study(
    "Tail exponents of learned spectra",
    "Outliers at lam_c, above `cut`, where the target's eigenvalue is 2 delta: their number and "
    "the exponent fitted to log value against log rank, of the learned eigenvalues and of the "
    "same plus epsilon. `theory` are random matrices from the predicted law at the same d; "
    "`expected` is 1 + 1/gamma.",
    rows,
)
