"""What a suite asks: only what its own runs decide, as the scatter of earlier runs foretells.

``python -m attlas.verify.suite.design --suite standard --store STORE`` writes the scatter of
stored runs to ``scatter.json``. It holds how far runs scatter and how they approach their limit,
never where the limit lies: what a suite asks does not depend on what was found.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from attlas.model.files import write_whole
from attlas.verify.claims import Claim, Margin
from attlas.verify.judgement import LEVEL, POWER, Extrapolation, extrapolate
from attlas.verify.judgement.extrapolation import (
    NEXT_COEFFICIENT,
    OWN_VARIANCE_RUNS,
    intercept_weights,
)
from attlas.verify.store.store import Store
from attlas.verify.suite.questions import sample_of
from attlas.verify.suite.schedule import Schedule

#: Agreement is foretold at the level over this many, as if so many comparisons less one remained
#: undecided: one in twenty of those of the standard suite.
RANK = 8

#: By claim, point and quantity: see :class:`Scatter`.
FILE = Path(__file__).with_name("scatter.json")


@dataclass(frozen=True)
class Scatter:
    """How the runs of a question behave, whatever their limit is.

    Attributes
    ----------
    spread : float
        Standard deviation of the relative deviation of a run, times d.
    slope : float
        The mean deviation falls as slope/d.
    """

    spread: float
    slope: float

    @classmethod
    def of(cls, fit: Extrapolation) -> Scatter:
        """That of runs which were fitted by a line."""
        squares = np.average(np.square(fit.sizes) * fit.variances, weights=fit.counts)
        return cls(math.sqrt(float(squares)), fit.coefficients[1])

    def chance(self, runs: Mapping[int, int], half: float) -> float:
        """Chance that runs find agreement within a band, if theory is exactly right.

        Parameters
        ----------
        runs : mapping from int to int
            Seeds at each dimension.
        half : float
            Half-width of the band.
        """
        sizes = np.array(sorted(runs), dtype=float)
        counts = np.array([runs[int(d)] for d in sizes], dtype=float)
        weights = intercept_weights(sizes, counts, 1)
        parts = weights**2 * np.square(self.spread / sizes) / counts
        error, slope_error = np.sqrt(parts.sum(axis=1))
        dof = float(counts.sum() - len(counts))
        if counts.min() >= OWN_VARIANCE_RUNS and self.spread:  # Satterthwaite's, as of the fit
            dof = error**4 / float((parts[0] ** 2 / (counts - 1)).sum())
        # The judge allows for the next power by the slope that it finds, and errors of the slope
        # go with those of the limit: taken as one, they add.
        next_power = NEXT_COEFFICIENT * abs(float(weights[0] @ sizes**-2.0))
        quantile = float(stats.t.isf(LEVEL / RANK, dof))
        room = half - next_power * abs(self.slope) - quantile * error
        scatter = error + next_power * slope_error
        return max(0.0, 2 * float(stats.norm.cdf(room / scatter)) - 1) if scatter else 1.0


@cache
def _scatter() -> dict[str, dict[str, dict[str, list[float]]]]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def not_asked(one: Claim, suite: str, margins: Iterable[Margin]) -> dict[tuple[str, str], str]:
    """What a suite leaves out of a claim: why, by point and quantity.

    Parameters
    ----------
    one : Claim
    suite : str
    margins : iterable of Margin
        Those of the claim, by which bands are as wide as the suite asks.

    Notes
    -----
    Left out is what the design says, and what its runs would decide with a chance below 0.8. A
    question without earlier runs is asked.
    """
    design, known = one.designs[suite], _scatter().get(one.id, {})
    found: dict[tuple[str, str], str] = {}
    for margin in margins:
        point, quantity = margin.point, margin.quantity
        reason = design.reason(point, quantity)
        scatter = known.get(point, {}).get(quantity)
        if scatter is not None and not reason:
            departure = one.departure(point, quantity)
            half = (departure.high - departure.low) / 2 if departure else margin.value
            chance = Scatter(*scatter).chance(design.runs_of(point), half)
            reason = _TOO_FEW if chance < POWER else ""
        if reason:
            found[point, quantity] = reason
    for left in design.left_out:
        if not left.quantities:  # points that are not run at all
            found |= {(p, q.key): left.reason for p in left.points for q in one.quantities}
    return found


_TOO_FEW = (
    "Runs scatter too much: so few would decide at the margin wanted with a chance below "
    f"{POWER:.0%}."
)


def _measured(suite: str, store: Store) -> dict[str, dict[str, dict[str, list[float]]]]:
    """The scatter of a suite's stored runs."""
    schedule = Schedule.of(suite, None)
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for one in schedule.claims:
        samples: dict[str, list] = {}
        for case, point in schedule.cases(one).items():
            row = store.get(case)
            if row is not None and row.converged:
                samples.setdefault(point, []).append(sample_of(row, row))
        for point, runs in samples.items():
            for quantity in (one_.key for one_ in one.quantities):
                fit = extrapolate(
                    [run.d for run in runs], [run.deviation(quantity) for run in runs]
                )
                numbers = [float(f"{x:.3g}") for x in astuple(Scatter.of(fit))]
                found.setdefault(one.id, {}).setdefault(point, {})[quantity] = numbers
    return found


def main() -> None:
    """Write the scatter of stored runs beside what is known already."""
    parser = argparse.ArgumentParser(description="Keep how far the runs of a suite scatter.")
    parser.add_argument("--suite", default="standard")
    parser.add_argument("--store", required=True)
    arguments = parser.parse_args()
    found = _scatter() | _measured(arguments.suite, Store(arguments.store))
    claims = (f'"{id_}": {json.dumps(one, ensure_ascii=False)}' for id_, one in found.items())
    write_whole(FILE, "{" + ",\n".join(claims) + "}\n")


if __name__ == "__main__":
    main()
