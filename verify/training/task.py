"""What an algorithm is given, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from attlas.model import Problem
from attlas.verify.data.sequences import Data
from attlas.verify.training.amp.iteration import Iteration
from attlas.verify.training.certificate import Certificate

if TYPE_CHECKING:
    import torch

    from attlas.verify.training.losses import Objective


@dataclass(frozen=True, eq=False)
class Training:
    """What an algorithm is given.

    Attributes
    ----------
    problem : Problem
    data : Data
        The training set, on the CPU in float64.
    s0 : ndarray (d, d)
        The teacher, for the record of overlaps along the way; no algorithm learns from it.
    d, p : int
        Token dimension and width of the student (d for a map without factors).
    lams : tuple of float
        Penalties, decreasing: each but the last is a warm start for the next.
    seed : int
        Fixes the initialisation.
    device : torch.device
    centring : str
    tolerance : float
        On the relative gradient norm.
    adam_steps : int
        Steps of Adam, where it is used.
    max_steps : int or None
        Gradient evaluations or iterations allowed; None for the algorithm's own number.
    initialisation : str
    onsager : {"sample", "mean"}
        Covariance of the scores of a sample in message passing: its own, or the average one.
    damping : float in [0, 1) or None
        Of message passing; None raises it where the iteration oscillates.
    report : callable (stage, step, steps) or None
    descended : Tensor (d, p) or None
        Where Adam ended, if it was run for several seeds at once (`verify.suite.batch`).
    """

    problem: Problem
    data: Data
    s0: np.ndarray
    d: int
    p: int
    lams: tuple[float, ...]
    seed: int
    device: torch.device
    centring: str
    tolerance: float
    adam_steps: int
    max_steps: int | None
    initialisation: str
    onsager: str = "sample"
    damping: float | None = None
    report: Callable[[str, int, int], None] | None = None
    descended: torch.Tensor | None = None

    def allowed(self, default: int) -> int:
        """The evaluations allowed: ``max_steps``, or the algorithm's own number."""
        return default if self.max_steps is None else self.max_steps

    def objective(self, dtype: torch.dtype | None = None) -> Objective:
        """The objective at the first penalty, in float64 unless told otherwise."""
        import torch

        from attlas.verify.training.losses import Objective

        return Objective.build(
            self.problem,
            self.data,
            lam=self.lams[0],
            centring=self.centring,
            device=self.device,
            dtype=dtype or torch.float64,
        )


@dataclass(frozen=True, eq=False)
class Trained:
    """What an algorithm returns.

    Attributes
    ----------
    s : ndarray (d, d)
        The learned map, float64.
    eigenvalues : ndarray (d,)
        Of s, descending; none negative where s = W W^T/sqrt(p d), for they are squared singular
        values of W.
    certificate : Certificate
    precision : str
        The arithmetic of each stage.
    w : ndarray (d, p) or None
        The factor, where there is one.
    iterations : tuple of Iteration
        Of message passing; empty for other algorithms.
    """

    s: np.ndarray
    eigenvalues: np.ndarray
    certificate: Certificate
    precision: str
    w: np.ndarray | None = None
    iterations: tuple[Iteration, ...] = ()
