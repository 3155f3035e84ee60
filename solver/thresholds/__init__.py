"""Thresholds to any number of digits, with proofs: one file a threshold."""

from __future__ import annotations

from collections.abc import Callable

from attlas.model import Problem, Target, Wishart, require_problem
from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import Number, non_negative, whole
from attlas.model.names import names_checked
from attlas.solver.thresholds.bayes import bayes
from attlas.solver.thresholds.bulk_split import bulk_split
from attlas.solver.thresholds.collapse import collapse
from attlas.solver.thresholds.interpolation import interpolation
from attlas.solver.thresholds.perfect_recovery import perfect_recovery
from attlas.solver.thresholds.question import Question
from attlas.solver.thresholds.result import ThresholdResult, ThresholdStats, ThresholdStatus
from attlas.solver.thresholds.separability import separability
from attlas.solver.thresholds.weak_recovery import SpikeMargin, spike_margin, weak_recovery

__all__ = [
    "THRESHOLDS",
    "SpikeMargin",
    "ThresholdResult",
    "ThresholdStats",
    "ThresholdStatus",
    "spike_margin",
    "threshold",
]

#: Every threshold by its name on the command line; a new one is a file and a line.
THRESHOLDS: dict[str, Callable[[Question], ThresholdResult]] = {
    "interpolation": interpolation,
    "perfect-recovery": perfect_recovery,
    "bayes": bayes,
    "bulk-split": bulk_split,
    "collapse": collapse,
    "weak-recovery": weak_recovery,
    "separability": separability,
}

#: Those that are known where the norm of tokens fluctuates otherwise: exact recovery forces the
#: trace that it multiplies, and the collapse counts it (theory.md section 17).
_OF_ANY_NORM = ("perfect-recovery", "collapse")

#: Those that are known of maps without symmetry (theory.md section 19).
_OF_ANY_MAP = ("interpolation", "perfect-recovery", "collapse", "separability")

_MOST_DIGITS = 1000
_LEAST_DIGITS = 15


@names_checked
def threshold(
    name: str,
    *,
    kappa0: Number | None = None,
    noise: Number = 0,
    tokens: Number = 2,
    digits: Number = 15,
    certify: bool = False,
    target: Target | None = None,
    problem: Problem | None = None,
) -> ThresholdResult:
    """A threshold of the theory with any number of digits (theory.md sections 7, 9 and 12).

    Parameters
    ----------
    name : str
        "interpolation", "perfect-recovery", "bayes", "bulk-split", "collapse", "weak-recovery" or
        "separability".
    kappa0 : number > 0
        Rank ratio of a Wishart teacher; exact strings such as ``"1/3"`` are never rounded.
    noise : number >= 0
    tokens : int >= 1
        T; 1 is the linear channel. alpha = a/D with D = (T^2 + T - 2)/2, or 1 for T = 1.
    digits : int, 15 to 1000
        Significant digits of the answer.
    certify : bool
        Prove existence, uniqueness and the digits by interval arithmetic.
    target : Target, optional
        Instead of ``kappa0``: any for perfect-recovery and bayes, which its rank decides; with a
        rational R-transform or a few different eigenvalues for interpolation.
    problem : Problem, optional
        For "collapse", "weak-recovery" and "separability", which depend on more of it, and for
        untied queries and keys; replaces the other parameters.

    Returns
    -------
    ThresholdResult
        Where there is no threshold, ``alpha`` is None and the statement says why.

    Raises
    ------
    BadInput
        For an unknown name or a parameter out of range.
    """
    if name not in THRESHOLDS:
        raise unknown_name("threshold", name, THRESHOLDS)
    asked_digits = whole("digits", digits, at_least=_LEAST_DIGITS)
    if asked_digits > _MOST_DIGITS:
        raise BadInput("digits", digits, f"must be at most {_MOST_DIGITS}")
    if problem is not None:
        target, noise = require_problem(problem, any_tokens=True).target, problem.channel.noise
        _require_tokens(name, problem)
        tokens = problem.channel.tokens
        if not problem.scores.symmetric and name not in _OF_ANY_MAP:
            valid = f"must train a symmetric map for the threshold {name}"
            raise BadInput("training", problem.estimator.name, valid)
    return THRESHOLDS[name](
        Question(
            name=name,
            target=Wishart(kappa0) if target is None else target,
            noise=non_negative("noise", noise),
            tokens=whole("tokens", tokens, at_least=1),
            digits=asked_digits,
            certify=certify,
            problem=problem,
        )
    )


def _require_tokens(name: str, problem: Problem) -> None:
    """Refuse tokens with which a threshold moves to where no formula says."""
    tokens = problem.tokens
    known = name in _OF_ANY_NORM and tokens.covariance is None
    if not (known or tokens.like_gaussian):
        parameter, text = next(iter(tokens.flat().items()))
        raise BadInput(parameter, text, f"moves the threshold {name}, and no formula says where")
