"""Exponents of trained heads in every phase, and which of them small dimensions reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from attlas.model import PowerLaw, Problem
from attlas.model.errors import BadInput
from attlas.solver.decomposition.response import response
from attlas.solver.scaling import dense_limit, penalty_of
from attlas.solver.scaling.depth import nearest
from attlas.solver.scaling.predictions import formula
from attlas.solver.scaling.problem import problem_at
from attlas.solver.solution import Observables
from attlas.solver.solve import solve
from attlas.solver.state_evolution import StateEvolution
from attlas.verify.simulation.power_law_heads import heads_of
from attlas.verify.studies.study import Row, Study, mean_and_error

_RTOL = 1e-4
#: A phase is reached where the slope of the theory at these sizes is the formula's within this.
_REACHED = 0.05
#: Noise that stands for none where its limit is taken.
_CLEAN = 1e-4
#: Phases that interpolate: n counts once for each combination of scores that labels see.
_INTERPOLATING = ("V", "noiseless")


@dataclass(frozen=True)
class _Place:
    """A phase between two values of n, or of lam at a fixed n.

    Attributes
    ----------
    phase : str
    tokens, d : int
    noise : float
    ends : tuple of two floats
        Of n, or of lam where ``n`` is given.
    lam : float or None
        The penalty; None for ``critical`` times lam_c(n).
    critical : float
    n : int or None
    untrained : str
        Why no heads are trained there; empty where they are.
    """

    phase: str
    tokens: int
    d: int
    noise: float
    ends: tuple[float, float]
    lam: float | None = None
    critical: float = 1.0
    n: int | None = None
    untrained: str = ""

    def at(self, gamma: Fraction, end: float) -> _Point:
        """One end, for a target's gamma."""
        target = PowerLaw(gamma, self.d)
        if self.n is not None:
            return _Point(self, target, float(self.n), end)
        lam = self.lam
        if lam is None:
            lam = self.critical * penalty_of(target, end, self.noise, None, self.tokens)
        return _Point(self, target, end, lam)


@dataclass(frozen=True)
class _Point:
    """One end of a place."""

    place: _Place
    target: PowerLaw
    n: float
    lam: float

    @property
    def problem(self) -> Problem:
        place = self.place
        return problem_at(self.target, self.n, place.noise, self.lam, tokens=place.tokens)

    @property
    def linear(self) -> tuple[float, float, float]:
        """Samples, penalty and noise of the linear channel in whose phase the point is.

        theory.md section 14: n D samples where labels are interpolated, else those of Sigma -> 0.
        """
        place = self.place
        if place.phase in _INTERPOLATING:
            return self.n * self.problem.channel.label_rank, self.lam, place.noise
        if self.problem.channel.linear:
            return self.n, self.lam, place.noise
        dense = dense_limit(self.target, max(place.noise, _CLEAN), place.tokens)
        lam = self.lam * 8 / dense.pull
        return self.n, lam, dense.noise if place.noise else 0.0

    def error(self, found: Observables) -> float:
        """Squared error of S/eta* to the target; eta* is 1 for linear scores and clean labels."""
        if self.place.noise == 0 or self.problem.channel.linear:
            return found.mse
        system = StateEvolution.of(self.problem)
        scale = response(system).eta_star
        return found.q / scale**2 - 2 * found.m / scale + system.q0


