"""Training from a small start, recorded step by step: modes of the teacher in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from attlas.verify.data.teacher import Teacher
from attlas.verify.training.losses import Objective


@dataclass(frozen=True, eq=False)
class Path:
    """Records along training.

    Attributes
    ----------
    steps : ndarray (records,)
    loss : ndarray (records,)
        Training loss with its penalty.
    amplitudes : ndarray (records, d)
        v_i^T S v_i along the teacher's directions.
    eigenvalues : ndarray (records, d)
        Of S, descending.
    """

    steps: np.ndarray
    loss: np.ndarray
    amplitudes: np.ndarray
    eigenvalues: np.ndarray

    def half_steps(self) -> np.ndarray:
        """The step at which each amplitude first reaches half of its last value, interpolated."""
        found = np.full(self.amplitudes.shape[1], np.nan)
        for i, half in enumerate(self.amplitudes[-1] / 2):
            above = np.flatnonzero(self.amplitudes[:, i] >= half)
            if above.size and above[0] > 0:
                k = above[0]
                pair, steps = self.amplitudes[k - 1 : k + 1, i], self.steps[k - 1 : k + 1]
                found[i] = np.interp(half, pair, steps)
        return found


def recorded(
    objective: Objective,
    teacher: Teacher,
    start: np.ndarray,
    advance: Callable[[Objective, torch.Tensor, int], torch.Tensor],
    steps: int,
    every: int,
) -> Path:
    """Train in blocks of ``every`` steps and record between them.

    Parameters
    ----------
    objective : Objective
    teacher : Teacher
    start : ndarray (d, p)
    advance : callable
        Takes the objective, W and a number of steps to W after them.
    steps, every : int
    """
    w = torch.from_numpy(start).to(objective.x.dtype)
    d, p = start.shape
    counts, losses, amplitudes, eigenvalues = [], [], [], []
    for count in range(0, steps + 1, every):
        if count:
            w = advance(objective, w, every)
        factor = w.double().numpy()
        along = teacher.eigenvectors.T @ factor
        counts.append(count)
        losses.append(float(objective.value_and_gradient(w)[0]))
        amplitudes.append((along**2).sum(axis=1) / np.sqrt(p * d))
        singular = np.linalg.svd(factor, compute_uv=False)
        eigenvalues.append(np.pad(singular**2 / np.sqrt(p * d), (0, d - singular.size)))
    return Path(*(np.array(column) for column in (counts, losses, amplitudes, eigenvalues)))


def overlaps_along(
    parts: Sequence[Objective], start: float, s0: np.ndarray, step: float, steps: int
) -> np.ndarray:
    """Gradient descent from S = start I, its steps taken from parts of the data in turn.

    Parameters
    ----------
    parts : sequence of Objective
        Of equal numbers of samples; one that holds all is full-batch descent.
    start : float > 0
    s0 : ndarray (d, d)
        The teacher.
    step : float > 0
        In units of the time of the population flow: a rate of step d sqrt(pd)/(2n) on the loss
        that is summed over n samples (theory.md section 20).
    steps : int

    Returns
    -------
    ndarray (steps + 1, 2)
        q and m before and after every step.
    """
    d = len(s0)
    n = sum(part.x.shape[1] for part in parts)
    rate = len(parts) * step * d**2 / (2 * n)
    w = torch.eye(d, dtype=parts[0].x.dtype) * np.sqrt(start * d)
    teacher = torch.from_numpy(s0).to(w.dtype)
    found = []
    for count in range(steps + 1):
        if count:
            w = w - rate * parts[count % len(parts)].value_and_gradient(w)[1]
        s = w @ w.mT / d
        found.append((float((s * s).sum()) / d, float((s * teacher).sum()) / d))
    return np.array(found)


def gradient_descent(rate: float) -> Callable[[Objective, torch.Tensor, int], torch.Tensor]:
    """Plain gradient descent with a fixed rate."""

    def advance(objective: Objective, w: torch.Tensor, steps: int) -> torch.Tensor:
        for _ in range(steps):
            w = w - rate * objective.value_and_gradient(w)[1]
        return w

    return advance


class AdamSteps:
    """Adam with a fixed rate, its moments kept from block to block."""

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.optimiser: torch.optim.Adam | None = None
        self.w = torch.empty(0)

    def __call__(self, objective: Objective, w: torch.Tensor, steps: int) -> torch.Tensor:
        if self.optimiser is None:
            self.w = w.clone()
            self.optimiser = torch.optim.Adam([self.w], lr=self.rate)
        for _ in range(steps):
            self.w.grad = objective.value_and_gradient(self.w)[1]
            self.optimiser.step()
        return self.w
