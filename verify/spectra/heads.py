"""Heads trained for their spectra, and from their runs to heads beside their predicted law."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from attlas.model import Atoms, Problem
from attlas.solver.learned_spectrum.predicted import Predicted
from attlas.verify.simulation.progress import Progress
from attlas.verify.simulation.result import Run, Simulation
from attlas.verify.simulation.simulate import simulate
from attlas.verify.spectra.comparison import Head
from attlas.verify.spectra.draws import Draw

#: Residual of stationarity: it moves eigenvalues by as much, far less than finite d does.
TOLERANCE = 1e-4


def train_heads(
    problem: Problem,
    d: int,
    seeds: Sequence[int],
    algorithm: str | None = None,
    device: str = "auto",
    progress: Progress | None = None,
) -> Simulation:
    """Train heads whose spectra and overlaps are wanted.

    Parameters
    ----------
    problem : Problem
    d : int
    seeds : sequence of int
    algorithm : str, optional
        As of :func:`attlas.verify.simulation.simulate.simulate`, to its own tolerance. By default
        maps under a nuclear norm are found by "staged", which is the quickest, to a residual of
        ``TOLERANCE``.
    device : str
    progress : callable, optional

    Returns
    -------
    Simulation
        Also where a run did not converge; its status says so.
    """
    options: dict[str, Any] = {}
    shape = problem.estimator.shape
    if algorithm is None and shape is not None and shape.nuclear:
        algorithm, options = "staged", {"gradient_tolerance": TOLERANCE}
    return simulate(
        problem,
        d=d,
        seeds=seeds,
        algorithm=algorithm or "adam",
        device=device,
        overlaps=True,
        progress=progress,
        raise_on_failure=False,
        **options,
    )


def heads_of(simulation: Simulation) -> list[Head]:
    """The runs that have a paired theory and kept their overlaps."""
    return [
        head_of(simulation.problem, run)
        for run in simulation.runs
        if run.theory is not None and run.overlaps is not None
    ]


def head_of(problem: Problem, run: Run) -> Head:
    """A run beside the law predicted at its own teacher.

    Raises
    ------
    TypeError
        If the run has no paired theory, or did not keep its overlaps.
    """
    if run.theory is None or run.overlaps is None:
        raise TypeError("a head needs its paired theory and its overlaps")
    return Head(
        draw=Draw(np.array(run.eigenvalues), run.overlaps),
        teacher=run.teacher_eigenvalues,
        rule=paired_law(problem, run).rule,
        delta=run.theory.delta,
    )


def paired_law(problem: Problem, run: Run) -> Predicted:
    """The law of the trained map at a run's own teacher and width.

    Raises
    ------
    TypeError
        If the run has no paired theory.
    """
    if run.theory is None:
        raise TypeError("a law at the run's own teacher needs the paired theory")
    own = problem.with_(
        target=Atoms(run.teacher_eigenvalues),
        estimator=problem.estimator.with_(kappa=Fraction(run.p, run.d)),
    )
    return Predicted.of(own, run.theory)
