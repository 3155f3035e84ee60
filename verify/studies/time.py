"""Modes in time: gradient descent and Adam from a small start, at fixed data.

Beside gradient descent stands the population flow, which has no part in the number of samples:
what is left is their doing. The order in n is that of the state evolution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from scipy.stats import kendalltau

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.dynamics import dynamics
from attlas.solver.scaling.predictions import best_penalty, emergence_predicted
from attlas.solver.scaling.problem import problem_at
from attlas.verify.data.randomness import generator
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import Teacher, draw_teacher
from attlas.verify.studies.study import Row, Study, mean_and_error
from attlas.verify.training.descent import AdamSteps, Path, gradient_descent, recorded
from attlas.verify.training.losses import Objective

#: Samples over d^2 by default: several modes are recovered.
_ALPHA = 10.0
#: Size of the entries of the start; that of the teacher's factor is 1.
_START = 1e-3
#: Gradient descent: rate over that at which the first mode's minimum becomes unstable. Adam: rate.
_RATE, _ADAM = 0.125, 2e-3
#: Steps of each way of training.
_DESCENT = "gradient descent"
WAYS = {_DESCENT: 3000, "adam": 1500}
_EVERY = 10
#: Modes are followed that emerge before this share of the n, and no more than so many.
_SHARE, _MOST = 0.25, 8


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each followed mode and way of training."""
    samples = samples_of(target, noise, n)
    paths = {
        name: [path_of(target, noise, samples, seed, name) for seed in seeds or (0,)]
        for name in WAYS
    }
    count = followed(target, noise, samples)
    flow = _flow_steps(target, noise, samples)
    return [
        row
        for name, found in paths.items()
        for row in _rows(target, noise, name, found, count, flow if name == _DESCENT else None)
    ]


def followed(target: PowerLaw, noise: float, n: int) -> int:
    """How many modes are well recovered at n: the others have no last value to grow to."""
    clear = [
        mode
        for mode in range(1, min(_MOST, target.d - 1) + 1)
        if emergence_predicted(target, mode, noise).half < _SHARE * n
    ]
    if len(clear) < 2:
        raise BadInput("n", n, "must be larger: fewer than 2 modes emerge before a quarter of it")
    return len(clear)


def samples_of(target: PowerLaw, noise: float, n: Sequence[float] | None) -> int:
    """The one n of the study.

    Raises
    ------
    BadInput
        For several, or without noise.
    """
    if n is not None and len(n) > 1:
        raise BadInput("n", list(n), "must be one number of samples for `study=time`")
    if noise <= 0:
        raise BadInput("noise", noise, "must be greater than 0: the penalty is lam_c")
    return round(n[0] if n else _ALPHA * target.d**2)


def path_of(target: PowerLaw, noise: float, n: int, seed: int, name: str) -> Path:
    """One training, recorded.

    Parameters
    ----------
    target, noise, n, seed
        As of the study.
    name : {"gradient descent", "adam"}
    """
    lam, d = best_penalty(target, n, noise), target.d
    problem = problem_at(target, n, noise, lam)
    teacher: Teacher = draw_teacher(target, d, seed)
    data = draw_data(problem, teacher, n, seed)
    objective = Objective.build(problem, data, lam=lam, dtype=torch.float32)
    start = _START * generator(seed, "initialisation").standard_normal((d, d))
    ways: dict[str, Callable] = {
        _DESCENT: gradient_descent(_rate(target, n)),
        "adam": AdamSteps(_ADAM),
    }
    return recorded(objective, teacher, start, ways[name], WAYS[name], _EVERY)


def _rate(target: PowerLaw, n: int) -> float:
    """Of descent: the curvature along the first mode at its minimum is 16 n s_1/d^2 (p = d)."""
    return _RATE * 2 * target.d**2 / (16 * n * target.eigenvalues[0])


def _flow_steps(target: PowerLaw, noise: float, n: int) -> np.ndarray:
    """The step at which the population flow has each mode at half of where it rests."""
    lam = best_penalty(target, n, noise)
    problem, alpha = problem_at(target, n, noise, lam), n / target.d**2
    step = 2 * _rate(target, n) * n / target.d**2  # in the flow's time (theory.md section 20)
    # Entries of W of size _START: eigenvalues of S of mean _START^2.
    found = dynamics(problem, [WAYS[_DESCENT] * step], sigma0=_START**2, decay=lam / alpha)
    return np.asarray(found.escape_times) / step


def _rows(
    target: PowerLaw,
    noise: float,
    name: str,
    paths: Sequence[Path],
    count: int,
    flow: np.ndarray | None,
) -> list[Row]:
    halves = np.array([path.half_steps()[:count] for path in paths])
    order = np.arange(halves.shape[1])
    agreement = [
        float(np.asarray(kendalltau(order, half, nan_policy="omit"))[0]) for half in halves
    ]
    tau, _ = mean_and_error(agreement)
    found: list[Row] = []
    for i in range(halves.shape[1]):
        reached = halves[np.isfinite(halves[:, i]), i]
        mean, bar = mean_and_error(list(map(float, reached)))
        found.append(
            {
                "training": name,
                "mode": i + 1,
                "n of emergence": emergence_predicted(target, i + 1, noise).half,
                "step": mean,
                "step +-": bar,
                "step of the flow": None if flow is None else float(flow[i]),
                "s_i step/(s_1 step_1)": _scaled(target, halves, i),
                "order in time and n (tau)": tau,
                "verdict": "no-theory",
            }
        )
    return found


def _scaled(target: PowerLaw, halves: np.ndarray, i: int) -> float:
    ratio = target.eigenvalues[i] / target.eigenvalues[0]
    return ratio * float(np.nanmean(halves[:, i]) / np.nanmean(halves[:, 0]))


STUDY = Study(
    "Modes in time",
    "Training from a small start at fixed n and lam_c: the step at which v_i^T S v_i reaches half "
    "of its last value, its product with s_i over that of mode 1 (1 for growth at rate s_i), and "
    "Kendall's tau of the order in time with the order in n, of modes that emerge before n/4. "
    "Beside gradient descent: the step in the population flow (theory.md section 20), of "
    "infinitely many samples. Not judged: verdict no-theory.",
    rows,
)
