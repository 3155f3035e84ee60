"""seq2seq beside seq2lab on the same sequences: one limit, and how fast it is reached."""

from __future__ import annotations

from typing import Any

from attlas.model import Problem
from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.measure import measure as measured_of
from attlas.verify.store.case import Case
from attlas.verify.training.certificate import Certificate
from attlas.verify.training.factorised import train

KEYS = ("loss", "train_error", "test_error", "q", "m")


def measure(case: Case) -> Measurement:
    """The same teacher and tokens trained for either output."""
    measured, seq2seq, digest = _observed(case, case.problem.with_(task="seq2seq"))
    reference, seq2lab, _ = _observed(case, case.problem.with_(task="seq2lab"))
    return Measurement(
        measured=measured,
        reference=reference,
        converged=seq2seq.converged and seq2lab.converged,
        certificate=max(seq2seq.gradient, seq2lab.gradient),
        data_hash=digest,
    )


def _observed(case: Case, problem: Problem) -> tuple[dict[str, float], Certificate, str]:
    teacher, training = training_of(case, problem)
    trained = train(training)
    seen = measured_of(problem, teacher, training.data, trained, seed=case.seed)
    values = {key: getattr(seen.observables, key) for key in KEYS}
    return values, trained.certificate, training.data.digest


def wrong(case: Case, control: Control) -> dict[str, float]:  # noqa: ARG001
    """seq2lab with its loss averaged over the T tokens: T times the penalty, losses over T."""
    tokens = case.problem.channel.tokens
    estimator: Any = case.problem.estimator
    problem = case.problem.with_(estimator=estimator.with_(lam=tokens * estimator.lam))
    seen = _observed(case, problem)[0]
    losses = {key: seen[key] / tokens for key in KEYS[:3]}
    return {**losses, **{key: seen[key] for key in KEYS[3:]}}


TASKS = Experiment(measure, wrong)
