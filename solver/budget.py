"""The clock that budgets go by: what is done once per installation is not taken from a solve."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

_uncounted: list[float] = []


def now() -> float:
    """Seconds on a clock that stands still within :func:`uncounted`."""
    return perf_counter() - sum(_uncounted)


@contextmanager
def uncounted() -> Iterator[None]:
    """Stop the clock: for compiling, whose time depends on what ran here before."""
    began = perf_counter()
    try:
        yield
    finally:
        _uncounted.append(perf_counter() - began)
