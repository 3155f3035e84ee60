"""What an executor is, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from attlas.model.errors import unknown_name
from attlas.verify.executors.local import Local
from attlas.verify.executors.slurm import Slurm

Item = TypeVar("Item")
Result = TypeVar("Result")

EXECUTORS: tuple[str, ...] = ("local", "slurm")


class Executor(Protocol):
    """Makes the same call for many items."""

    @property
    def width(self) -> int:
        """Calls made at a time."""
        ...

    def map(self, call: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """The results, in the order in which they are ready."""
        ...


def executor(
    name: str, *, device: str, processes: int | None, store: Path, options: str = ""
) -> Executor:
    """The executor of a name.

    Parameters
    ----------
    name : {"local", "slurm"}
    device : str
    processes : int, optional
        Worker processes of the local one.
    store : path
        Slurm's logs lie in it.
    options : str
        Of Slurm, see :meth:`attlas.verify.executors.slurm.Slurm.of`.

    Raises
    ------
    BadInput
        For an unknown name or option.
    """
    if name not in EXECUTORS:
        raise unknown_name("executor", name, EXECUTORS)
    if name == "slurm":
        return Slurm.of(store / "slurm", options)
    return Local.on(device, processes)
