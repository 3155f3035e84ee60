"""Files of weights as arrays by name. Nothing in a file is ever executed."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attlas.model.errors import BadInput, ComputationFailed, required

Tensors = dict[str, np.ndarray]

_FLAG = "weights"
_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin", ".npz", ".npy")
_SAFE_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
#: A header longer than this is not one.
_LONGEST_HEADER = 100_000_000


def read_tensors(path: str | Path) -> Tensors:
    """All floating-point tensors of a file, by name.

    Parameters
    ----------
    path : path
        ``.safetensors``; ``.pt``, ``.pth`` or ``.bin`` (a state dict, opened with weights only);
        ``.npz``; or ``.npy`` of shape (2, rows, columns), query first.

    Raises
    ------
    BadInput
        If the file cannot be read as what its name says.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in _SUFFIXES:
        raise BadInput(_FLAG, str(path), f"must end in one of {', '.join(_SUFFIXES)}")
    if not file.is_file():
        raise BadInput(_FLAG, str(path), "must name a readable file")
    reader = {".safetensors": _safetensors, ".npz": _npz, ".npy": _npy}.get(suffix, _torch)
    try:
        return reader(file)
    except (BadInput, ComputationFailed):
        raise
    except Exception as error:  # a damaged file fails in as many ways as there are readers
        reason = " ".join(str(error).split())[:200]
        raise BadInput(_FLAG, str(path), f"must be a whole {suffix} file", reason) from None


def _safetensors(file: Path) -> Tensors:
    """The format is a length, a JSON header of types, shapes and offsets, and the bytes."""
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    if length > min(_LONGEST_HEADER, len(data) - 8):
        raise ValueError("the header is longer than the file")
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    body = memoryview(data)[8 + length :]
    found: Tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        if not 0 <= begin <= end <= len(body):
            raise ValueError(f"{name} lies outside of the file")
        found |= _safe_array(name, entry["dtype"], entry["shape"], body[begin:end])
    return found


def _safe_array(name: str, kind: str, shape: list[int], raw: memoryview) -> Tensors:
    if kind == "BF16":  # the upper half of a float32
        bits = np.frombuffer(raw, dtype="<u2").astype(np.uint32) << 16
        return {name: bits.view(np.float32).reshape(shape)}
    if kind not in _SAFE_TYPES:
        return {}  # counters and masks
    return {name: np.frombuffer(raw, dtype=_SAFE_TYPES[kind]).reshape(shape)}


def _npz(file: Path) -> Tensors:
    with np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return {name: array for name, array in arrays.items() if array.dtype.kind == "f"}


def _npy(file: Path) -> Tensors:
    array = np.load(file, allow_pickle=False)
    if array.ndim != 3 or len(array) != 2:
        raise BadInput(
            _FLAG,
            str(file),
            "must have the shape (2, rows, columns), query first",
            f"it has {array.shape}",
        )
    return {"query": array[0], "key": array[1]}


def _torch(file: Path) -> Tensors:
    torch = required("torch")
    loaded = torch.load(file, map_location="cpu", weights_only=True)
    for wrapper in ("state_dict", "model_state_dict", "model"):
        if isinstance(loaded, Mapping) and isinstance(loaded.get(wrapper), Mapping):
            loaded = loaded[wrapper]
    if not isinstance(loaded, Mapping):
        raise ValueError("it holds no state dict")
    return {
        str(name): value.detach().double().numpy()
        for name, value in loaded.items()
        if isinstance(value, torch.Tensor) and value.is_floating_point()
    }
