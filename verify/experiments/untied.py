"""Weight decay on two untied factors beside the nuclear norm of their product."""

from __future__ import annotations

from math import sqrt

import numpy as np

from attlas.verify.claims.claim import Control
from attlas.verify.data.randomness import generator
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import TIGHT, training_of
from attlas.verify.store.case import Case
from attlas.verify.training.untied import UntiedObjective, train_factors, train_map


def measure(case: Case) -> Measurement:
    """Objectives of the two programs, and half the factors' squared norms beside ||M||_*."""
    _, training = training_of(case)
    objective = UntiedObjective.of(training.objective())
    d, p, lam = training.d, training.p, training.lams[0]
    start = generator(case.seed, "initialisation").standard_normal((2, d, p))
    factors = train_factors(objective, lam, p, start, tolerance=TIGHT)
    mapped = train_map(objective, lam * sqrt(p * d), tolerance=TIGHT)
    nuclear = sqrt(p * d) * float(np.linalg.norm(factors.m, "nuc"))
    return Measurement(
        measured={"objective": factors.objective, "half_norm": factors.half_norm},
        reference={"objective": mapped.objective, "half_norm": nuclear},
        converged=max(factors.residual, mapped.residual) <= TIGHT,
        certificate=max(factors.residual, mapped.residual),
        data_hash=training.data.digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:  # noqa: ARG001
    """The nuclear norm without the half: of twice the weight."""
    _, training = training_of(case)
    objective = UntiedObjective.of(training.objective())
    weight = 2 * training.lams[0] * sqrt(training.p * training.d)
    mapped = train_map(objective, weight, tolerance=1e-6)
    nuclear = sqrt(training.p * training.d) * float(np.linalg.norm(mapped.s, "nuc"))
    return {"objective": mapped.objective, "half_norm": 2 * nuclear}


UNTIED = Experiment(measure, wrong)
