"""What the making of a picture is given: somewhere to say how far it is, and what is kept."""

from __future__ import annotations

import base64
import contextlib
import pickle
import warnings
import zlib
from collections.abc import Callable
from functools import cached_property, lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, ParamSpec, TypeVar

import joblib

from attlas.model import Problem, parameters_of
from attlas.solver.journal import Journal, Share

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
    path : Path, optional
        Where results are kept, so that a making that is interrupted goes on; nowhere if not given.
        What is there is unpickled: it must be a file of one's own.
    share : (index, count), optional
        The share of the problems that is computed; the others have no rows.
    """

    def __init__(
        self,
        say: Callable[[str], None] | None = None,
        path: Path | None = None,
        share: Share | None = None,
    ) -> None:
        self._say = say
        self._path = path
        self._share = share
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

    def has(self, problem: Problem, *more: int | str) -> bool:
        """Whether a problem, or a run of it, is in the share that is computed."""
        if self._share is None:
            return True
        index, count = self._share
        text = repr((_identity(problem), more))
        return zlib.crc32(text.encode()) % count == index

    @property
    def results(self) -> int:
        """Number of results that are kept."""
        return len(self._journal.rows)

    def kept(self, function: Callable[P, R]) -> Callable[P, R]:
        """The function, which with the same arguments as before returns what it did then.

        It is one of a module, its arguments are what the result depends on, and both are pickled.
        """
        return function if self._path is None else _Kept(function, self._journal)

    @cached_property
    def _journal(self) -> Journal:
        return Journal(self._path, share=self._share)

    def done(self) -> None:
        """Drop what was kept."""
        self._journal.remove()


def _identity(given: Any) -> Any:
    """An argument without what it has cached, which is not the same in every process."""
    return sorted(parameters_of(given).items()) if isinstance(given, Problem) else given


class _Kept:
    """A function that looks into a journal first, in this process or in a worker."""

    def __init__(self, function: Callable[..., Any], journal: Journal) -> None:
        self._function = function
        self._journal = journal

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = self._function
        asked = joblib.hash(([_identity(one) for one in args], sorted(kwargs.items())))
        key = f"{function.__module__}.{function.__qualname__} {asked}"
        with contextlib.suppress(Exception):  # absent, or pickled by other versions of packages
            return pickle.loads(base64.b64decode(self._journal.rows[key]))
        result = function(*args, **kwargs)
        self._journal.add(key, base64.b64encode(pickle.dumps(result)).decode())
        return result

    def __reduce__(self) -> tuple[Callable[..., _Kept], tuple[Any, ...]]:
        return _in_a_worker, (self._function, self._journal.path)


def _in_a_worker(function: Callable[..., Any], path: Path) -> _Kept:
    return _Kept(function, _opened(path))


@lru_cache(maxsize=1)
def _opened(path: Path) -> Journal:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the process that sends the work has told already
        return Journal(path)
