"""The amount of data at which a spike appears in the learned map (theory.md section 9)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scipy.optimize import brentq

from attlas.model import Problem
from attlas.model.errors import BadInput
from attlas.solver.learned_spectrum.predicted import Predicted
from attlas.solver.learned_spectrum.rule import require_map
from attlas.solver.solution import Solution, SolveError
from attlas.solver.solve import solve
from attlas.solver.spectrum import spiked
from attlas.solver.status import Status
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult

#: Where alpha is looked for.
_LOWEST, _HIGHEST = 1e-4, 1e4
_START = 0.1
_RTOL = 1e-6
#: Accuracy of log alpha in the search, below what the solutions support.
_STEP = 1e-9
_MOST_DIGITS = 15
_STATEMENT = (
    "The largest spike, {spike:g}, has an outlier in the learned map beyond this alpha: it "
    "detaches from the bulk of S0 + delta Z, and lies above the threshold epsilon. {limit} limits "
    "it here."
)
_WITHIN = (
    "The largest spike, {spike:g}, lies within the band of the background, up to {top:.6g}: no "
    "amount of data tells it apart."
)


@dataclass(frozen=True)
class SpikeMargin:
    """How far a spike is from being seen, positive where it is, and its error bar.

    Attributes
    ----------
    detached, kept : float
        Of the squared overlap from 0, and of the outlier from epsilon over the spike.
    error : float
    """

    detached: float
    kept: float
    error: float

    @property
    def value(self) -> float:
        return min(self.detached, self.kept)


def weak_recovery(asked: Question) -> ThresholdResult:
    """The alpha beyond which the largest spike of a spiked target is seen.

    Raises
    ------
    BadInput
        Without a whole problem, for another target, or for more digits than double precision.
    """
    problem = asked.problem
    if problem is None:
        raise BadInput(
            "lam", None, "the threshold weak-recovery is about a whole problem", "give its lam"
        )
    if not problem.target.isolated:
        raise BadInput(
            "target",
            problem.target.grammar(),
            "must be a spiked target for the threshold weak-recovery",
            "as in spiked:spikes=8,background=wishart:kappa0=0.1",
        )
    if asked.digits > _MOST_DIGITS or asked.certify:
        raise BadInput(
            "digits" if asked.digits > _MOST_DIGITS else "certify",
            asked.digits if asked.digits > _MOST_DIGITS else asked.certify,
            "weak recovery is computed in double precision",
            "ask for 15 digits without a certificate",
        )
    require_map(problem.estimator)
    return _found(asked, problem, float(problem.target.isolated[0]))


def _found(asked: Question, problem: Problem, spike: float) -> ThresholdResult:
    law = spiked(Predicted.of(problem, solve(problem, rtol=1e-3)).target)
    assert law is not None
    if not law.transform.bare(spike):
        return asked.absent(_WITHIN.format(spike=spike, top=law.transform.top))

    def margin(alpha: float) -> SpikeMargin:
        return _margin(problem.with_(alpha=alpha), spike)

    low, high = _bracket(margin)
    if low is None or high is None:
        return asked.absent(
            f"The largest spike, {spike:g}, is {'never' if high is None else 'always'} seen for "
            f"alpha between {_LOWEST:g} and {_HIGHEST:g}."
        )
    found: Any = brentq(
        lambda x: margin(math.exp(x)).value, math.log(low), math.log(high), xtol=_STEP
    )
    root = math.exp(found)
    return _result(asked, spike, root, margin)


def _margin(problem: Problem, spike: float) -> SpikeMargin:
    """At one amount of data."""
    solution = solve(problem, rtol=_RTOL, raise_on_failure=False)
    if solution.status is Status.NOT_CONVERGED:
        raise SolveError(solution)
    return spike_margin(problem, solution, spike)


def spike_margin(problem: Problem, solution: Solution, spike: float) -> SpikeMargin:
    """How far a spike is from being seen in the learned map of a solution.

    Parameters
    ----------
    problem : Problem
        With a spiked target.
    solution : Solution
        Its solution; the error follows from those of delta and epsilon.
    spike : float > 0
        Eigenvalue of the spike.
    """
    predicted = Predicted.of(problem, solution)
    law = spiked(predicted.target)
    assert law is not None
    delta, moved = predicted.delta, predicted.delta + (solution.error.delta or 0.0)
    overlaps = [law.overlap(spike, value) for value in (delta, moved)]
    places = [law.location(spike, value) for value in (delta, moved)]
    error = abs(overlaps[1] - overlaps[0])
    error += (abs(places[1] - places[0]) + (solution.error.epsilon or 0.0)) / spike
    return SpikeMargin(overlaps[0], (places[0] - predicted.rule.cut) / spike, error)


def _bracket(margin: Callable[[float], SpikeMargin]) -> tuple[float | None, float | None]:
    """Neighbouring alphas without and with the outlier, a factor 2 apart."""
    here = _START
    if margin(here).value > 0:
        while here / 2 >= _LOWEST:
            here /= 2
            if margin(here).value <= 0:
                return here, 2 * here
        return None, here
    while 2 * here <= _HIGHEST:
        here *= 2
        if margin(here).value > 0:
            return here / 2, here
    return here, None


def _result(
    asked: Question,
    spike: float,
    root: float,
    margin: Callable[[float], SpikeMargin],
) -> ThresholdResult:
    above, below = margin(root * (1 + 1e-4)), margin(root * (1 - 1e-4))
    slope = abs(above.value - below.value) / (2e-4 * root)
    error = max(above.error, below.error) / slope + _STEP * root
    here = margin(root)
    limit = "The threshold epsilon" if here.kept < here.detached else "Detachment"
    return asked.limited(root, error, _STATEMENT.format(spike=spike, limit=limit))
