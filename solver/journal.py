"""Finished parts of interrupted work, kept so that it goes on with nothing lost."""

from __future__ import annotations

import json
import os
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attlas.model.errors import Notice
from attlas.model.files import WriteFailed
from attlas.model.json_text import json_text


class Journal:
    """Results by key, a line each, on the disk as soon as they are known.

    A line is a checksum and the JSON of ``[key, result]``. What a kill cut short, or what anything
    else damaged, is told (:class:`attlas.model.errors.Notice`) and left out, so that it is
    computed again. Processes may add to one file at a time.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    read : callable, optional
        Makes a result of what the JSON holds; raises TypeError or ValueError for what is none.
    """

    def __init__(self, path: Path | None, read: Callable[[Any], Any] | None = None) -> None:
        self.path = path
        self.rows: dict[str, Any] = {}
        if path is None or not path.exists():
            return
        lines = [line for line in path.read_bytes().split(b"\n") if line]
        left_out = 0
        for line in lines:
            try:
                key, row = _entry(line)
                self.rows[key] = row if read is None else read(row)
            except (TypeError, ValueError, RecursionError):
                left_out += 1
        if left_out:
            warnings.warn(
                f"{path}: {left_out} of {len(lines)} lines are cut short or damaged, and are "
                "computed again.",
                Notice,
                stacklevel=2,
            )

    def add(self, key: str, row: Any) -> None:
        """Keep a result, which JSON can hold; it is on the disk before this returns.

        Raises
        ------
        WriteFailed
        """
        self.rows[key] = row
        if self.path is None:
            return
        text = json_text([key, row], indent=None).encode()
        # The line break comes first: it closes a line that an earlier kill left open.
        line = b"\n%08x %s" % (zlib.crc32(text), text)
        try:
            with self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteFailed(self.path, error) from error

    def remove(self) -> None:
        """Delete the file, once its results are kept elsewhere."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _entry(line: bytes) -> tuple[str, Any]:
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        raise ValueError("the checksum is another")
    key, row = json.loads(text)
    if not isinstance(key, str):
        raise TypeError("the key is no text")
    return key, row
