"""What the norms of tokens reveal: linear statistics of S in the variance of diagonal scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attlas.model import Problem
from attlas.solver.channels import ScoreTokens
from attlas.solver.spectrum import TargetLaw, WhitenedLaw, whitened_law

Traces = tuple[float, ...]


@dataclass(frozen=True)
class Revealed:
    """Diagonal scores of S and S' have the covariance 2 Tr C S C S'/d + t(S)^T form t(S').

    Attributes
    ----------
    names : tuple of str
        Result keys of the statistics t, each linear in S: ``t`` is Tr C S/d, ``c2`` Tr C^2 S/d.
    form : tuple of tuple of float
        Symmetric; norms of excess kurtosis k have k, for t alone.
    teacher : tuple of float
        t(S0).

    Notes
    -----
    theory.md section 17. Each statistic is an overlap; its conjugate is the coefficient of one more
    penalty, linear in S.
    """

    names: tuple[str, ...] = ()
    form: tuple[tuple[float, ...], ...] = ()
    teacher: Traces = ()

    def added(self, traces: Traces) -> tuple[float, float]:
        """X and Y: the variance added to the student's score, and the covariance with z0."""
        t, pushed = np.array(traces), np.array(self.form) @ np.array(traces)
        return float(t @ pushed), float(np.array(self.teacher) @ pushed)

    @property
    def teachers(self) -> float:
        """W, what is added to the variance of the teacher's score."""
        return self.added(self.teacher)[0] if self.names else 0.0

    def slopes(self, traces: Traces, d_own: float, d_shared: float) -> Traces:
        """dM/dt from dM/dX and dM/dY."""
        if not self.names:
            return ()
        towards = 2 * d_own * np.array(traces) + d_shared * np.array(self.teacher)
        return tuple(float(one) for one in np.array(self.form) @ towards)

    def scaled(self, scale: float) -> Traces:
        """The statistics of a student that is ``scale`` times the teacher."""
        return tuple(scale * one for one in self.teacher)


NOTHING = Revealed()


def whitened(problem: Problem, law: TargetLaw) -> WhitenedLaw | None:
    """The law of what a problem's tokens see of the teacher, where they have a covariance."""
    covariance = problem.tokens.covariance
    if covariance is None:
        return None
    return whitened_law(problem.target, law, *covariance.atoms())


def revealed(problem: Problem, law: TargetLaw, whitened: WhitenedLaw | None) -> Revealed:
    """The statistics that a problem's tokens reveal.

    Parameters
    ----------
    problem : Problem
    law : TargetLaw
        Of the teacher.
    whitened : WhitenedLaw or None
        Of the teacher as the tokens see it.
    """
    k = float(problem.tokens.excess_kurtosis)
    if whitened is not None and problem.tokens.normalised:
        # x^T S x d/|x|^2 - Tr C S is, to leading order, the score of S - t: t C drops out of C S.
        square = whitened.square
        form = ((2 * square, -2.0), (-2.0, 0.0))
        return Revealed(("t", "c2"), form, (law.mean, square * law.mean))
    return Revealed(("t",), ((k,),), (law.mean,)) if k else NOTHING


def score_tokens(problem: Problem, found: Revealed) -> ScoreTokens | None:
    """What the channel has to know of the tokens; None where they change nothing there."""
    positions = problem.tokens.positions
    if positions is None and not found.names:
        return None
    rows = None if positions is None else tuple(tuple(map(float, row)) for row in positions)
    return ScoreTokens(found.teachers, rows)
