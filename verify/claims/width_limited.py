"""Students narrower than the rank that their penalty wants."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Problem, problem_from
from attlas.verify.claims.claim import Claim, Design, Point, Quantity, Statement
from attlas.verify.claims.controls.width_ignored import WIDTH_IGNORED
from attlas.verify.claims.quantities import LOSS, OVERLAP, SELF_OVERLAP


def _problem(kappa: str, tokens: int) -> Problem:
    return problem_from(
        alpha="0.5",
        lam="0.02",
        kappa=kappa,
        kappa0="0.5",
        noise="0.5",
        tokens=tokens,
        training="width-limited",
    )


_POINTS = (
    Point("softmax, a fifth of the rank", _problem("0.1", 2)),
    Point("linear, half of the rank", _problem("0.25", 1)),
)

WIDTH_LIMITED = Claim(
    id="width-limited",
    title="A student too narrow for the target",
    statement=(
        "Where the width κd limits the rank, the trained map keeps the κd largest eigenvalues of "
        "what the penalty would have left. The equations that say so are formally unstable (their "
        "replicon is infinite), so how well they hold is measured."
    ),
    equation="state-evolution",
    covers=Statement("13b", "A student narrower than the rank that the penalty wants."),
    measurement=(
        "W is trained from a random and from a wrong low-rank start, and the lower minimum is "
        "compared with the theory at the teacher's own eigenvalues; the deviation is extrapolated "
        "in 1/d."
    ),
    points=_POINTS,
    quantities=(
        LOSS,
        replace(SELF_OVERLAP, cap=0.05),
        replace(OVERLAP, cap=0.05),
        Quantity("mse", "squared error", r"\|S - S_0\|^2/d", "of the map", cap=0.05),
    ),
    controls=(WIDTH_IGNORED,),
    designs={
        "full": Design(tuple(p.key for p in _POINTS), {40: 100, 60: 60, 100: 30}),
    },
    absent={
        "standard": "Runs scatter over d by 40 to 90 times the margins: some 260 would decide its "
        "overlap and squared error, three times as many as that suite has made.",
    },
    experiment="attlas.verify.experiments.heads:NARROW",
)
