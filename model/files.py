"""Places to write to, checked before anything long is computed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from attlas.model.errors import BadInput


def writable_folder(flag: str, text: str, files: Sequence[str] = ()) -> Path:
    """A folder that can be written into, or made.

    Parameters
    ----------
    flag : str
        As on the command line, for messages.
    text : str
        The folder's path.
    files : sequence of str
        Names of the files that will be written there: no folder may have one of them.

    Raises
    ------
    BadInput
    """
    path = Path(text)
    try:
        # A link to nowhere is there, and is no folder.
        there = (part for part in (path, *path.parents) if part.exists() or part.is_symlink())
        first = next(there, Path("."))
        fits = bool(text) and _takes_files(first)
    except (OSError, ValueError):  # a name that no file can have
        fits = False
    if not fits:
        raise BadInput(flag, text, "must be a folder that can be written into")
    for name in files:
        if (path / name).is_dir():
            raise BadInput(flag, text, f"has a folder where the file {name} would be written")
    return path


def writable_file(flag: str, text: str | Path, endings: Sequence[str] = ()) -> Path:
    """A file that can be written, in a folder that exists; what is there is not touched.

    Parameters
    ----------
    flag : str
        As on the command line, for messages.
    text : str or path
        The file's path.
    endings : sequence of str
        The endings that decide its format, of which it must have one, in either case.

    Raises
    ------
    BadInput
    """
    path = Path(text)
    if endings and path.suffix.lower() not in endings:
        raise BadInput(flag, str(text), f"must end in {' or '.join(endings)}")
    try:
        there = path.exists()
        fits = path.name != "" and not path.is_dir() and path.parent.is_dir()
        fits = fits and (not there or os.access(path, os.W_OK)) and _takes_files(path.parent)
    except (OSError, ValueError):  # a name that no file can have
        fits = False
    if not fits:
        raise BadInput(flag, str(text), "must be a file in a folder that can be written into")
    return path


def _takes_files(folder: Path) -> bool:
    """Whether a file can be made there: permissions do not tell of file systems that take none."""
    try:
        with tempfile.TemporaryFile(dir=folder):  # leaves no name behind
            return True
    except OSError:
        return False
