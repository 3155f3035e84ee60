"""A time budget spent where it decides most."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from attlas.verify.claims import Margin
from attlas.verify.judgement import LEVEL, POWER, Question
from attlas.verify.judgement.extrapolation import intercept_weights
from attlas.verify.store.case import SEED_BLOCK
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.design import not_asked
from attlas.verify.suite.questions import sample_of
from attlas.verify.suite.schedule import Counts, Schedule

#: Runs at each size before anything is known about spreads and costs.
PILOT = 4

#: A purchase adds this fraction of the runs at a size, and at least two.
STEP = 0.25

#: Each round spends this fraction of what is left, so that costs are known better in the next.
ROUND = 0.6

#: The larger size that a point may be given besides those of its design.
BEYOND = 1.5

#: A point, and a point at one size.
Place = tuple[str, str]
Cell = tuple[str, str, int]


@dataclass(frozen=True)
class Need:
    """A question, as far as it says what runs are worth.

    Attributes
    ----------
    place : (claim, point)
    needed : float
        Standard error of the extrapolated deviation at which right theory is likely to be found
        in agreement.
    spread : float
        Standard deviation of one run's deviation times d.
    """

    place: Place
    needed: float
    spread: float

    @classmethod
    def of(cls, place: Place, needed: float, groups: Mapping[int, np.ndarray]) -> Need:
        """From the deviations at each size; their scatter about the means counts, no mean does."""
        several = [(d, x) for d, x in groups.items() if len(x) > 1]
        freedom = sum(len(x) - 1 for _, x in several)
        squares = math.fsum(d**2 * float(np.var(x)) * len(x) for d, x in several)
        return cls(place, needed, math.sqrt(squares / freedom) if freedom else math.inf)

    def met(self, counts: Mapping[int, int]) -> float:
        """How much of the information it needs runs give: 1 where that is all.

        Linear in the number of runs, unlike the chance of a verdict, so that a question that
        needs several purchases is not overlooked.
        """
        sizes = np.array(sorted(d for d, k in counts.items() if k))
        if len(sizes) < 2:
            return 0.0
        runs = np.array([counts[int(d)] for d in sizes])
        weights = intercept_weights(sizes, runs, 1)[0]
        error = self.spread * math.sqrt(float((weights**2 / sizes**2 / runs).sum()))
        return min(1.0, (self.needed / error) ** 2) if error > 0 else 1.0


def allocate(
    needs: Sequence[Need], counts: Counts, seconds: Mapping[Cell, float], budget: float
) -> dict[Cell, int]:
    """Add runs, one purchase after the other, each the one that decides most a second.

    Parameters
    ----------
    needs : sequence of Need
    counts : mapping from (claim, point, d) to int
        Runs that there are.
    seconds : mapping from (claim, point, d) to float
        Cost of one more run wherever one may be made; sizes without runs may be among them.
    budget : float
        Seconds in all.

    Returns
    -------
    dict
        The new counts; nothing is bought that meets no need.
    """
    counts = dict(counts)
    by_place: dict[Place, list[Need]] = {}
    for need in needs:
        by_place.setdefault(need.place, []).append(need)
    cells = [cell for cell in seconds if cell[:2] in by_place]
    worth = {cell: _worth(cell, by_place[cell[:2]], counts, seconds) for cell in cells}
    while True:
        open_ = [c for c in cells if worth[c] > 0 and _price(c, counts, seconds) <= budget]
        if not open_:
            return counts
        best = max(open_, key=lambda cell: worth[cell])
        budget -= _price(best, counts, seconds)
        counts[best] = counts.get(best, 0) + _step(counts.get(best, 0))
        for cell in cells:
            if cell[:2] == best[:2]:
                worth[cell] = _worth(cell, by_place[cell[:2]], counts, seconds)


def _step(runs: int) -> int:
    return min(max(2, math.ceil(STEP * runs)), SEED_BLOCK - runs)


def _price(cell: Cell, counts: Counts, seconds: Mapping[Cell, float]) -> float:
    return seconds[cell] * _step(counts.get(cell, 0))


def _worth(
    cell: Cell, needs: Sequence[Need], counts: Counts, seconds: Mapping[Cell, float]
) -> float:
    """How much more of what the questions of a point need is met, by second."""
    claim, point, d = cell
    here = {size: runs for (c, p, size), runs in counts.items() if (c, p) == (claim, point)}
    more = here | {d: here.get(d, 0) + _step(here.get(d, 0))}
    gain = math.fsum(need.met(more) - need.met(here) for need in needs)
    price = _price(cell, counts, seconds)
    return gain / price if price > 0 and gain > 1e-12 else 0.0


def within_budget(
    schedule: Schedule,
    margins: Mapping[str, Sequence[Margin]],
    store: Store,
    budget: float,
    clock: Callable[[], float],
) -> Iterator[Schedule]:
    """Schedules to be run one after the other: a pilot, then rounds until the budget is spent.

    Runs are bought by spreads and costs, never by deviations: what a run deviates by on average
    has no say in how many more there are, so that the verdicts keep their promise.

    Parameters
    ----------
    schedule : Schedule
        As designed; its sizes are kept.
    margins : mapping from claim to its margins
    store : Store
        Holds the rows of each schedule when the next is asked for.
    budget : float
        Processor seconds, the pilot included, and the rows that were there already.
    clock : callable
        Processor seconds since the start. Rows know the seconds of their training; what is spent
        beyond, on the theory beside them above all, is taken to be in proportion.
    """
    pilot = {cell: min(PILOT, runs) for cell, runs in schedule.counts.items()}
    current = schedule.with_counts(pilot)
    yield current
    while True:
        rows = _rows(current, store)
        trained = math.fsum(row.seconds for group in rows.values() for row in group)
        spent = max(clock(), trained)
        dearer = spent / trained if trained else 1.0
        seconds = {cell: dearer * one for cell, one in _seconds(rows).items()}
        left = (budget - spent) * ROUND
        counts = allocate(_needs(current, margins, rows), current.counts, seconds, left)
        if counts == current.counts:
            return
        current = current.with_counts(counts)
        yield current


def _rows(schedule: Schedule, store: Store) -> dict[Cell, list[Row]]:
    found: dict[Cell, list[Row]] = {}
    for one in schedule.claims:
        for case, key in schedule.cases(one).items():
            row = store.get(case)
            if row is not None:
                found.setdefault((one.id, key, case.d), []).append(row)
    return found


def _seconds(rows: Mapping[Cell, Sequence[Row]]) -> dict[Cell, float]:
    """Seconds of a run in each cell, and at one larger size, where a run takes n d^2 ~ d^4."""
    seconds = {cell: float(np.mean([r.seconds for r in group])) for cell, group in rows.items()}
    for claim, point in {cell[:2] for cell in rows}:
        largest = max(d for c, p, d in rows if (c, p) == (claim, point))
        beyond = round(BEYOND * largest)
        seconds[claim, point, beyond] = seconds[claim, point, largest] * (beyond / largest) ** 4
    return seconds


def _needs(
    schedule: Schedule, margins: Mapping[str, Sequence[Margin]], rows: Mapping[Cell, Sequence[Row]]
) -> list[Need]:
    """What each quantity at each point needs, from the scatter of its runs about their means."""
    quantities = [
        (one, p.key, q.key)
        for one in schedule.claims
        for left in (not_asked(one, schedule.suite.name, margins[one.id]),)
        for p in schedule.points(one)
        for q in one.quantities
        if (p.key, q.key) not in left
    ]
    needs = []
    for one, point, key in quantities:
        departure = one.departure(point, key)
        margin = next(m.value for m in margins[one.id] if (m.point, m.quantity) == (point, key))
        half = (departure.high - departure.low) / 2 if departure else margin
        groups = {
            d: _deviations(group, one.id, point, key)
            for (claim, place, d), group in rows.items()
            if (claim, place) == (one.id, point)
        }
        if any(len(group) > 1 for group in groups.values()):
            needs.append(Need.of((one.id, point), needed_error(half, len(quantities)), groups))
    return needs


def needed_error(half: float, family: int) -> float:
    """Standard error at which the middle of a band is found inside it with chance ``POWER``.

    Parameters
    ----------
    half : float
        Half-width of the band.
    family : int
        Questions that are judged together.
    """
    return half / float(stats.norm.isf(LEVEL / family) + stats.norm.isf((1 - POWER) / 2))


def _deviations(rows: Sequence[Row], claim: str, point: str, key: str) -> np.ndarray:
    samples = tuple(sample_of(row, row) for row in rows)
    question = Question(claim, point, key, -1.0, 1.0, samples)
    if not question.has_theory:
        return np.empty(0)
    return np.array([sample.deviation(key) for sample in question.usable])
