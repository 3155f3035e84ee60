"""Training from many starts beside other roads: is the minimum that they find the same?"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import torch

from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.store.case import Case
from attlas.verify.training import adam, factorised, fista
from attlas.verify.training.amp import training as amp
from attlas.verify.training.initialisation import INITIALISATIONS, initial_factor
from attlas.verify.training.task import Trained, Training

#: Steps of Adam without L-BFGS, "as people run it".
PLAIN_STEPS = 1000
#: The width of the wrong reference, over that of the student.
_NARROW = 8


def measure(case: Case) -> Measurement:
    """The worst objective over all starts, and that of plain Adam, beside the best road's.

    The roads of the reference are message passing and FISTA from two starts; an objective lower
    still that gradient training finds counts too, so that no gap is ever negative.
    """
    _, training = training_of(case)
    trained = [factorised.train(replace(training, initialisation=name)) for name in INITIALISATIONS]
    others = [*roads(training)]
    found = [one.certificate.objective for one in trained if one.certificate.converged]
    reference = [one.certificate.objective for one in others if one.certificate.converged]
    best = min(found + reference)
    certificates = [one.certificate for one in (*trained, *others)]
    return Measurement(
        measured={
            "worst_start": max(found),
            "roads": max(reference),
            "plain_adam": plain_adam(training),
        },
        reference={"worst_start": best, "roads": best, "plain_adam": best},
        converged=all(certificate.converged for certificate in certificates),
        certificate=max(certificate.gradient for certificate in certificates),
        data_hash=training.data.digest,
    )


def roads(training: Training) -> list[Trained]:
    """Message passing, and FISTA from a large and from a small start."""
    relaxed = replace(training, tolerance=1e-7)
    return [
        amp.train(relaxed),
        fista.train(relaxed),
        fista.train(replace(relaxed, initialisation="small")),
    ]


def plain_adam(training: Training) -> float:
    """The objective where Adam alone ends, in float32 and with a cosine schedule."""
    start = initial_factor(training.initialisation, training.d, training.p, training.seed)
    w = adam.descend(training.objective(torch.float32), torch.from_numpy(start), steps=PLAIN_STEPS)
    return float(training.objective().value_and_gradient(w.double())[0])


def wrong(case: Case, control: Control) -> dict[str, float]:  # noqa: ARG001
    """The minimum of a student too narrow for the rank that the penalty wants.

    Its penalty on S is that of the wide student, so that the objectives are comparable.
    """
    _, training = training_of(case)
    width = max(1, training.p // _NARROW)
    lam = training.lams[0] * sqrt(training.p / width)
    narrow = factorised.train(replace(training, p=width, lams=(lam,), tolerance=1e-5))
    value = narrow.certificate.objective
    return {"worst_start": value, "roads": value, "plain_adam": value}


GLOBAL_MINIMUM = Experiment(measure, wrong)