_SATURATED = (
    "softmax is far from the limit of no penalty at any penalty that trains (5 % at 1e-4 here)"
)
_NOT_QUADRATIC = "the formula in lam is that of a quadratic loss"
_PLACES = (
    _Place("II", 1, 32, 1e-4, (1000, 8000), lam=10.0),
    _Place("III", 1, 16, 1e-4, (40000, 160000), lam=10.0),
    _Place("IV", 1, 32, 1.0, (1000, 8000)),
    # Noise this large hides the target, whose trace small dimensions cannot make small.
    _Place("V", 1, 32, 1e4, (51, 102), lam=1.0),
    _Place("peak", 1, 32, 1e4, (0.1, 1.0), n=256),
    _Place("VIa", 1, 16, 1e4, (1024, 4096), critical=0.01),
    _Place("VIb", 1, 16, 0.1, (16000, 64000), critical=0.01),
    _Place("noiseless", 1, 40, 0.0, (80, 200), lam=1e-2),
    _Place("II", 2, 32, 0.0, (1000, 4000), lam=0.5),
    _Place("III", 2, 16, 0.0, (20000, 60000), lam=0.5),
    _Place("IV", 2, 32, 1.0, (1000, 8000)),
    _Place("V", 2, 16, 1.0, (6, 13), lam=0.0, untrained=_SATURATED),
    _Place("peak", 2, 16, 1.0, (1e-3, 1e-2), n=32, untrained=_NOT_QUADRATIC),
    _Place("VIa", 2, 16, 30.0, (1024, 4096), critical=0.01),
    _Place("VIb", 2, 16, 0.1, (16000, 64000), critical=0.01),
    _Place("noiseless", 2, 40, 0.0, (40, 100), lam=1e-2),
)


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each phase and number of tokens; only gamma of the target is used."""
    if n is not None:
        raise BadInput("n", list(n), "has no meaning with `study=heads`", "leave it out")
    del noise
    return [_row(place, target.gamma, seeds) for place in _PLACES]


def _row(place: _Place, gamma: Fraction, seeds: Sequence[int]) -> Row:
    ends = [place.at(gamma, end) for end in place.ends]
    theory = [end.error(solve(end.problem, rtol=_RTOL)) for end in ends]
    width = math.log(place.ends[1] / place.ends[0])
    local = math.log(theory[1] / theory[0]) / width
    found = [_errors(end, seeds) for end in ends]
    slopes = [math.log(after / before) / width for before, after in zip(*found, strict=True)]
    slope, bar = mean_and_error(slopes)
    ratio, ratio_bar = mean_and_error([value / theory[1] for value in found[1]])
    predicted = _formula(place, ends)
    return {
        "phase": place.phase,
        "tokens": place.tokens,
        "d": place.d,
        "noise": place.noise,
        "along": "n" if place.n is None else f"lam, n = {place.n}",
        "ends": f"{place.ends[0]:g} to {place.ends[1]:g}",
        "formula": predicted,
        "theory slope": local,
        "heads slope": slope,
        "slope +-": bar,
        "heads/theory": ratio,
        "ratio +-": ratio_bar,
        "regime": _regime(ends, predicted, local),
    }


def _formula(place: _Place, ends: Sequence[_Point]) -> float:
    """The phase's exponent; in phase V that of its exact form between the ends."""
    found = []
    for end in ends:
        found.append(formula(place.phase, end.target, *end.linear))
    if place.phase == "V":
        return math.log(found[1].mse / found[0].mse) / math.log(place.ends[1] / place.ends[0])
    return found[1].exponent


def _regime(ends: Sequence[_Point], predicted: float, local: float) -> str:
    """Whether the theory has the phase's slope at these sizes, and if not, what is in the way."""
    place = ends[0].place
    if place.untrained:
        return f"not trained: {place.untrained}"
    if abs(local / predicted - 1) <= _REACHED:
        return "reached"
    worst = [nearest(place.phase, end.target, *end.linear) for end in ends]
    name, size = max(worst, key=lambda one: one[1])
    return f"not reached: {name} = {size:.2g}"


def _errors(end: _Point, seeds: Sequence[int]) -> list[float]:
    if end.place.untrained:
        return []
    return [end.error(run.observables) for run in heads_of(end.problem, end.place.d, seeds)]


STUDY = Study(
    "Exponents of trained heads",
    "Slope of the squared error between two n (at the peak two lam): `formula` of the phase deep "
    "inside it, `theory slope` of the state evolution at the same d and n, and heads with standard "
    "errors; `heads/theory` at the last end. T = 1 is linear, T = 2 softmax, whose error with "
    "noise is that of S/eta*. `regime`: reached where the theory has the formula's slope within "
    "5 % at these sizes, else the largest of the ratios that should be small.",
    rows,
)
