"""Factorised against direct training at one teacher rank: theory, and the suite's own runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from joblib import Parallel, delayed, parallel_config

from attlas.model import DirectPSD, Problem, SoftmaxChannel, parameters_of
from attlas.reports.numbers import value
from attlas.reports.page.rivals_figure import StoredRun
from attlas.verify.simulation.rivals import TRAININGS, Rivals, race
from attlas.verify.suite.result import ClaimResult, SuiteResult

#: Where the theory is solved, besides at the runs.
ALPHAS = ("0.05", "0.1", "0.2", "0.5", "1", "2")


@dataclass(frozen=True)
class Family:
    """Problems that differ in alpha, training and penalty alone.

    Attributes
    ----------
    problem : Problem
        One of them.
    runs : tuple of StoredRun
        What the suite's runs measured, extrapolated.
    """

    problem: Problem
    runs: tuple[StoredRun, ...]

    def rivals(self) -> Rivals:
        """The theory of every training at its own best penalty, and the floor; a minute."""
        alphas = sorted({*map(Fraction, ALPHAS), *(Fraction(run.alpha) for run in self.runs)})
        target, channel = self.problem.target, self.problem.channel
        assert target.wishart_ratio is not None
        with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
            parts: list[Any] = Parallel()(  # type: ignore[assignment]
                delayed(race)(
                    target.wishart_ratio, channel.noise, alphas, seeds=0, trainings=(training,)
                )
                for training in TRAININGS
            )
        curves = {name: curve for part in parts for name, curve in part.curves.items()}
        return Rivals(parts[0].kappa0, parts[0].noise, 0, 0, curves)


def families(result: SuiteResult, claim: ClaimResult) -> list[Family]:
    """The families of a claim's points of two tokens, each with the runs of the whole suite."""
    found: dict[Problem, Problem] = {}
    for point in claim.points:
        problem = point.point.problem
        raced = problem.channel == SoftmaxChannel(noise=problem.channel.noise)
        if raced and problem.target.wishart_ratio is not None:
            found.setdefault(_family(problem), problem)
    return [Family(problem, tuple(_runs(result, key))) for key, problem in found.items()]


def _family(problem: Problem) -> Problem:
    """The problem with what differs within a family fixed."""
    return problem.with_(alpha=1, estimator=DirectPSD(lam=1))


def _runs(result: SuiteResult, family: Problem) -> Iterator[StoredRun]:
    for claim in result.claims:
        if claim.claim.experiment:
            continue
        for point in claim.points:
            problem = point.point.problem
            named = problem.estimator.name in TRAININGS and problem.tokens.like_gaussian
            theory = point.theory.test_error
            if not named or theory is None or _family(problem) != family:
                continue
            for verdict in claim.verdicts:
                if (verdict.point, verdict.quantity) != (point.point.key, "test_error"):
                    continue
                if verdict.coefficients:
                    low, high = verdict.interval
                    yield StoredRun(
                        training=problem.estimator.name,
                        alpha=float(problem.alpha),
                        lam=str(parameters_of(problem)["lam"]),
                        theory=theory,
                        measured=theory * (1 + verdict.deviation),
                        low=theory * (1 + low),
                        high=theory * (1 + high),
                    )


def rows(rivals: Rivals) -> list[list[str]]:
    """The learning curves as a table: alpha, error and best penalty of each, the floor."""
    winners = rivals.winners()
    table = []
    for index, winner in enumerate(winners):
        points = {name: curve[index] for name, curve in rivals.curves.items()}
        first = next(iter(points.values()))
        cells = [
            f"{value(one.theory)} at λ = {one.lam:g}" + (" (least)" if name == winner else "")
            for name, one in points.items()
        ]
        best = max(one.efficiency for one in points.values())
        table.append([f"{first.alpha:g}", *cells, value(first.floor), f"{100 * best:.0f} %"])
    return table
