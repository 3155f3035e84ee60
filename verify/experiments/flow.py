"""Gradient descent from a small start, step by step, beside the population flow."""

from __future__ import annotations

from functools import cache
from math import log

import numpy as np

from attlas.model import Atoms, Problem
from attlas.solver.channels import PopulationKernel, PopulationLoss, channel_kernel
from attlas.solver.dynamics.flow import Setting, descent
from attlas.solver.dynamics.modes import target_modes
from attlas.solver.spectrum import target_law
from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.store.case import Case
from attlas.verify.training.descent import overlaps_along

#: Eigenvalue of S at the start.
START = 0.01
#: Steps until the mode of eigenvalue 1 turns, and turns that are followed.
STEPS, TURNS = 50, 2
#: Parts of the data, one after the other, that mini-batch descent takes its steps from.
BATCHES = 8
#: The map has escaped where q is this share of that of the target.
ESCAPED = 0.25

Array = np.ndarray


def measure(case: Case) -> Measurement:
    """q and m after one and two turns, and the time of escape, by whole and by small batches."""
    teacher, training = training_of(case)
    objective = training.objective()
    paired = paired_at(case)
    step = step_of(case.problem)
    measured: dict[str, float] = {}
    for suffix, parts in (("", (objective,)), ("_sgd", objective.batches(BATCHES))):
        path = overlaps_along(parts, START, teacher.s0, step, TURNS * STEPS)
        measured |= _keys(path, step, _signal(case.problem), suffix)
    reference = predicted(paired, step, _signal(case.problem))
    return Measurement(
        measured=measured,
        reference=reference,
        # The flow is as exact as its two slopes, which are integrals in closed form or by nodes.
        reference_error={key: 1e-8 * abs(value) for key, value in reference.items()},
        data_hash=training.data.digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The flow without weight decay, or towards a map without a spectrum."""
    paired = paired_at(case)
    if control.id == "no-decay":
        paired = paired.with_(estimator=paired.estimator.with_(lam=0))
    else:
        mean = float(np.mean(np.array(paired.target.eigenvalues, dtype=float)))
        paired = paired.with_(target=Atoms([mean]))
    return predicted(paired, step_of(case.problem), _signal(case.problem))


def predicted(problem: Problem, step: float, signal: float) -> dict[str, float]:
    """What both ways of descent should give, at the eigenvalues of a target.

    Parameters
    ----------
    problem : Problem
        Its target is a list of eigenvalues; its decay is lam_tilde/alpha.
    step : float
        In units of the flow's time.
    signal : float
        Second moment of the target's law, of which a share marks the escape.
    """
    modes = target_modes(problem.target)[-1]
    decay = float(problem.estimator.trained().linear) / float(problem.alpha)
    setting = Setting(_loss(problem), modes, decay, START)
    x = descent(setting, step, np.arange(TURNS * STEPS + 1))
    path = np.array([modes.overlaps(one) for one in x])
    return {
        key: value
        for suffix in ("", "_sgd")
        for key, value in _keys(path, step, signal, suffix).items()
    }


def step_of(problem: Problem) -> float:
    """A share of the time at which the mode of eigenvalue 1 turns, in the limit."""
    return log(1 / START) / (2 * abs(_loss(problem).slopes(START**2, START)[1])) / STEPS


@cache
def _loss(problem: Problem) -> PopulationLoss:
    kernel = channel_kernel(problem.channel)
    assert isinstance(kernel, PopulationKernel)
    return kernel.population_losses(target_law(problem.target).q0)[0]


def _signal(problem: Problem) -> float:
    return target_law(problem.target).q0


def _keys(path: Array, step: float, signal: float, suffix: str) -> dict[str, float]:
    values = {
        f"{key}_{turn}{suffix}": float(path[turn * STEPS, column])
        for turn in range(1, TURNS + 1)
        for column, key in enumerate(("q", "m"))
    }
    times = step * np.arange(len(path))
    escape = np.interp(log(ESCAPED * signal), np.log(path[:, 0]), times)
    return values | {f"escape{suffix}": float(escape)}


FLOW = Experiment(measure, wrong)
