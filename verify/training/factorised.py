"""Training of the factor W: near a minimum in float32, then L-BFGS in float64 to a certificate."""

from __future__ import annotations

from math import sqrt
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch

from attlas.verify.training import lbfgs
from attlas.verify.training.approach import HALFWAY, approach
from attlas.verify.training.certificate import (
    KKT,
    KKT_TOLERANCE,
    Certificate,
    kkt_residuals,
    relative_gradient,
)
from attlas.verify.training.losses import Objective
from attlas.verify.training.narrowing import NEGLIGIBLE, polish_narrow
from attlas.verify.training.task import Trained, Training

#: Saddles left at most at one weight decay; a singular value of W below this fraction of the
#: largest is a lost direction; size of the column that replaces it.
_ESCAPES, _DEAD, _ESCAPE_SIZE = 3, 1e-3, 1e-1
PRECISION = "adam float32 (TF32 off), l-bfgs float32, then float64, measured float64"


def train(training: Training) -> Trained:
    """Minimise L(W) at each weight decay in turn, warm started. theory.md sections 1 and 10."""
    clock = perf_counter()
    near = approach(training)
    w, evaluations, fine = near.w, 0, training.objective()
    for lam in training.lams:
        fine = fine.with_lam(lam)
        minimum = _minimise(fine, w, training)
        w, evaluations = minimum.w, evaluations + minimum.evaluations
    kkt = minimum.kkt
    factor = w.numpy()
    s = _map(factor)
    certificate = Certificate(
        gradient=minimum.gradient,
        tolerance=training.tolerance,
        slackness=kkt.slackness,
        dual_violation=kkt.dual_violation,
        objective=minimum.objective,
        steps={
            "adam": training.adam_steps,
            "l-bfgs float32": near.evaluations,
            "l-bfgs": evaluations,
        },
        seconds={
            "adam": near.adam_seconds,
            "l-bfgs": perf_counter() - clock - near.adam_seconds,
        },
        advice=_advice(minimum.gradient, training.tolerance, kkt),
    )
    return Trained(s, spectrum_of_factor(factor), certificate, PRECISION, factor)


class _Minimum(NamedTuple):
    w: torch.Tensor
    objective: float
    gradient: float
    kkt: KKT
    evaluations: int


def _minimise(objective: Objective, w: torch.Tensor, training: Training) -> _Minimum:
    """Polish W, and leave saddles.

    A direction that W has lost does not come back by gradients, as at a weight decay lowered
    along a path; the negative eigenvectors of the KKT matrix name those that should.
    """
    evaluations = 0
    for escapes in range(_ESCAPES + 1):
        # What has come back may be small: nothing is let go a second time.
        w, used = _polished(objective, w, training, negligible=0.0 if escapes else NEGLIGIBLE)
        evaluations += used
        value, gradient = _certified(objective, w)
        factor = w.numpy()
        penalty = sqrt(training.p * training.d) * objective.lam
        kkt = kkt_residuals(objective, _map(factor), penalty)
        escaped = _escape(factor, kkt, penalty)
        if gradient > training.tolerance or escaped is None:
            break
        w = torch.from_numpy(escaped)
    return _Minimum(w, value, gradient, kkt, evaluations)


def _polished(
    objective: Objective, w: torch.Tensor, training: Training, *, negligible: float
) -> tuple[torch.Tensor, int]:
    """L-BFGS on the columns that carry W, which are fewer once it has come halfway."""
    report, evaluations = training.report, 0
    allowed = training.allowed(lbfgs.DEFAULT_STEPS)
    ends = dict.fromkeys((max(HALFWAY, training.tolerance), training.tolerance))
    for tolerance in ends:
        w, used = polish_narrow(
            objective,
            w,
            negligible=negligible,
            tolerance=tolerance,
            max_steps=max(1, allowed - evaluations),
            report=None if report is None else lambda step: report("l-bfgs", step, allowed),
        )
        evaluations += used
    return w, evaluations


def _certified(objective: Objective, w: torch.Tensor) -> tuple[float, float]:
    """L(W) and its relative gradient norm, of the whole factor."""
    value, gradient = objective.value_and_gradient(w.to(objective.x.device))
    norms = float(gradient.norm()), float(w.norm())
    return float(value), relative_gradient(*norms, objective.lam, tuple(w.shape))


def _escape(w: np.ndarray, kkt: KKT, penalty: float) -> np.ndarray | None:
    """W with its dead columns turned along the negative directions of the KKT matrix, if any."""
    if kkt.dual_violation <= KKT_TOLERANCE:
        return None
    left, singular, _ = np.linalg.svd(w, full_matrices=False)
    columns = left * singular  # W W^T is unchanged
    dead = np.flatnonzero(singular <= _DEAD * max(singular[0], 1.0))
    values, vectors = np.linalg.eigh(kkt.h)
    negative = np.flatnonzero(values < -KKT_TOLERANCE * penalty)
    used = min(dead.size, negative.size)
    if used == 0:
        return None
    turned = np.zeros_like(w)
    turned[:, : columns.shape[1]] = columns
    turned[:, dead[dead.size - used :]] = _ESCAPE_SIZE * vectors[:, negative[:used]]
    return turned


def _map(w: np.ndarray) -> np.ndarray:
    return w @ w.T / sqrt(w.shape[0] * w.shape[1])


def spectrum_of_factor(w: np.ndarray) -> np.ndarray:
    """Eigenvalues of W W^T/sqrt(p d), descending, from the singular values of W in float64.

    Never negative; an eigenvalue routine on S leaves rounding of either sign around zero.
    """
    d, p = w.shape
    values = np.zeros(d)
    singular = np.linalg.svd(np.asarray(w, dtype=float), compute_uv=False)
    values[: singular.size] = singular**2 / sqrt(p * d)
    return values


def _advice(gradient: float, tolerance: float, kkt: KKT) -> str:
    if gradient > tolerance:
        return (
            f"The relative gradient norm stopped at {gradient:.1e}, above {tolerance:.1e}: "
            "raise `max_steps` or `gradient_tolerance`."
        )
    if kkt.residual > KKT_TOLERANCE:
        return (
            f"Stationary in W, but the KKT residual in S is {kkt.residual:.1e}: raise `kappa` so "
            "that the width is no constraint, or try another seed."
        )
    return ""
