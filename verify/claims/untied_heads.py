"""Heads whose queries and keys have matrices of their own."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, LeftOut, Point, Statement
from attlas.verify.claims.controls import DOUBLED_PENALTY, HALVED_NOISE
from attlas.verify.claims.controls.symmetric_noise import SYMMETRIC_NOISE
from attlas.verify.claims.controls.tied_theory import TIED_THEORY
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP, TEST_ERROR


def _problem(alpha: str, lam: str, **more: str) -> Problem:
    return problem_from(training="untied", kappa0="0.5", alpha=alpha, lam=lam, **more)


_POINTS = (
    Point("one query, one key, noisy", _problem("0.5", "0.2", tokens="1", noise="0.5")),
    Point("cross-attention", _problem("0.4", "0.1", noise="0.2")),
    Point("masked self-attention", _problem("0.3", "0.1", tokens="3", keys="masked")),
)
_ALL = tuple(point.key for point in _POINTS)

UNTIED_HEADS = Claim(
    id="untied-heads",
    title="Separate query and key matrices",
    statement=(
        "A head with a query and a key matrix of its own, S = W_Q W_Kᵀ/√(pd), has the loss, errors "
        "and overlaps of the equations with a nuclear norm on singular values, for keys from other "
        "tokens and for self-attention with its diagonal masked."
    ),
    equation="state-evolution",
    covers=Statement("19", "Separate query and key matrices are a nuclear norm on any map."),
    measurement=(
        "W_Q and W_K are trained by Adam and L-BFGS to a certificate, and compared with the theory "
        "at the teacher's own singular values; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        LOSS,
        TEST_ERROR,
        replace(SELF_OVERLAP, cap=0.05),
        replace(OVERLAP, cap=0.05),
    ),
    controls=(TIED_THEORY, DOUBLED_PENALTY, SYMMETRIC_NOISE, HALVED_NOISE),
    designs={
        "standard": Design(
            _ALL[1:],
            {30: 40, 44: 24, 64: 14},
            left_out=(
                LeftOut(
                    "So few runs decide nothing here, and take five minutes: the full suite asks.",
                    points=_ALL[:1],
                ),
            ),
        ),
        "full": Design(_ALL, {40: 150, 64: 100, 96: 50}),
    },
)
