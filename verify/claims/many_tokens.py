"""Heads that attend over more than two tokens."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls import HALVED_NOISE
from attlas.verify.claims.controls.two_tokens import TWO_TOKENS
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP


def _problem(tokens: int, alpha: str) -> Problem:
    return problem_from(alpha=alpha, lam="0.05", kappa0="0.5", noise="0.5", tokens=tokens)


_POINTS = (
    Point("three tokens", _problem(3, "0.2")),
    Point("four tokens", _problem(4, "0.15")),
)

MANY_TOKENS = Claim(
    id="many-tokens",
    title="More than two tokens",
    statement=(
        "Heads over three and four tokens have the errors and overlaps of the same six equations, "
        "with the proximal operator of their own softmax: more tokens are not just more labels."
    ),
    equation="state-evolution",
    covers=Statement("4", "More than two tokens enter through one more channel."),
    measurement=(
        "W is trained to its certificate and compared with the theory at the teacher's own "
        "eigenvalues, whose integrals over 10 and 18 dimensions are randomised and count with "
        "their error bar; the deviation is extrapolated in 1/d."
    ),
    points=_POINTS,
    quantities=(
        LOSS,
        Quantity(
            "test_error",
            "test error",
            r"e_{\mathrm{test}}",
            "mean squared misfit of fresh samples, summed over outputs",
            cap=0.05,
        ),
        replace(SELF_OVERLAP, cap=0.05),
        replace(OVERLAP, cap=0.05),
    ),
    controls=(HALVED_NOISE, TWO_TOKENS),
    designs={
        "standard": Design(tuple(p.key for p in _POINTS), {28: 22, 44: 16, 72: 10}),
        "full": Design(tuple(p.key for p in _POINTS), {40: 120, 64: 80, 112: 40}),
    },
    experiment="attlas.verify.experiments.heads:MANY_TOKENS",
)
