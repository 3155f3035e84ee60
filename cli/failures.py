"""Solves and runs that fail inside a command over many problems."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass
class Failure:
    """What went wrong; empty where nothing did."""

    message: str = ""


@contextmanager
def failing() -> Iterator[Failure]:
    """Print the sentence of a failed solve or run on standard error instead of raising it."""
    from solver.solution import SolveError
    from verify.simulation import SimulationError

    failure = Failure()
    try:
        yield failure
    except (SolveError, SimulationError) as error:
        failure.message = str(error)
        print(failure.message, file=sys.stderr)
