"""The factor near its minimum: Adam, then L-BFGS on growing parts of the data, all in float32."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import torch

from attlas.verify.training import adam
from attlas.verify.training.growth import part_of, shares
from attlas.verify.training.initialisation import initial_factor
from attlas.verify.training.losses import Objective
from attlas.verify.training.narrowing import NEGLIGIBLE, polish_narrow
from attlas.verify.training.task import Training

#: Relative gradient norm at which the factor is narrowed.
HALFWAY = 1e-3
#: Relative gradient norms at which a part of the data hands over to the next, and at which all data
#: have named the columns that they can do without.
_PASSED_ON, _NAMED = 0.1, 1e-2
#: Evaluations after which a stage is left: at small weight decay the rounding of float32 is larger
#: than what is asked.
_EVALUATIONS = 100


@dataclass(frozen=True, eq=False)
class Approach:
    """Where the approach ended.

    Attributes
    ----------
    w : Tensor (d, p)
    evaluations : int
        Of L-BFGS in float32, on all parts.
    adam_seconds : float
    """

    w: torch.Tensor
    evaluations: int
    adam_seconds: float


def approach(training: Training) -> Approach:
    """Come near the minimum at the first weight decay.

    Adam sees the first part of the data alone. Directions that a part does without may be wanted by
    the next: columns are let go only on all data.
    """
    clock, adam_seconds, evaluations = perf_counter(), 0.0, 0
    allowed, report = min(_EVALUATIONS, training.allowed(_EVALUATIONS)), training.report
    parts, lam = shares(len(training.data.x), training.d), training.lams[0]
    w = training.descended
    if w is not None:  # on all data
        parts = parts[-1:]
    for share in parts:
        objective = part_of(training, share, lam)
        if w is None:
            w = _descend(objective, training)
            adam_seconds = perf_counter() - clock
        stages = [(_PASSED_ON, 0.0)]
        if share == parts[-1]:
            stages = [(_NAMED, 0.0), (max(HALFWAY, training.tolerance), NEGLIGIBLE)]
        for tolerance, negligible in stages:
            w, used = polish_narrow(
                objective,
                w,
                negligible=negligible,
                tolerance=tolerance,
                max_steps=allowed,
                report=None
                if report is None
                else lambda step: report("l-bfgs float32", min(step, allowed), allowed),
            )
            evaluations += used
    assert w is not None  # there is a part
    return Approach(w, evaluations, adam_seconds)


def _descend(objective: Objective, training: Training) -> torch.Tensor:
    start = initial_factor(training.initialisation, training.d, training.p, training.seed)
    report = training.report
    return adam.descend(
        objective,
        torch.from_numpy(start).to(training.device),
        steps=training.adam_steps,
        report=None if report is None else lambda step, steps: report("adam", step, steps),
    )
