"""Files that are written: their places checked beforehand, their contents whole or not there."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from attlas.model.errors import BadInput, ComputationFailed


class WriteFailed(ComputationFailed):
    """A file that could not be written, on a full disk say; the message names it."""

    def __init__(self, path: str | Path, reason: object) -> None:
        self.path = path
        self.reason = getattr(reason, "strerror", None) or reason
        super().__init__(f"{path} cannot be written ({self.reason}); nothing there has changed.")

    def __reduce__(self) -> tuple[type[WriteFailed], tuple[object, ...]]:
        """Its parts, so that a worker process can hand it back."""
        return type(self), (self.path, self.reason)


@contextlib.contextmanager
def whole_file(path: str | Path) -> Iterator[BinaryIO]:
    """A file to write into, which is there under its name once all is on the disk.

    Until then what was there is as it was, whatever happens: a failure, an interrupt, a kill. A
    link is followed, and what is no file (a pipe, a terminal) is written into directly. The
    folder is made if need be.

    Parameters
    ----------
    path : path

    Raises
    ------
    WriteFailed
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f".{uuid.uuid4().hex}.part")
        try:
            with temporary.open("xb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except BrokenPipeError:  # a reader that has what it wanted
        raise
    except OSError as error:
        raise WriteFailed(path, error) from error


def write_whole(path: str | Path, text: str) -> None:
    """Write a text file by :func:`whole_file`, in UTF-8."""
    with whole_file(path) as stream:
        stream.write(text.encode())


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
