"""Training along a path of decreasing penalties, towards the limit lam -> 0+."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from attlas.model import Problem
from attlas.solver import threshold
from attlas.solver.solution import Solution
from attlas.solver.solve import solve
from attlas.verify.claims.claim import Control
from attlas.verify.claims.controls.bayes_threshold import BAYES_THRESHOLD
from attlas.verify.claims.controls.shifted_threshold import MORE_DATA
from attlas.verify.data.sequences import Data
from attlas.verify.data.teacher import Teacher
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.pairing import RTOL, paired_at
from attlas.verify.store.case import Case
from attlas.verify.training import fista
from attlas.verify.training.certificate import Certificate
from attlas.verify.training.losses import Objective
from attlas.verify.training.task import Trained

#: Ratio of neighbouring penalties of the path; the case's own is the last of three.
_RATIO = 8
#: Number on the path and name of the penalties at which errors are measured.
_PENALTIES = {1: "larger", 2: "smaller"}
#: KKT residual of the minima. The errors are then off by 1e-6 of themselves, runs by some percent.
_TIGHT = 1e-4


@dataclass(frozen=True)
class _Errors:
    """Errors of the minimum at one penalty."""

    train_error: float
    mse: float
    certificate: Certificate
    data_hash: str


def _path(problem: Problem) -> tuple[Fraction, Fraction, Fraction]:
    estimator: Any = problem.estimator
    return (estimator.lam * _RATIO**2, estimator.lam * _RATIO, estimator.lam)


def _trained(case: Case) -> dict[int, _Errors]:
    """The minima along the path, warm started, at the penalties that errors are measured at."""
    lams = tuple(float(lam) for lam in _path(case.problem))
    teacher, training = training_of(case, lams=lams, tolerance=_TIGHT)
    return {
        stop: _Errors(
            train_error=_train_error(case.problem, training.data, trained),
            mse=_squared_error(teacher, trained),
            certificate=trained.certificate,
            data_hash=training.data.digest,
        )
        for stop, trained in enumerate(fista.along(training))
        if stop in _PENALTIES
    }


def _train_error(problem: Problem, data: Data, trained: Trained) -> float:
    objective = Objective.build(problem, data, lam=0.0, centring="trace")
    scores, _ = objective.scores_of_map(torch.from_numpy(trained.s))
    return float(objective.misfit.per_sample(scores).mean())


def _squared_error(teacher: Teacher, trained: Trained) -> float:
    difference = trained.s - teacher.s0
    return float(np.sum(difference * difference)) / teacher.d


@lru_cache(maxsize=16)
def _theory(case: Case, factor: Fraction = Fraction(1), stop: int = 2) -> Solution:
    """The theory at the teacher's own eigenvalues, at ``factor`` times the number of samples."""
    paired = paired_at(case)
    estimator: Any = paired.estimator
    at_stop = estimator.with_(lam=_path(case.problem)[stop])
    return solve(paired.with_(alpha=paired.alpha * factor, estimator=at_stop), rtol=RTOL)


@lru_cache(maxsize=16)
def _limit(problem: Problem) -> Solution:
    return solve(problem, rtol=RTOL)


@dataclass(frozen=True)
class Approach:
    """An error of which a root is nearly linear in the amount of data and vanishes at a threshold.

    The position of a threshold is where a line through the root vanishes, with the slope of the
    theory for d -> infinity. That of a run scatters no more than the window of data in which
    instances differ, while the error itself scatters by its square over a small distance.

    Attributes
    ----------
    key : str
        The error.
    power : float
        Of the error in the root.
    samples_power : float
        Of alpha in the root.
    farther : Fraction
        The second amount of data, farther from the threshold, over the problem's own.
    """

    key: str
    power: float
    samples_power: float
    farther: Fraction

    def position(self, problem: Problem, d: int, value: float) -> float:
        """The position that a value of the error at dimension d implies."""
        alpha = problem.samples(d) / d**2
        return alpha + self._root(alpha, value) * self._slope(problem)

    def bar(self, problem: Problem, d: int, value: float, error: float) -> float:
        """Error bar of the position from that of the value."""
        alpha = problem.samples(d) / d**2
        away = abs(self.position(problem, d, value) - alpha)
        return 2 * abs(self.power) * away * error / value

    def _root(self, alpha: float, value: float) -> float:
        return alpha**self.samples_power * value**self.power

    def _slope(self, problem: Problem) -> float:
        """Amount of data per unit of the root, towards the threshold."""
        there = problem.with_(alpha=problem.alpha * self.farther)
        (here, root), (far, other) = (
            (float(one.alpha), self._root(float(one.alpha), getattr(_limit(one), self.key)))
            for one in (problem, there)
        )
        return (here - far) / (other - root)


