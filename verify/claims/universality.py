"""Tokens that are not Gaussian, beside the theory of Gaussian ones."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Departure, Design, Point, Quantity, Statement
from attlas.verify.claims.controls import DOUBLED_PENALTY
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP
from attlas.verify.data.tokens import TOKEN_LAWS

_PROBLEM = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
_NAMES = {
    "rademacher": "Rademacher tokens",
    "sphere": "tokens on the sphere",
    "three-point": "three-point tokens, kurtosis 3",
    "student-t5": "Student tokens, 5 degrees of freedom",
    "correlated": "correlated Gaussian tokens",
}
_FOURTH = (
    "the score of a token with itself has another variance than that of Gaussian tokens: the "
    "trace of S multiplies the fluctuation of its squared length"
)
_SHAPED = (
    "tokens with correlated entries see S between two roots of their covariance, which the penalty "
    "does not know: the theory is not meant for them"
)
_POINTS = tuple(Point(_NAMES[law], _PROBLEM, tokens_law=law) for law in TOKEN_LAWS if law in _NAMES)

UNIVERSALITY = Claim(
    id="universality",
    title="Tokens that are not Gaussian",
    statement=(
        "The theory is derived for Gaussian tokens. Independent entries have the same limit where "
        "their fourth moment is the Gaussian one. It enters through the scores of tokens with "
        "themselves, whose variance is (2 Tr S² + (E x⁴ − 3) Σ Sᵢᵢ²)/d and sees the trace of S; so "
        "other laws depart, tokens on the sphere and tokens with correlated entries do too. "
        "Nothing is assumed: each law is measured."
    ),
    equation="state-evolution",
    covers=Statement(
        "1", "Tokens need not be Gaussian: which laws share the limit, and which do not."
    ),
    measurement=(
        "Heads are trained on tokens of each law and compared with the theory of Gaussian tokens "
        "at the teacher's own eigenvalues; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        LOSS,
        Quantity(
            "test_error",
            "test error",
            r"e_{\mathrm{test}}",
            "on fresh samples of the same law",
            0.05,
        ),
        SELF_OVERLAP,
        OVERLAP,
    ),
    controls=(DOUBLED_PENALTY,),
    designs={
        "standard": Design(tuple(p.key for p in _POINTS), {16: 40, 24: 40, 40: 30, 64: 12}),
        "full": Design(tuple(p.key for p in _POINTS), {40: 200, 80: 100, 160: 60}),
    },
    departures=(
        Departure(_NAMES["correlated"], "m", -0.15, -0.02, _SHAPED),
        Departure(_NAMES["correlated"], "loss", -0.15, -0.01, _SHAPED),
        Departure(_NAMES["correlated"], "test_error", -0.3, -0.02, _SHAPED),
        Departure(_NAMES["rademacher"], "loss", 0.02, 0.15, _FOURTH),
        Departure(_NAMES["rademacher"], "test_error", 0.02, 0.2, _FOURTH),
        Departure(_NAMES["sphere"], "loss", 0.02, 0.15, _FOURTH),
        Departure(_NAMES["sphere"], "test_error", 0.02, 0.2, _FOURTH),
        Departure(_NAMES["student-t5"], "loss", -0.2, -0.02, _FOURTH),
        Departure(_NAMES["student-t5"], "test_error", -0.2, -0.01, _FOURTH),
    ),
)
