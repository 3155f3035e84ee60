"""Query and key weights in a file, by the names that they usually have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attlas.model.errors import BadInput

#: Rows of query, key and value in a matrix that stacks them.
Split = tuple[int, int, int]

_FLAG = "weights"
#: Names of weights that stack query, key and value.
_FUSED = ("in_proj_weight", "c_attn", "qkv", "qkv_proj", "Wqkv")
#: Entries beyond this overflow in the fourth powers that a spectrum's energy takes.
_LARGEST = 1e30
#: Names of the query weight and of the key weight beside it.
_NAMED = (
    ("query", "key"),
    ("q_proj", "k_proj"),
    ("q_lin", "k_lin"),
    ("to_q", "to_k"),
    ("wq", "wk"),
)
#: Most tensors that a message lists.
_LISTED = 12


@dataclass(frozen=True, eq=False)
class Pair:
    """Query and key weights of one attention layer, both as a matrix that acts on a token.

    Attributes
    ----------
    name : str
    query, key : ndarray (heads * p, d), (groups * p, d)
        float64; row i of a head is its i-th output.
    """

    name: str
    query: np.ndarray
    key: np.ndarray


def find_pairs(
    tensors: Mapping[str, np.ndarray], source: str, fused: Split | None = None
) -> tuple[Pair, ...]:
    """All query-key pairs, in natural order of their names.

    Parameters
    ----------
    tensors : mapping
    source : str
        The file, for messages.
    fused : (int, int, int), optional
        Rows of query, key and value where they are stacked in one matrix; by default thirds, and
        the shape must say of which side.

    Raises
    ------
    BadInput
        If there is none (what there is, is listed), or a pair does not fit together.
    """
    pairs = [
        pair
        for name in sorted(tensors, key=_natural)
        if (pair := _pair_at(name, tensors, fused)) is not None
    ]
    if not pairs:
        raise BadInput(
            _FLAG,
            source,
            "must hold query and key weights (query/key, q_proj/k_proj, c_attn, qkv or "
            "in_proj_weight)",
            f"it holds {_listing(tensors)}",
        )
    return tuple(pairs)


def _pair_at(name: str, tensors: Mapping[str, np.ndarray], fused: Split | None) -> Pair | None:
    weight = tensors[name]
    stem = name.removesuffix(".weight")
    head, _, last = stem.rpartition(".")
    if last in _FUSED and weight.ndim == 2:
        return _split(name, weight, fused)
    for query, key in _NAMED:
        if last == query and weight.ndim == 2:
            partner = name[: len(head) + bool(head)] + key + name[len(stem) :]
            if partner in tensors:
                return _checked(name, weight, tensors[partner])
    return None


def _split(name: str, weight: np.ndarray, fused: Split | None) -> Pair:
    """Query, key and value stacked: as rows that act on tokens, or as columns (GPT-2's Conv1D).

    Thrice as many of one as of the other say which; otherwise the sizes must be given.
    """
    rows, columns = weight.shape
    if fused is None:
        if 3 * columns == rows:
            fused = (columns,) * 3
        elif 3 * rows == columns:
            fused = (rows,) * 3
    total = sum(fused or ())
    if fused is None or total not in weight.shape or rows == columns:
        raise BadInput(
            "fused",
            None if fused is None else ",".join(map(str, fused)),
            f"the rows of query, key and value, stacked in {name} of shape {weight.shape}, must "
            "add up to one of its sides, and the other be the token dimension",
            "its heads and shape do not say them",
        )
    query, key, _ = fused
    stacked = weight if total == rows else weight.T
    return _checked(name, stacked[:query], stacked[query : query + key])


def _checked(name: str, query: np.ndarray, key: np.ndarray) -> Pair:
    for part, weight in (("query", query), ("key", key)):
        if weight.dtype.kind != "f":
            kind = weight.dtype.names[0] if weight.dtype.names else weight.dtype
            raise BadInput(
                _FLAG, f"{name}, {part}", f"must be real floating-point numbers: it holds {kind}"
            )
    if key.ndim != 2 or query.shape[1] != key.shape[1]:
        raise BadInput(
            _FLAG,
            f"{name} {query.shape} beside a key {key.shape}",
            "must act on tokens of one dimension, so that the query-key map is square",
        )
    for part, weight in (("query", query), ("key", key)):
        if not np.all(np.isfinite(weight)):
            raise BadInput(_FLAG, f"{name}, {part}", "must be finite: it holds NaN or infinity")
        if not np.any(weight):
            raise BadInput(_FLAG, f"{name}, {part}", "must not be zero throughout")
        largest = float(np.abs(weight).max())
        if not 1 / _LARGEST < largest < _LARGEST:
            raise BadInput(
                _FLAG,
                f"{name}, {part}",
                f"must have its largest entry between {1 / _LARGEST:g} and {_LARGEST:g}",
                f"it is {largest:g}, and its powers leave double precision",
            )
    return Pair(name, np.asarray(query, dtype=float), np.asarray(key, dtype=float))


def _natural(name: str) -> list[tuple[int, str]]:
    """Layer 2 before layer 10."""
    pieces = re.split(r"(\d+)", name)
    return [(int(piece), "") if piece.isdigit() else (0, piece) for piece in pieces]


def _listing(tensors: Mapping[str, np.ndarray]) -> str:
    if not tensors:
        return "nothing"
    names = [f"{name} {array.shape}" for name, array in tensors.items()]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
