"""Tokens that are not Gaussian, beside the theory of Gaussian ones."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Claim, Departure, Design, LeftOut, Point, Statement
from attlas.verify.claims.controls import DOUBLED_PENALTY
from attlas.verify.claims.controls.isotropic_tokens import ISOTROPIC_TOKENS
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP, TEST_ERROR

_STUDENT = "Student tokens, 5 degrees of freedom"
_TOKENS = {
    "tokens on the sphere": {"tokens_law": "sphere"},
    "three-point tokens, kurtosis 3": {"tokens_law": "three-point"},
    _STUDENT: {"tokens_law": "student:nu=5"},
    "neighbouring coordinates correlated": {"token_covariance": "ar1:rho=0.5"},
}
_HEAVY = (
    "tokens of 5 degrees of freedom have no eighth moment: the fluctuation of their squared length "
    "reaches its limit, k = 6, too slowly for a straight line in 1/d"
)
_POINTS = tuple(
    Point(key, problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5", **flat))
    for key, flat in _TOKENS.items()
)

UNIVERSALITY = Claim(
    id="universality",
    title="Tokens that are not Gaussian",
    statement=(
        "Of isotropic tokens the theory sees the fluctuation of their squared length alone: tokens "
        "on the sphere are as Rademacher ones, three-point tokens of kurtosis 3 as Gaussian ones. "
        "Correlated coordinates enter through their covariance. Heavy tails come to their limit "
        "slowly, in a band that is declared."
    ),
    equation="state-evolution",
    covers=Statement("1, 17", "Tokens need not be Gaussian: laws that share a limit."),
    measurement=(
        "Heads are trained on tokens of each law and compared with its theory at the teacher's own "
        "eigenvalues; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(LOSS, TEST_ERROR, SELF_OVERLAP, OVERLAP),
    controls=(ISOTROPIC_TOKENS, DOUBLED_PENALTY),
    designs={
        "full": Design(
            tuple(p.key for p in _POINTS),
            {16: 40, 24: 40, 40: 30, 64: 12},
            left_out=(
                LeftOut(
                    "Over d, runs scatter by 150 times the margin.",
                    ("q", "m"),
                    ("neighbouring coordinates correlated",),
                ),
            ),
        ),
    },
    absent={
        "standard": "Its runs with the right tokens have not been made yet; the full suite asks it."
    },
    departures=(
        Departure(_STUDENT, "loss", 0.005, 0.2, _HEAVY),
        Departure(_STUDENT, "test_error", 0.01, 0.3, _HEAVY),
    ),
)
