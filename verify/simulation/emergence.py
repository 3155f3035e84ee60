"""Capture and squared error, mode by mode, of trained heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.scaling import penalty_of
from attlas.solver.scaling.problem import problem_at
from attlas.verify.simulation.power_law_heads import heads_of
from attlas.verify.simulation.result import Run
from attlas.verify.training.rank import non_zero


@dataclass(frozen=True, eq=False)
class TrainedModes:
    """Heads of several seeds at one n, beside :class:`attlas.solver.emergence.Modes`.

    Attributes
    ----------
    n : int
    lam : float
    captured, error : ndarray (seeds, d)
        Share of each target direction in the range of the trained map, and its contribution to
        the squared error; the contributions of a run sum to its squared error.
    """

    n: int
    lam: float
    captured: np.ndarray
    error: np.ndarray

    def mean(self, key: str) -> tuple[np.ndarray, np.ndarray]:
        """Mean over seeds and its standard error (NaN for a single seed)."""
        values = getattr(self, key)
        if len(values) < 2:
            return values.mean(axis=0), np.full(values.shape[1], np.nan)
        return values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(values))


def mode_shares(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Capture and squared error of every mode of a run that kept its overlaps.

    Raises
    ------
    TypeError
        If it did not.
    """
    if run.overlaps is None:
        raise TypeError("modes need the overlaps of the run")
    learned, targets = np.array(run.eigenvalues), np.array(run.teacher_eigenvalues)
    alive = non_zero(learned, targets[0])
    kept = np.where(alive, learned, 0.0)
    return (
        run.overlaps[:, alive].sum(axis=1),
        (run.overlaps * (kept - targets[:, None]) ** 2).sum(axis=1) / run.d,
    )


def trained_modes(
    target: PowerLaw,
    samples: Iterable[float],
    noise: float,
    *,
    seeds: int | Sequence[int],
    lam: float | None = None,
    tokens: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[TrainedModes, ...]:
    """Train heads at several n.

    Parameters
    ----------
    target : PowerLaw
    samples : iterable of float
        Rounded to whole numbers.
    noise : float
        > 0 unless ``lam`` is given: at lam_c = 0 nothing can be trained.
    seeds : int or sequence of int
    lam : float, optional
        A fixed penalty; lam_c(n) by default.
    tokens : int
        1 is the linear channel, more are softmax.
    progress : callable, optional

    Raises
    ------
    BadInput
        Where the penalty is 0.
    SimulationError
        If a run did not meet its certificate.
    """
    if (lam is None and noise == 0) or lam == 0:
        raise BadInput("seeds", seeds, "needs a penalty above 0", "give `noise` or `lam`")
    counts = sorted({max(1, round(value)) for value in samples})
    found = []
    for index, n in enumerate(counts):
        penalty = penalty_of(target, n, noise, lam, tokens)
        problem = problem_at(target, n, noise, penalty, tokens=tokens)
        runs = heads_of(problem, target.d, seeds, overlaps=True)
        captured, error = zip(*(mode_shares(run) for run in runs), strict=True)
        found.append(TrainedModes(n, penalty, np.array(captured), np.array(error)))
        if progress is not None:
            progress(index + 1, len(counts))
    return tuple(found)
