"""Finished parts of interrupted or divided work, kept so that it goes on with nothing lost."""

from __future__ import annotations

import glob
import json
import os
import warnings
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from attlas.model.errors import BadInput, Notice
from attlas.model.files import WriteFailed
from attlas.model.json_text import json_text

Item = TypeVar("Item")

#: A share of some work: its number, from 0, and how many there are.
Share = tuple[int, int]


def share_of(items: Sequence[Item], index: int, count: int) -> list[Item]:
    """Share number ``index`` of ``count``: every count-th item, so that shares cost the same.

    Raises
    ------
    BadInput
        Unless ``0 <= index < count``.
    """
    if count < 1:
        raise BadInput("count", count, "must be a whole number, 1 or greater")
    if not 0 <= index < count:
        raise BadInput("index", index, f"must lie between 0 and {count - 1}")
    return list(items[index::count])


class Journal:
    """Results by key, a line each, on the disk as soon as they are known.

    A line is a checksum and the JSON of ``[key, result]``. What a kill cut short, or what anything
    else damaged, is told (:class:`attlas.model.errors.Notice`) and left out, so that it is
    computed again. Processes of one machine may add to one file at a time; a share of the work has
    a file of its own beside it, so that machines need not, and all files are read.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    read : callable, optional
        Makes a result of what the JSON holds; raises TypeError or ValueError for what is none.
    share : (index, count), optional
        The share whose results are added.
    """

    def __init__(
        self,
        path: Path | None,
        read: Callable[[Any], Any] | None = None,
        share: Share | None = None,
    ) -> None:
        self.path = path
        if path is not None and share is not None:
            index, count = share
            self.path = path.with_name(f"{path.name}.{index}-of-{count}")
        self._whole, self._read = path, read
        self.rows: dict[str, Any] = {}
        for file in self._files():
            self._gather(file)

    def _files(self) -> list[Path]:
        if self._whole is None:
            return []
        pattern = f"{glob.escape(self._whole.name)}.*-of-*"
        beside = sorted(self._whole.parent.glob(pattern)) if self._whole.parent.exists() else []
        return [file for file in (self._whole, *beside) if file.exists()]

    def _gather(self, path: Path) -> None:
        lines = [line for line in path.read_bytes().split(b"\n") if line]
        left_out = 0
        for line in lines:
            try:
                key, row = _entry(line)
                self.rows[key] = row if self._read is None else self._read(row)
            except (TypeError, ValueError, RecursionError):
                left_out += 1
        if left_out:
            warnings.warn(
                f"{path}: {left_out} of {len(lines)} lines are cut short or damaged, and are "
                "computed again.",
                Notice,
                stacklevel=2,
            )

    def merge(self, files: Iterable[Path]) -> int:
        """Add the results of other journals of the same work; how many were new."""
        known = dict(self.rows)
        for file in files:
            self._gather(file)
        new = {key: row for key, row in self.rows.items() if key not in known}
        for key, row in new.items():
            self.add(key, row)
        return len(new)

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
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise WriteFailed(self.path, error) from error

    def remove(self) -> None:
        """Delete all files, once the results are kept elsewhere."""
        for file in self._files():
            file.unlink(missing_ok=True)


def _entry(line: bytes) -> tuple[str, Any]:
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        raise ValueError("the checksum is another")
    key, row = json.loads(text)
    if not isinstance(key, str):
        raise TypeError("the key is no text")
    return key, row
