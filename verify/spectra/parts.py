"""The error decomposition measured on a trained head, from its eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attlas.model import Problem
from attlas.solver.decomposition import Parts, split_error
from attlas.verify.simulation.result import Run
from attlas.verify.spectra.heads import paired_law
from attlas.verify.training.rank import non_zero


@dataclass(frozen=True)
class MeasuredParts:
    """The parts of ||S - eta* S0||^2/d of one head (theory.md section 13); their sum is exact.

    Attributes
    ----------
    over, under, approx : float
        As in :class:`attlas.solver.decomposition.Parts`: target directions are the teacher's
        eigenvectors, what is recovered are the learned eigenvectors of non-zero eigenvalue.
    mismatch : float
        (m/Q0 - eta*)^2 with the teacher's own Q0.
    """

    over: float
    under: float
    approx: float
    mismatch: float

    @property
    def error_scaled(self) -> float:
        """Their sum, ||S - eta* S0||^2/d."""
        return self.over + self.under + self.approx


def measured_parts(run: Run, eta_star: float) -> MeasuredParts:
    """Split the squared error of a run.

    Parameters
    ----------
    run : Run
        That kept its overlaps.
    eta_star : float
        Scale at which the target is compared.

    Raises
    ------
    TypeError
        If the overlaps were not kept.
    """
    if run.overlaps is None:
        raise TypeError("the decomposition needs the overlaps of the run")
    targets, learned = np.array(run.teacher_eigenvalues), np.array(run.eigenvalues)
    null, lost = ~non_zero(targets), ~non_zero(learned, targets[0])
    learned = np.where(lost, 0.0, learned)
    gaps = (learned[None, :] - eta_star * np.where(null, 0.0, targets)[:, None]) ** 2
    weights = run.overlaps / run.d
    energy = weights * gaps
    m = float(targets @ weights @ learned)
    return MeasuredParts(
        over=float(energy[null].sum()),
        under=float(energy[~null][:, lost].sum()),
        approx=float(energy[~null][:, ~lost].sum()),
        mismatch=(m / float(np.mean(targets**2)) - eta_star) ** 2,
    )


def paired_parts(problem: Problem, run: Run, eta_star: float) -> Parts:
    """The same in theory, at the run's own teacher and width."""
    law = paired_law(problem, run)
    return split_error(law.target, law.noisy, law.rule, eta_star)
