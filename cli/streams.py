"""Standard output and error that can be written to, whatever the terminal and the locale."""

from __future__ import annotations

import codecs
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attlas.model.errors import Notice

_ESCAPED = "attlas-escaped"


def open_streams() -> None:
    """Give a closed stream a place to go to, and let symbols that an encoding lacks through.

    A symbol that the encoding cannot write, such as a Greek letter in a C locale, is written as
    JSON escapes it, so that documents keep their meaning.
    """
    codecs.register_error(_ESCAPED, _escape)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller: attlas ... >&-
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


@contextmanager
def notices_told() -> Iterator[None]:
    """Tell every :class:`attlas.model.errors.Notice` in its own words only."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", Notice)
        others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, Notice):
                print(message, file=sys.stderr)
            else:
                others(message, category, *where, **more)

        warnings.showwarning = show
        yield


def abandon_output() -> None:
    """Where standard output takes no more, drop the rest, so that Python's exit does not fail."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _escape(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4)), error.end
