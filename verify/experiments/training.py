"""The data and settings of a case, for experiments that train in more than one way."""

from __future__ import annotations

from typing import Any

from attlas.model import Problem
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import Teacher, draw_teacher
from attlas.verify.machine.device import resolve_device
from attlas.verify.simulation.student import width_of
from attlas.verify.store.case import Case
from attlas.verify.training.adam import DEFAULT_STEPS
from attlas.verify.training.task import Training

#: Relative gradient at which two roads to one minimum are compared: their objectives then differ
#: by its square.
TIGHT = 1e-8


def training_of(
    case: Case, problem: Problem | None = None, **options: Any
) -> tuple[Teacher, Training]:
    """The teacher and the training of a case.

    Parameters
    ----------
    case : Case
    problem : Problem, optional
        Trained instead of the case's own, on its teacher and its tokens.
    **options
        Fields of :class:`attlas.verify.training.algorithms.Training` that replace the usual ones.
    """
    own = case.problem if problem is None else problem
    teacher = draw_teacher(own.target, case.d, case.seed)
    n = own.samples(case.d)
    data = draw_data(own, teacher, n, case.seed, centring=case.centring)
    usual: dict[str, Any] = {
        "lams": (float(getattr(own.estimator, "lam", 1)),),
        "p": width_of(own.estimator, case.d),
        "seed": case.seed,
        "tolerance": TIGHT,
        "adam_steps": DEFAULT_STEPS,
        "max_steps": None,
        "initialisation": "large",
        "device": resolve_device("cpu"),
        "centring": case.centring,
    }
    return teacher, Training(
        problem=own, data=data, s0=teacher.s0, d=case.d, **{**usual, **options}
    )
