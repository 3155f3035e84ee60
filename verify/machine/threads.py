"""How many threads training uses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits

from attlas.solver.threads import single_threaded

#: Operations of one product of tokens and factor beyond which torch's threads are worth their
#: waiting for one another: below, they cost two to ten times the time on a busy machine.
WORTH_THREADS = 1e8


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which everything that this process computes has one thread."""
    before = torch.get_num_threads()
    with threadpool_limits(limits=1):
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)


@contextmanager
def training_threads(operations: float) -> Iterator[None]:
    """A context with one BLAS thread, and one of torch's unless its products are large.

    numpy's threads would spin against torch's own: L-BFGS was three to four times slower.

    Parameters
    ----------
    operations : float
        Of one product, e.g. 2 n T d p.
    """
    before = torch.get_num_threads()
    with single_threaded():
        if operations < WORTH_THREADS:
            torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(before)
