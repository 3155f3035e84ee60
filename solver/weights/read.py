"""Files of weights as arrays by name. Nothing in a file is ever executed."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import safetensors

from attlas.model.errors import BadInput, ComputationFailed, required
from attlas.model.number_files import npy_array

Tensors = dict[str, np.ndarray]

_FLAG = "weights"
_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin", ".npz", ".npy")
_SAFE_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def read_tensors(path: str | Path, parameter: str = _FLAG) -> Tensors:
    """All arrays of a file, by name, of whatever type.

    Parameters
    ----------
    path : path
        ``.safetensors``; ``.pt``, ``.pth`` or ``.bin`` (a state dict, opened with weights only);
        ``.npz``; or ``.npy`` of shape (2, rows, columns), query first.
    parameter : str
        Whose value the path is, for messages.

    Raises
    ------
    BadInput
        If the file cannot be read as what its name says.
    """
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix not in _SUFFIXES:
        raise BadInput(parameter, str(path), f"must end in one of {', '.join(_SUFFIXES)}")
    if not file.is_file():
        raise BadInput(parameter, str(path), "must name a readable file")
    reader = {".safetensors": _safetensors, ".npz": _npz, ".npy": _npy}.get(suffix, _torch)
    try:
        return reader(file)
    except (BadInput, ComputationFailed):
        raise
    except Exception as error:  # a damaged file fails in as many ways as there are readers
        reason = " ".join(str(error).split())[:200]
        raise BadInput(parameter, str(path), f"must be a whole {suffix} file", reason) from None


def tensors_of(model: Any, parameter: str = _FLAG) -> Tensors:
    """The arrays of a model in memory: a torch module, or a mapping such as its state dict.

    Raises
    ------
    BadInput
        If it is neither.
    """
    held = model.state_dict() if hasattr(model, "state_dict") else model
    if not isinstance(held, Mapping):
        expected = "must be a file, a torch module, or a mapping of names to arrays"
        raise BadInput(parameter, type(model).__name__, expected)
    return {
        str(name): np.asarray(_in_memory(value), dtype=np.float64)
        for name, value in held.items()
        if hasattr(value, "shape")
    }


def _in_memory(value: Any) -> Any:
    """An array of numpy from one of torch, wherever it lies and whatever its precision."""
    return value.detach().double().cpu().numpy() if hasattr(value, "detach") else value


def _safetensors(file: Path) -> Tensors:
    data = file.read_bytes()
    found = {
        name: _safe_array(entry["dtype"], entry["shape"], entry["data"])
        for name, entry in safetensors.deserialize(data)
    }
    # The library takes the last of several tensors of one name.
    (length,) = struct.unpack("<Q", data[:8])
    json.loads(data[8 : 8 + length], object_pairs_hook=_once)
    return found


def _once(entries: list[tuple[str, Any]]) -> None:
    names = [name for name, _ in entries]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there twice")


def _safe_array(kind: str, shape: list[int], raw: bytearray) -> np.ndarray:
    if kind == "BF16":  # the upper half of a float32
        bits = np.frombuffer(raw, dtype="<u2").astype(np.uint32) << 16
        return bits.view(np.float32).reshape(shape)
    if kind in _SAFE_TYPES:
        return np.frombuffer(raw, dtype=_SAFE_TYPES[kind]).reshape(shape)
    return _unread(kind, shape)


def _unread(kind: str, shape: Sequence[int]) -> np.ndarray:
    """An array of nothing but its shape and the name of its type, which weights are not read in."""
    return np.empty(tuple(shape), dtype=[(kind, "V0")])


def _npz(file: Path) -> Tensors:
    with np.load(file, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


def _npy(file: Path) -> Tensors:
    array = npy_array(_FLAG, file)
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
        if value.is_floating_point()
        else _unread(str(value.dtype), value.shape)
        for name, value in loaded.items()
        if isinstance(value, torch.Tensor)
    }
