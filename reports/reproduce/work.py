"""What the making of a picture is given: somewhere to say how far it is, and what is kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import ParamSpec, TypeVar

from joblib import Memory

P = ParamSpec("P")
R = TypeVar("R")

#: Seconds of silence after which a long computation says how far it is.
_SILENCE = 30.0


class Work:
    """Lines on what has been computed, and results kept until the picture is written.

    Parameters
    ----------
    say : callable, optional
        Receives the lines.
    folder : Path, optional
        Where results are kept, so that a making that is interrupted goes on; nowhere if not given.
    """

    def __init__(
        self, say: Callable[[str], None] | None = None, folder: Path | None = None
    ) -> None:
        self._say = say
        self._folder = folder
        self._said = monotonic()

    def report(self, line: str) -> None:
        """Say what has just been computed."""
        self._said = monotonic()
        if self._say is not None:
            self._say(line)

    def murmur(self, line: str) -> None:
        """Say how far a computation is, if nothing has been said for half a minute."""
        if monotonic() - self._said > _SILENCE:
            self.report(line)

    def kept(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function, which with the same arguments as before returns what it did then.

        It is one of a module, its arguments are what the result depends on, and both are pickled.
        """
        if self._folder is None:
            return function
        return self._memory.cache(function)  # type: ignore[return-value]  # callable as it was

    @cached_property
    def _memory(self) -> Memory:
        return Memory(self._folder, verbose=0)

    def done(self) -> None:
        """Drop what was kept."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
