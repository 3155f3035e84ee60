"""The width of the student that is trained at finite dimension."""

from __future__ import annotations

from attlas.model import Estimator
from attlas.model.errors import BadInput


def width_of(estimator: Estimator, d: int) -> int:
    """p, the columns of the student's factor at dimension d; d for a map without factors.

    Raises
    ------
    BadInput
        If the estimator trains nothing that can be simulated.
    """
    penalty = estimator.penalty
    if penalty is None:
        raise BadInput(
            "training", estimator.name, "cannot be simulated; only trained students are", ""
        )
    if penalty.width is None:
        return d
    p = round(penalty.width * d)
    if p < 1:
        raise BadInput("kappa", float(penalty.width), f"must give a width of 1 at d = {d}")
    return p
