"""Calls on this machine: processes with one thread each."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config

from attlas.verify.machine.threads import one_thread

#: Seconds between two looks at whether the parent is alive.
_WATCH = 1.0

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Local:
    """Worker processes of this machine; at small d one thread each uses the processors best.

    Attributes
    ----------
    processes : int
        With 1 everything happens in this process, on one thread as well.
    """

    processes: int

    @classmethod
    def on(cls, device: str, processes: int | None = None) -> Local:
        """As many processes as processors on a CPU, one on a GPU, unless told otherwise."""
        return cls(processes or (1 if device == "cuda" else os.cpu_count() or 1))

    @property
    def width(self) -> int:
        """Calls made at a time."""
        return self.processes

    def map(self, call: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results, in the order in which they are ready."""
        if self.processes == 1:
            with one_thread():
                yield from map(call, items)
            return
        with parallel_config("loky", n_jobs=self.processes, inner_max_num_threads=1):
            results: Any = Parallel(return_as="generator_unordered", initializer=_end_with_parent)(
                delayed(call)(item) for item in items
            )
            yield from results


def _end_with_parent() -> None:
    """End this worker when the process that started it is killed, and cannot end it itself."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
