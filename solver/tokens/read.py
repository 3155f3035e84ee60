"""The array of tokens in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from attlas.model.errors import BadInput
from attlas.model.number_files import npy_array
from attlas.solver.weights.read import read_tensors

#: What stands between a file and the name of an array in it.
_NAMED = "::"
#: Most arrays that a message lists.
_LISTED = 8


def read_tokens(source: str | Path, parameter: str = "token_data") -> np.ndarray:
    """The tokens of a file, a row each.

    Parameters
    ----------
    source : path
        ``.npy``, ``.npz``, ``.safetensors``, ``.pt`` or ``.parquet`` (numeric columns, or one of
        lists). Where a file holds several arrays, ``FILE::NAME`` names one.
    parameter : str
        Whose value the path is, for messages.

    Returns
    -------
    ndarray (n, d)
        float64; of arrays with more axes all but the last are run together, in order.

    Raises
    ------
    BadInput
    """
    text, _, name = str(source).partition(_NAMED)
    file = Path(text)
    if not file.is_file():
        raise BadInput(parameter, text, "must name a readable file")
    suffix = file.suffix.lower()
    if suffix == ".npy":
        found = {"": npy_array(parameter, file)}
    elif suffix == ".parquet":
        found = {"": _parquet(file, parameter)}
    else:
        found = read_tensors(file, parameter)
    if name and name not in found:
        raise BadInput(parameter, str(source), f"must name one of {_listed(found)}")
    chosen = {name: found[name]} if name else _arrays(found)
    if len(chosen) != 1:
        valid = "must hold one array of tokens, a row each"
        advice = f"name one of {_listed(found)} as {text}{_NAMED}NAME" if found else ""
        raise BadInput(parameter, text, valid, advice)
    return rows_of(next(iter(chosen.values())), parameter, str(source))


def rows_of(array: np.ndarray, parameter: str, shown: str) -> np.ndarray:
    """An array as n rows of d numbers.

    Raises
    ------
    BadInput
    """
    array = np.asarray(array)
    if array.ndim < 2 or array.dtype.kind not in "iuf":
        raise BadInput(
            parameter,
            shown,
            "must be an array of numbers, a token each row",
            f"it is {array.dtype} of shape {array.shape}",
        )
    return np.asarray(array, dtype=float).reshape(-1, array.shape[-1])


def _arrays(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        name: array for name, array in found.items() if array.ndim >= 2 and array.dtype.kind == "f"
    } or found


def _listed(found: dict[str, np.ndarray]) -> str:
    shown = [f"{name} {array.shape}" for name, array in sorted(found.items())]
    more = f" and {len(shown) - _LISTED} more" if len(shown) > _LISTED else ""
    return f"{', '.join(shown[:_LISTED])}{more}"


def _parquet(file: Path, parameter: str) -> np.ndarray:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(file)
        lists = [one for one in table.columns if pa.types.is_nested(one.type)]
        if lists:
            return np.stack([np.asarray(row) for row in lists[0].to_pylist()])
        numeric = [
            one
            for one in table.columns
            if pa.types.is_floating(one.type) or pa.types.is_integer(one.type)
        ]
        return np.column_stack([one.to_numpy() for one in numeric])
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:200]
        valid = "must be a Parquet file of numeric columns, or of one column of lists"
        raise BadInput(parameter, str(file), valid, reason) from None
