"""How far a suite is, claim by claim, and how long the rest will take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

from attlas.verify.suite.work import Job


@dataclass(frozen=True)
class SuiteEvent:
    """One report from a running suite.

    Attributes
    ----------
    stage : {"theory", "runs"}
    claim : str
        Whose runs they are; empty for the theory, which is solved for all claims together.
    done, total : int
        Solutions, or runs, those in the store included.
    seconds_left : float or None
        Until these are done, from the cost of what is left and the rate so far; None while there
        is no rate.
    """

    stage: str
    claim: str
    done: int
    total: int
    seconds_left: float | None = None


SuiteProgress = Callable[[SuiteEvent], None]


class Pace:
    """Counts jobs as they end and reports them.

    Parameters
    ----------
    all_jobs : sequence of Job
        Of the suite, those in the store included.
    left : sequence of Job
        Those to be done, in the order in which they are started.
    progress : callable, optional
    """

    def __init__(
        self, all_jobs: Sequence[Job], left: Sequence[Job], progress: SuiteProgress | None
    ) -> None:
        self._progress = progress
        self._totals = Counter(job.claim for job in all_jobs)
        waiting = Counter(job.claim for job in left)
        self._done = {claim: total - waiting[claim] for claim, total in self._totals.items()}
        self._cost_to_end: dict[str, float] = {}
        cost = 0.0
        for job in left:
            cost += job.cost
            self._cost_to_end[job.claim] = cost  # the last job of a claim ends it
        self._cost_done = 0.0
        self._began = perf_counter()
        for claim in self._totals:
            self._report(claim)

    def follow(self, ended: Iterable[Job]) -> Iterator[Job]:
        """The jobs as they end, each reported."""
        for job in ended:
            self._cost_done += job.cost
            self._done[job.claim] += 1
            self._report(job.claim)
            yield job

    def _report(self, claim: str) -> None:
        if self._progress is None:
            return
        self._progress(
            SuiteEvent("runs", claim, self._done[claim], self._totals[claim], self._left(claim))
        )

    def _left(self, claim: str) -> float | None:
        if self._cost_done == 0:
            return None
        seconds = (perf_counter() - self._began) / self._cost_done
        return max(self._cost_to_end.get(claim, 0.0) - self._cost_done, 0.0) * seconds
