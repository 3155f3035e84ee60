"""Exponents of trained heads in the phases that small dimensions reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from model import Factorised, LinearChannel, PowerLaw, Problem, SoftmaxChannel
from model.errors import BadInput
from solver.scaling.predictions import best_penalty, exponent
from solver.solve import solve
from verify.simulate import simulate
from verify.studies.study import Row, Study, mean_and_error

_RTOL = 1e-4


@dataclass(frozen=True)
class _Place:
    """A phase between two n: its penalty, or a multiple of lam_c."""

    phase: str
    tokens: int
    d: int
    noise: str
    ends: tuple[int, int]
    lam: str | None = None
    critical: float = 1.0

    def problem(self, gamma: Fraction, n: int) -> Problem:
        target = PowerLaw(gamma, self.d)
        rule = Fraction(self.critical * best_penalty(target, n, float(self.noise)))
        channel = (
            LinearChannel(noise=self.noise)
            if self.tokens == 1
            else SoftmaxChannel(tokens=self.tokens, noise=self.noise)
        )
        return Problem(
            n=n,
            target=target,
            channel=channel,
            estimator=Factorised(lam=rule if self.lam is None else self.lam),
        )


_PLACES = (
    _Place("II", 1, 32, "0.0001", (1000, 8000), lam="10"),
    _Place("III", 1, 16, "0.0001", (40000, 160000), lam="10"),
    _Place("IV", 1, 32, "1", (1000, 8000)),
    _Place("VIb", 1, 16, "0.1", (16000, 64000), critical=0.01),
    _Place("II", 2, 32, "0", (1000, 4000), lam="0.5"),
    _Place("III", 2, 16, "0", (20000, 60000), lam="0.5"),
)


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each phase and number of tokens; only gamma of the target is used."""
    if n is not None:
        raise BadInput("--n", list(n), "has no meaning with --study heads", "leave it out")
    del noise
    return [_row(place, target.gamma, seeds) for place in _PLACES]


def _row(place: _Place, gamma: Fraction, seeds: Sequence[int]) -> Row:
    problems = [place.problem(gamma, n) for n in place.ends]
    theory = [solve(problem, rtol=_RTOL).mse for problem in problems]
    width = math.log(place.ends[1] / place.ends[0])
    found = [_errors(problem, place.d, seeds) for problem in problems]
    slopes = [math.log(after / before) / width for before, after in zip(*found, strict=True)]
    slope, bar = mean_and_error(slopes)
    ratio, ratio_bar = mean_and_error([value / theory[1] for value in found[1]])
    return {
        "phase": place.phase,
        "tokens": place.tokens,
        "d": place.d,
        "n": f"{place.ends[0]} to {place.ends[1]}",
        "formula": exponent(place.phase, float(gamma)),
        "theory slope": math.log(theory[1] / theory[0]) / width,
        "heads slope": slope,
        "slope +-": bar,
        "heads/theory": ratio,
        "ratio +-": ratio_bar,
    }


def _errors(problem: Problem, d: int, seeds: Sequence[int]) -> list[float]:
    if not seeds:
        return []
    runs = simulate(problem, d=d, seeds=seeds, device="cpu", paired=False).runs
    return [float(np.asarray(run.observables.mse)) for run in runs]


STUDY = Study(
    "Exponents of trained heads",
    "Slope of the squared error between two n: `formula` of the phase deep inside it, "
    "`theory slope` of the state evolution at the same d and n, and heads with standard errors; "
    "`heads/theory` at the larger n. T = 1 is linear, T = 2 softmax (without noise).",
    rows,
)
