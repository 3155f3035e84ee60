"""From the runs of a simulation to heads beside their predicted law."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from model import Atoms, Problem
from solver.learned_spectrum.rule import rule
from solver.spectrum import target_law
from verify.simulation import Run, Simulation
from verify.spectra.comparison import Head
from verify.spectra.draws import Draw
from verify.student import at_width


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
    estimator = at_width(problem.estimator, Fraction(run.p, run.d), None)
    law = target_law(Atoms(run.teacher_eigenvalues)).noisy(run.theory.delta)
    return Head(
        draw=Draw(np.array(run.eigenvalues), run.overlaps),
        teacher=run.teacher_eigenvalues,
        rule=rule(estimator, run.theory, law),
        delta=run.theory.delta,
    )
