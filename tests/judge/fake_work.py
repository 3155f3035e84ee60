"""Stand-ins for training and for the solver, with known truth, so that suites run in a second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attlas.model import Factorised, Problem
from attlas.solver.solution import Observables, Solution
from attlas.verify.claims import CLAIMS, Claim, Design
from attlas.verify.claims.learning_curve import LEARNING_CURVE
from attlas.verify.store.rows import Row
from attlas.verify.suite.work import Job

KEYS = ("loss", "train_error", "test_error", "q", "m")

#: Runs deviate from theory by this much over d, and scatter by this much over d.
SLOPE, SPREAD = 0.5, 0.1


def theory_of(problem: Problem) -> dict[str, float]:
    """A smooth function of the problem, which the controls change."""
    estimator = problem.estimator
    lam = float(estimator.lam) if isinstance(estimator, Factorised) else 0.3
    channel = 1.0 if problem.channel.name in ("softmax", "linear") else 1.4
    base = channel * (1 + float(problem.channel.noise)) / (1 + float(problem.alpha))
    return {key: base * (1 + i) * (0.01 + lam) ** 0.5 for i, key in enumerate(KEYS)}


def limit(problem: Problem) -> Solution:
    values = theory_of(problem)
    errors = Observables(**dict.fromkeys(values, 1e-09))
    return replace(Solution(problem=problem, error=errors), **values)


def make_do(bias: float = 0.0):
    """A stand-in for ``attlas.verify.suite.work.do`` whose runs tend to theory times (1 + bias)."""

    def do(job: Job, device: str) -> list[Row]:
        case = job.case
        right = theory_of(case.problem)
        rng = np.random.default_rng(case.seed)
        measured = {
            key: value * (1 + bias + (SLOPE + SPREAD * rng.standard_normal()) / case.d)
            for key, value in right.items()
        }
        run = Row(
            case=case,
            measured=measured,
            theory=right,
            theory_error=dict.fromkeys(right, 1e-09),
            certificate=1e-9,
            device=device,
            data_hash=f"{case.seed:x}",
            seconds=0.1,
        )
        return ([run] if job.run else []) + [
            Row(
                case=_as_control(case, control.id),
                theory=theory_of(control.wrong(case.problem)),
            )
            for control in job.controls
        ]

    return do


def _as_control(case, source):
    return type(case)(case.problem, case.d, case.seed, case.algorithm, source=source)


def small_claim() -> Claim:
    """The first claim with few points and runs, among them one of each channel."""
    points = (LEARNING_CURVE.points[0].key, LEARNING_CURVE.points[4].key)
    return replace(LEARNING_CURVE, designs={"quick": Design(points, {16: 3, 24: 3, 40: 3}, 2)})


def use(monkeypatch, bias: float = 0.0) -> None:
    """Let ``attlas.verify.suite.run`` use the stand-ins, on a small design."""
    monkeypatch.setattr("attlas.verify.suite.design._scatter", dict)
    for id_ in list(CLAIMS):  # the others need experiments of their own
        monkeypatch.delitem(CLAIMS, id_)
    monkeypatch.setitem(CLAIMS, LEARNING_CURVE.id, small_claim())
    monkeypatch.setattr("attlas.verify.suite.run.limit", limit)
    monkeypatch.setattr("attlas.verify.suite.run.do", make_do(bias))
