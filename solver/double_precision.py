"""Numbers that leave the range of double precision end a computation with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from attlas.model.errors import ComputationFailed
from attlas.solver.status import Status


@contextmanager
def within_double_precision() -> Iterator[None]:
    """Around a computation, or as its decorator: overflow and division by what vanished.

    Raises
    ------
    ComputationFailed
        With the advice of :attr:`attlas.solver.status.Status.OUT_OF_RANGE`.
    """
    try:
        yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise ComputationFailed(Status.OUT_OF_RANGE.value) from error
