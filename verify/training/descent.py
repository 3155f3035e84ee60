"""Training from a small start, recorded step by step: modes of the teacher in time."""

from __future__ import annotations

from collections.abc import Callable
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
