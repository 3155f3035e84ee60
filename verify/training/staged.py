"""Proximal gradient on S, on growing parts of the data and in single precision first."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
import torch

from attlas.verify.training.fista import DEFAULT_STEPS, Array, Smooth, minimise, smooth_part
from attlas.verify.training.growth import part_of, shares
from attlas.verify.training.losses import Objective
from attlas.verify.training.map_certificate import certified
from attlas.verify.training.penalty import penalty_of
from attlas.verify.training.task import Trained, Training

#: Residual at which a stage hands over, and least residual that single precision is held to.
HAND_OVER, LEAST_SINGLE = 1e-2, 2e-5
#: Computations of the residual without a halving, after which a stage hands over all the same.
PATIENCE = 5
#: Eigenvalues below this share of the largest are left out in float32.
NEGLIGIBLE = 1e-8

PRECISION = "proximal gradient float32 (TF32 off), then float64, measured float64"


def train(training: Training) -> Trained:
    """The minimum of the problem in S, as ``fista.train`` finds it, in less time.

    A part of the data with its share of the penalty has nearly the same minimiser, from which all
    data need few iterations; those are made in float32 as far as it carries, from S = 0. What is
    certified is the point reached with all data, in float64. theory.md section 2.
    """
    clock = perf_counter()
    n, steps = len(training.data.x), {"float32": 0, "float64": 0}
    s = np.zeros((training.d, training.d))
    for share in shares(n, training.d)[:-1]:
        s = _stage(training, share, training.lams[0], s, steps, HAND_OVER)
    single = max(training.tolerance / 2, LEAST_SINGLE)
    for lam in training.lams:
        s = _stage(training, n, lam, s, steps, single)
    objective = training.objective()
    smooth, allowed = smooth_part(objective), training.allowed(DEFAULT_STEPS)
    penalty = penalty_of(training.problem.estimator, training.lams[-1], training.d, training.p)
    at = smooth(s)
    if penalty.residual(s, at[1]) > training.tolerance:
        found = minimise(
            smooth,
            penalty.prox,
            penalty.residual,
            s,
            tolerance=training.tolerance,
            max_steps=allowed,
        )
        s, steps["float64"] = found.s, found.iterations
        at = smooth(s)
    trained = certified(
        training, s, at, penalty, steps=steps, seconds={"staged": perf_counter() - clock}
    )
    return replace(trained, precision=PRECISION)


def _stage(
    training: Training, share: int, lam: float, s: Array, steps: dict[str, int], tolerance: float
) -> Array:
    """The minimiser for the first samples, with their share of the penalty, in float32."""
    objective = part_of(training, share, lam)
    penalty = penalty_of(training.problem.estimator, lam, training.d, training.p).scaled(
        share / len(training.data.x)
    )
    allowed, report = training.allowed(DEFAULT_STEPS), training.report
    found = minimise(
        _smooth(objective),
        penalty.prox,
        penalty.residual,
        s,
        tolerance=tolerance,
        max_steps=allowed,
        check=2,
        patience=PATIENCE,
        report=None if report is None else lambda step: report(f"{share} samples", step, allowed),
    )
    steps["float32"] += found.iterations
    return found.s


def _smooth(objective: Objective) -> Smooth:
    """Gradient of the data term, in less time where S has few directions.

    Without its value: a sum in float32 does not show whether the objective rose.
    """

    def smooth(s: Array) -> tuple[float, Array]:
        values, vectors = np.linalg.eigh(s)
        live = np.abs(values) > NEGLIGIBLE * np.abs(values).max()
        if live.sum() > len(s) / 4:
            return np.nan, whole(s)[1]
        factors = (
            torch.from_numpy(part).to(objective.x) for part in (values[live], vectors[:, live])
        )
        _, gradient = objective.value_and_gradient_of_factors(*factors)
        return np.nan, gradient.cpu().double().numpy()

    whole = smooth_part(objective)
    return smooth
