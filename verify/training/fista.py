"""The problem in S: accelerated proximal gradient with thresholded eigenvalues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt
from time import perf_counter

import numpy as np
import torch

from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.losses import Objective
from attlas.verify.training.map_certificate import certified
from attlas.verify.training.penalty import penalty_of
from attlas.verify.training.task import Trained, Training

Array = np.ndarray
#: The smooth part: its value and gradient at a matrix.
Smooth = Callable[[Array], tuple[float, Array]]
#: The proximal operator of the rest at a matrix and a step: the matrix, and the rest's value there.
Prox = Callable[[Array, float], tuple[Array, float]]
#: Relative residual of stationarity at a matrix, given the gradient of the smooth part.
Residual = Callable[[Array, Array], float]

#: Iterations allowed in all.
DEFAULT_STEPS = 20_000
#: Iterations between two computations of the residual.
_CHECK = 5
#: Factors by which a step is shortened when it overshoots, and lengthened when it does not.
_SHORTER, _LONGER = 0.5, 1.05


@dataclass(frozen=True, eq=False)
class Minimised:
    """Where proximal gradient stopped.

    Attributes
    ----------
    s : ndarray
    objective : float
    residual : float
        As the caller defines it, recomputed at s.
    iterations : int
    """

    s: Array
    objective: float
    residual: float
    iterations: int


def minimise(
    smooth: Smooth,
    prox: Prox,
    residual: Residual,
    start: Array,
    *,
    tolerance: float,
    max_steps: int = DEFAULT_STEPS,
    check: int = _CHECK,
    patience: int | None = None,
    report: Callable[[int], None] | None = None,
) -> Minimised:
    """Minimise smooth + rest by FISTA with backtracking and adaptive restart.

    Parameters
    ----------
    smooth, prox, residual : callable
    start : ndarray
    tolerance : float > 0
        On the residual.
    max_steps : int >= 1
    check : int >= 1
        Iterations between two computations of the residual, which costs an eigenvalue problem.
    patience : int >= 1, optional
        Computations of the residual without a halving, after which rounding is taken to have won.
    report : callable, optional
        Called with the number of iterations now and then.

    Notes
    -----
    Steps are accepted by the curvature between two gradients, which unlike the difference of two
    objectives keeps its digits near the minimum. Momentum is dropped where it points uphill
    (O'Donoghue and Candes) or where the objective rose. The smooth part need not be convex: then
    this finds a stationary point, and proves no more than that.
    """
    point, value = start, np.inf
    _, gradient = smooth(start)
    step = 1 / _curvature(smooth, start, gradient)
    ahead, ahead_gradient, momentum = start, gradient, 1.0
    best = Minimised(start, value, np.inf, 0)
    halved, mark = 0, np.inf
    for iteration in range(1, max_steps + 1):
        moved, moved_value, moved_gradient, step = _proximal_step(
            smooth, prox, ahead, ahead_gradient, step
        )
        if moved_value > value + 1e-9 * abs(value) and momentum > 1:
            ahead, ahead_gradient, momentum = point, gradient, 1.0
            continue
        uphill = float(np.vdot(ahead - moved, moved - point)) > 0
        following = 1.0 if uphill else (1 + sqrt(1 + 4 * momentum**2)) / 2
        weight = 0.0 if uphill else (momentum - 1) / following
        ahead = moved + weight * (moved - point)
        point, value, gradient, momentum = moved, moved_value, moved_gradient, following
        ahead_gradient = gradient if weight == 0 else smooth(ahead)[1]
        if iteration % check == 0 or iteration == max_steps:
            best = Minimised(point, value, residual(point, gradient), iteration)
            if report is not None:
                report(iteration)
            if best.residual <= mark / 2:
                halved, mark = iteration, best.residual
            given_up = patience is not None and iteration - halved >= patience * check
            if best.residual <= tolerance or given_up:
                break
    return best


def _proximal_step(
    smooth: Smooth, prox: Prox, at: Array, gradient: Array, step: float
) -> tuple[Array, float, Array, float]:
    """The proximal gradient step, shortened until the curvature along it allows it."""
    while True:
        moved, rest = prox(at - step * gradient, step)
        value, moved_gradient = smooth(moved)
        change = moved - at
        length = float(np.vdot(change, change))
        bend = float(np.vdot(moved_gradient - gradient, change))
        if step * bend <= length or length == 0:
            return moved, value + rest, moved_gradient, step * _LONGER
        step *= _SHORTER


def _curvature(smooth: Smooth, at: Array, gradient: Array) -> float:
    """Curvature along the gradient: a first guess of the inverse step."""
    size = float(np.linalg.norm(gradient))
    if size == 0:
        return 1.0
    width = 1e-3 * max(float(np.linalg.norm(at)), 1.0) / size
    bend = float(np.vdot(smooth(at - width * gradient)[1] - gradient, -gradient)) / width
    return max(abs(bend) / size**2, 1e-12)


def smooth_part(objective: Objective) -> Smooth:
    """The data term of an objective as a function of S, in the objective's arithmetic."""

    def smooth(s: Array) -> tuple[float, Array]:
        tensor = torch.from_numpy(s).to(objective.x)
        value, gradient = objective.value_and_gradient_of_map(tensor, 0.0)
        return float(value), gradient.cpu().double().numpy()

    return smooth


def train(training: Training) -> Trained:
    """Minimise the problem in S at each weight in turn, warm started. theory.md section 2.

    The penalty is convex in S, the softmax loss is not: the certificate proves a stationary
    point, not the global minimum. For the linear channel, whose loss is convex, it proves both.
    """
    *_, last = along(training)
    return last


def along(training: Training) -> Iterator[Trained]:
    """The minima that :func:`train` passes, one for each weight."""
    clock = perf_counter()
    objective = training.objective()
    smooth, report = smooth_part(objective), training.report
    allowed = training.allowed(DEFAULT_STEPS)
    w = initial_factor(training.initialisation, training.d, training.p, training.seed)
    s, iterations = w @ w.T / sqrt(training.p * training.d), 0
    for lam in training.lams:
        penalty = penalty_of(training.problem.estimator, lam, training.d, training.p)
        found = minimise(
            smooth,
            penalty.prox,
            penalty.residual,
            s,
            tolerance=training.tolerance,
            max_steps=allowed,
            report=None if report is None else lambda step: report("fista", step, allowed),
        )
        s, iterations = found.s, iterations + found.iterations
        yield certified(
            training,
            s,
            smooth(s),
            penalty,
            steps={"fista": iterations},
            seconds={"fista": perf_counter() - clock},
        )
