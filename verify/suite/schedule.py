"""What a suite runs: its cases, the theory it needs, the jobs that are missing, their shares."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from attlas.model import Problem
from attlas.model.errors import BadInput
from attlas.verify.claims import Claim, Control, Point, claim
from attlas.verify.store.case import SEED_BLOCK, SIMULATION, Case
from attlas.verify.suite.suites import Suite, suite
from attlas.verify.suite.work import Job

#: Theory curves reach this factor beyond the outermost points of a family.
CURVE_REACH = 2.5


#: Number of seeds at each (claim, point, d).
Counts = Mapping[tuple[str, str, int], int]


@dataclass(frozen=True)
class Schedule:
    """The claims of a suite and how many seeds each of their points has at each size.

    Attributes
    ----------
    suite : Suite
    claims : tuple of Claim
    algorithm : str
    seed : int
        The suite's seed; seeds of runs follow from it.
    counts : mapping from (claim, point, d) to int
    """

    suite: Suite
    claims: tuple[Claim, ...]
    algorithm: str
    seed: int
    counts: Counts

    @classmethod
    def of(
        cls, name: str, claims: Iterable[str | Claim] | None, algorithm: str = "adam", seed: int = 0
    ) -> Schedule:
        """The suite as it is designed; claims of its own, or others that have a design for it.

        Raises
        ------
        BadInput
            For an unknown suite or claim, or one that the suite has no design for.
        """
        chosen = suite(name)
        selected = chosen.claims() if claims is None else tuple(map(claim, claims))
        for one in selected:
            if name not in one.designs:
                raise BadInput(
                    "claim", one.id, f"is not in suite {name}", f"try {', '.join(one.designs)}"
                )
        counts = {
            (one.id, point.key, d): seeds
            for one in selected
            for point in one.points_of(name)
            for d, seeds in one.designs[name].runs_of(point.key).items()
        }
        return cls(chosen, selected, algorithm, seed, counts)

    def with_counts(self, counts: Counts) -> Schedule:
        """The same points with other numbers of seeds, or at other sizes."""
        return replace(self, counts=dict(counts))

    def points(self, one: Claim) -> tuple[Point, ...]:
        """The points of a claim that this suite runs."""
        return one.points_of(self.suite.name)

    def cases(self, one: Claim) -> dict[Case, str]:
        """The cases of a claim and the point that each belongs to."""
        return {
            Case(
                point.problem,
                d=d,
                seed=number,
                algorithm=self.algorithm,
                source=one.id if one.experiment else SIMULATION,
            ): point.key
            for point in self.points(one)
            for (id_, key, d), seeds in self.counts.items()
            if (id_, key) == (one.id, point.key)
            for number in self._seeds(d, seeds)
        }

    def _seeds(self, d: int, count: int) -> range:
        """Seeds at one size. They differ between sizes, whose runs are then independent."""
        first = 1_000_000 * self.seed + SEED_BLOCK * d
        return range(first, first + count)

    def controls(self, one: Claim, case: Case) -> tuple[Control, ...]:
        """The controls that are paired with a run: those of the first seeds at each size."""
        if case.seed % SEED_BLOCK >= one.designs[self.suite.name].control_seeds:
            return ()
        return tuple(control for control in one.controls if control.where(case.problem))

    def jobs(self) -> list[Job]:
        """Everything that the suite makes, most expensive first; shared cases once.

        The order depends on the suite alone, so that shares of it are the same everywhere.
        """
        jobs: dict[Case, Job] = {}
        for one in self.claims:
            for case in self.cases(one):
                earlier = jobs.get(case)
                known = earlier.controls if earlier else ()
                stored = [c for c in self.controls(one, case) if c.formula is None]
                more = [c for c in stored if c not in known]
                jobs[case] = Job(
                    case=case,
                    run=True,
                    controls=(*known, *more),
                    experiment=one.experiment,
                    claim=earlier.claim if earlier else one.id,
                )
        return sorted(jobs.values(), key=lambda job: -job.cost)

    def theory_problems(self) -> list[Problem]:
        """The problems whose limit margins and figures need."""
        problems: dict[Problem, None] = {}
        for one in self.claims:
            for point in self.points(one):
                if one.formula is None:
                    problems[point.problem] = None
                for control in one.controls:
                    if control.is_problem and control.where(point.problem):
                        problems[control.wrong(point.problem)] = None
            for family, points in self.families(one) if one.formula is None else ():
                for alpha in curve_alphas(one, points):
                    problems[family.with_(alpha=alpha)] = None
        return list(problems)

    def families(self, one: Claim) -> list[tuple[Problem, list[Point]]]:
        """The points of a claim grouped by everything but alpha."""
        return families_of(self.points(one))


def families_of(points: Iterable[Point]) -> list[tuple[Problem, list[Point]]]:
    """Points grouped by everything but alpha."""
    families: dict[Problem, list[Point]] = {}
    for point in points:
        families.setdefault(point.problem.with_(alpha=1), []).append(point)
    return list(families.items())


def curve_alphas(one: Claim, points: Sequence[Point]) -> list[Fraction]:
    """Where a family's curve is drawn: the claim's grid about the points, and the points."""
    own = [point.problem.alpha for point in points]
    grid = [Fraction(alpha) for alpha in one.curve_alphas]
    near = [a for a in grid if min(own) / CURVE_REACH <= float(a) <= max(own) * CURVE_REACH]
    return sorted({*near, *own})
