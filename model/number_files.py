"""Arrays and tables of numbers in files, read as what they are or refused."""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np

from attlas.model.errors import BadInput, Notice
from attlas.model.exact import is_decimal

#: Largest difference between a matrix and its transpose, in units of the largest entry, that
#: rounding in single precision explains.
_ASYMMETRY = 1e-6
#: Rows beyond which a file of eigenvalues is told to take time: a solve sums over all of them.
_MANY = 2000


def npy_array(parameter: str, path: Path) -> np.ndarray:
    """The array of a ``.npy`` file; nothing of the size that its header claims is made before.

    Raises
    ------
    BadInput
    """
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError, TypeError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadInput(parameter, str(path), "must be a whole .npy file", reason) from None
    if not isinstance(mapped, np.ndarray):
        raise BadInput(parameter, str(path), "must be a .npy file of one array")
    return np.array(mapped)


def spectrum_of_file(
    path: Path, parameter: str = "target", matrix: str = "S0"
) -> tuple[np.ndarray, np.ndarray | None]:
    """Eigenvalues of a symmetric matrix, and its eigenvectors where the file holds it itself.

    Parameters
    ----------
    path : Path
        ``.npy``, or text: one number a line (``#`` begins a comment) or the rows of a symmetric
        matrix, separated by spaces or commas. A list is one of eigenvalues; a square symmetric
        matrix is diagonalised.
    parameter, matrix : str
        Whose value the file is, and what the matrix is called, for messages.

    Returns
    -------
    eigenvalues : ndarray (d,)
        Descending.
    eigenvectors : ndarray (d, d) or None
        Column i belongs to eigenvalue i.

    Raises
    ------
    BadInput
        For what is neither, with its shape or its line.
    """
    if not path.is_file():
        raise BadInput(f"{parameter} file:", str(path), "must name a readable file")
    there = path.stat()
    try:
        return _spectrum(path, matrix, there.st_mtime_ns, there.st_size)
    except BadInput as error:
        raise BadInput(f"{parameter} file:", error.value, error.valid, error.advice) from None


@lru_cache(maxsize=8)
def _spectrum(
    path: Path, matrix: str, _changed: int, _size: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """The same, read again only when the file has changed."""
    array = _numbers_of(path)
    if array.ndim == 1:
        if array.size > _MANY:
            _tell(f"{path} holds {array.size} eigenvalues: a solve may take minutes.")
        return np.sort(array)[::-1], None
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        shape = " x ".join(map(str, array.shape)) or "one number"
        raise _refused(path, f"its shape is {shape}")
    if not np.all(np.isfinite(array)):
        raise _refused(path, "it holds NaN or infinity")
    largest = np.abs(array).max()
    if np.abs(array - array.T).max() > _ASYMMETRY * largest:
        raise _refused(path, f"its {len(array)} x {len(array)} matrix is not symmetric")
    values, vectors = np.linalg.eigh(array / 2 + array.T / 2)
    _tell(f"{path} holds a symmetric matrix: it is {matrix}, d = {len(array)}.")
    return values[::-1], vectors[:, ::-1]


def _tell(sentence: str) -> None:
    warnings.warn(sentence, Notice, stacklevel=2)


def _refused(path: Path, why: str) -> BadInput:
    valid = "must hold one number a line, or one list, or a symmetric matrix"
    return BadInput("file", str(path), valid, why)


def _numbers_of(path: Path) -> np.ndarray:
    if path.suffix.lower() != ".npy":
        return _table(path)
    array = npy_array("file", path)
    if array.dtype.kind not in "iuf":
        raise _refused(path, f"its type is {array.dtype}")
    return array.astype(float)


def _table(path: Path) -> np.ndarray:
    """The numbers of a text: a list where every line has one, a matrix otherwise."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(path, f"it is no text in UTF-8 and no .npy ({error})") from None
    rows: list[list[float]] = []
    for number, line in enumerate(lines, start=1):
        text = line.partition("#")[0]
        pieces = text.replace(",", " ").split()
        if not pieces:
            continue
        for piece in pieces:
            if not is_decimal(piece):
                raise _refused(path, f"line {number} holds {piece[:40]!r}")
        if len(pieces) == 2 and "," in text and "." not in text:
            raise _refused(path, f"line {number}, {text.strip()!r}, could be a decimal comma")
        if rows and len(pieces) != len(rows[0]):
            raise _refused(path, f"line {number} holds {len(pieces)}, earlier ones {len(rows[0])}")
        rows.append([float(piece) for piece in pieces])
    array = np.array(rows)
    return array[:, 0] if rows and array.shape[1] == 1 else array
