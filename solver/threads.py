"""Linear algebra on one thread: the products of a solve are many and small."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache

from threadpoolctl import ThreadpoolController


def single_threaded() -> AbstractContextManager[object]:
    """A context in which BLAS uses one thread.

    The threads of a product of small matrices spend their time waiting for one another: on a
    machine that does something else besides, ten times the time of the product.
    """
    return _controller().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    # Finding the libraries takes milliseconds.
    return ThreadpoolController()