#: The squared error without noise vanishes quadratically below the recovery threshold.
_RECOVERY = Approach("mse", 0.5, 0.0, Fraction(4, 5))
#: Above the interpolation threshold the misfit of all samples grows quadratically, as in least
#: squares, where n sqrt(e) is proportional to the number of samples too many.
_ABOVE = Approach("train_error", 0.5, 1.0, Fraction(5, 4))
#: Below, at a fixed penalty, it grows as the inverse square of the distance.
_BELOW = Approach("train_error", -0.5, 0.0, Fraction(4, 5))


def _threshold(name: str, problem: Problem) -> Fraction:
    target, channel = problem.target, problem.channel
    noise = channel.noise if name == "interpolation" else 0
    found = threshold(name, kappa0=target.wishart_ratio, noise=noise, tokens=channel.tokens)
    assert found.alpha is not None
    return Fraction(found.alpha)


def _side(case: Case) -> Approach:
    """The approach on the case's own side of the interpolation threshold."""
    above = case.problem.alpha > _threshold("interpolation", case.problem)
    return _ABOVE if above else _BELOW


def _factor(case: Case, control: Control) -> Fraction:
    """Factor on the data in a control's theory."""
    if control.id == BAYES_THRESHOLD.id:
        perfect, bayes = (_threshold(name, case.problem) for name in ("perfect-recovery", "bayes"))
        return (perfect / bayes).limit_denominator(10_000)
    return MORE_DATA


def _measurement(
    runs: dict[int, _Errors],
    measured: dict[str, float],
    reference: dict[str, float],
    bars: dict[str, float],
) -> Measurement:
    return Measurement(
        measured=measured,
        reference=reference,
        reference_error=bars,
        converged=all(one.certificate.converged for one in runs.values()),
        certificate=max(one.certificate.gradient for one in runs.values()),
        data_hash=runs[2].data_hash,
    )


def measure_recovery(case: Case) -> Measurement:
    """The position of perfect recovery."""
    runs, theory = {2: _trained(case)[2]}, _theory(case)
    where = (case.problem, case.d)
    return _measurement(
        runs,
        {"position": _RECOVERY.position(*where, runs[2].mse)},
        {"position": _RECOVERY.position(*where, theory.mse)},
        {"position": _RECOVERY.bar(*where, theory.mse, theory.error.mse)},
    )


def wrong_recovery(case: Case, control: Control) -> dict[str, float]:
    """The position in a theory whose threshold lies at less data."""
    theory = _theory(case, _factor(case, control))
    return {"position": _RECOVERY.position(case.problem, case.d, theory.mse)}


def measure_interpolation(case: Case) -> Measurement:
    """The position of the interpolation threshold, and how the training error falls."""
    side, where = _side(case), (case.problem, case.d)
    runs = _trained(case)
    theory = {stop: _theory(case, stop=stop) for stop in _PENALTIES}
    last, fall = theory[2].train_error, _fall(theory)
    relative = sum(one.error.train_error / one.train_error for one in theory.values())
    return _measurement(
        runs,
        {"position": side.position(*where, runs[2].train_error), "fall": _fall(runs)},
        {"position": side.position(*where, last), "fall": fall},
        {
            "position": side.bar(*where, last, theory[2].error.train_error),
            "fall": fall * relative,
        },
    )


def wrong_interpolation(case: Case, control: Control) -> dict[str, float]:
    """The same in a theory whose threshold lies at 15 % less data."""
    factor = _factor(case, control)
    theory = {stop: _theory(case, factor, stop) for stop in _PENALTIES}
    position = _side(case).position(case.problem, case.d, theory[2].train_error)
    return {"position": position, "fall": _fall(theory)}


def _fall(errors: dict[int, Any]) -> float:
    """Training error at the smaller penalty, over that at the larger one."""
    return errors[2].train_error / errors[1].train_error


def measure_peak(case: Case) -> Measurement:
    """Squared and training error at the last two penalties of the path."""
    runs = _trained(case)
    theory = {stop: _theory(case, stop=stop) for stop in _PENALTIES}
    errors: dict[int, Any] = {stop: one.error for stop, one in theory.items()}
    return _measurement(runs, _heights(runs), _heights(theory), _heights(errors))


def wrong_peak(case: Case, control: Control) -> dict[str, float]:
    """The theory at 15 % more data, as if the peak were at 15 % less."""
    factor = _factor(case, control)
    return _heights({stop: _theory(case, factor, stop) for stop in _PENALTIES})


def _heights(errors: dict[int, Any]) -> dict[str, float]:
    return {
        f"{key}_{name}": getattr(errors[stop], key)
        for stop, name in _PENALTIES.items()
        for key in ("mse", "train_error")
    }


RECOVERY = Experiment(measure_recovery, wrong_recovery)
INTERPOLATION = Experiment(measure_interpolation, wrong_interpolation)
PEAK = Experiment(measure_peak, wrong_peak)
