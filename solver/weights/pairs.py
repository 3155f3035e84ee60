"""Query and key weights in a file, by the names that they usually have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from attlas.model.errors import BadInput

_FLAG = "weights"
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


def find_pairs(tensors: Mapping[str, np.ndarray], source: str) -> tuple[Pair, ...]:
    """All query-key pairs, in natural order of their names.

    Parameters
    ----------
    tensors : mapping
    source : str
        The file, for messages.

    Raises
    ------
    BadInput
        If there is none (what there is, is listed), or a pair does not fit together.
    """
    pairs = [
        pair
        for name in sorted(tensors, key=_natural)
        if (pair := _pair_at(name, tensors)) is not None
    ]
    if not pairs:
        raise BadInput(
            _FLAG,
            source,
            "must hold query and key weights (query/key, q_proj/k_proj, c_attn, in_proj_weight)",
            f"it holds {_listing(tensors)}",
        )
    return tuple(pairs)


def _pair_at(name: str, tensors: Mapping[str, np.ndarray]) -> Pair | None:
    weight = tensors[name]
    stem = name.removesuffix(".weight")
    head, _, last = stem.rpartition(".")
    if last == "in_proj_weight" and weight.ndim == 2:
        return _thirds(name, weight)
    if last == "c_attn" and weight.ndim == 2:  # stored as (in, out)
        return _thirds(name, weight.T)
    for query, key in _NAMED:
        if last == query and weight.ndim == 2:
            partner = name[: len(head) + bool(head)] + key + name[len(stem) :]
            if partner in tensors:
                return _checked(name, weight, tensors[partner])
    return None


def _thirds(name: str, weight: np.ndarray) -> Pair:
    """Query, key and value stacked; the value's rows are those that are left of 3 d."""
    if weight.shape[0] % 3:
        raise BadInput(
            _FLAG, f"{name} {weight.shape}", "must stack query, key and value of the same size"
        )
    size = weight.shape[0] // 3
    return _checked(name, weight[:size], weight[size : 2 * size])


def _checked(name: str, query: np.ndarray, key: np.ndarray) -> Pair:
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
    return Pair(name, np.asarray(query, dtype=float), np.asarray(key, dtype=float))


def _natural(name: str) -> list[tuple[int, str]]:
    """Layer 2 before layer 10."""
    pieces = re.split(r"(\d+)", name)
    return [(int(piece), "") if piece.isdigit() else (0, piece) for piece in pieces]


def _listing(tensors: Mapping[str, np.ndarray]) -> str:
    if not tensors:
        return "no floating-point tensor"
    names = [f"{name} {array.shape}" for name, array in tensors.items()]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
