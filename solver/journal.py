"""An append-only file of finished rows, so that interrupted work resumes with nothing lost."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Journal:
    """Rows by key, one JSON line each, on disk as soon as they are known.

    A line that a kill cut short is ignored when the file is read again.

    Parameters
    ----------
    path : Path or None
        The file; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.rows: dict[str, dict[str, Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    entry = json.loads(line)
                except json.JSONDecodeError:
                    continue
                self.rows[entry["key"]] = entry["row"]

    def add(self, key: str, row: Mapping[str, Any]) -> None:
        """Keep a row; it is flushed to the disk before this returns."""
        self.rows[key] = dict(row)
        if self._path is None:
            return
        # The line break comes first: it closes a line that an earlier kill left open.
        line = "\n" + json.dumps({"key": key, "row": self.rows[key]})
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Delete the file, once its rows are kept elsewhere."""
        if self._path is not None:
            self._path.unlink(missing_ok=True)
