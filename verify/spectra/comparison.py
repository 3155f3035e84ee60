"""Trained spectra judged by draws of the predicted law at the same d and number of seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attlas.solver.learned_spectrum.rule import Rule
from attlas.verify.spectra.draws import Draw, draw_learned
from attlas.verify.spectra.statistics import Quantiles, statistics

#: Draws of the law at each teacher.
DRAWS = 100


@dataclass(frozen=True)
class Comparison:
    """A statistic of some runs beside its law under the prediction.

    Attributes
    ----------
    statistic : str
    runs : float
        Mean over the runs.
    predicted, spread : float
        Mean and standard deviation of the same mean over draws of the predicted law.
    p : float
        Two-sided, from the ranks among the draws; never below 2/(draws + 1). It is the chance of
        a mean at least as far out if the runs were draws of the law. At finite d they are not
        quite: eta, delta and epsilon of a run fluctuate and are off by a multiple of 1/d.
    """

    statistic: str
    runs: float
    predicted: float
    spread: float
    p: float


@dataclass(frozen=True, eq=False)
class Head:
    """A learned map, its teacher's eigenvalues, and the law predicted at that teacher."""

    draw: Draw
    teacher: Sequence[float]
    rule: Rule
    delta: float


def compare(
    heads: Sequence[Head], rng: np.random.Generator, draws: int = DRAWS
) -> tuple[Comparison, ...]:
    """Compare heads with the predicted law, statistic by statistic.

    Parameters
    ----------
    heads : sequence of Head
    rng : Generator
    draws : int
        At each teacher; the law of the mean over heads is made of as many means.
    """
    seen: list[Mapping[str, float]] = []
    reference: list[list[dict[str, float]]] = []
    for head in heads:
        made = list(draw_learned(head.teacher, head.rule, head.delta, draws, rng))
        quantiles = Quantiles.of(made)
        seen.append(statistics(head.draw, head.teacher, quantiles))
        # A draw is a share 1/draws of the mean that it is measured from; a run is not.
        widened = draws / (draws - 1)
        rows = [statistics(one, head.teacher, quantiles) for one in made]
        reference.append([row | {"wasserstein": widened * row["wasserstein"]} for row in rows])
    return tuple(
        _comparison(
            name,
            float(np.mean([one[name] for one in seen])),
            np.array([[row[name] for row in rows] for rows in reference]).mean(axis=0),
        )
        for name in seen[0]
    )


def _comparison(name: str, runs: float, law: np.ndarray) -> Comparison:
    below, above = int(np.sum(law <= runs)), int(np.sum(law >= runs))
    p = min(1.0, 2 * (1 + min(below, above)) / (law.size + 1))
    return Comparison(name, runs, float(law.mean()), float(law.std(ddof=1)), p)
