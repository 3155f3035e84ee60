"""What a head's query-key map looks like, beside the same weights shuffled."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from attlas.model.errors import BadInput
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Answer
from attlas.solver.weights.pairs import Pair, Split, find_pairs
from attlas.solver.weights.read import read_tensors, tensors_of
from attlas.solver.weights.tail import Tail, tail_of

#: Shuffles of each head.
SHUFFLES = 20
#: A singular value counts towards the rank when it exceeds the rounding of float32 weights.
_RANK = 1e-6


@dataclass(frozen=True)
class Head:
    """The query-key map M = W_Q W_K^T/sqrt(p) of one head: token scores are x_a^T M x_b.

    Biases and position encodings are no part of it.

    Attributes
    ----------
    layer : str
        Name of the weights.
    head : int
    d, p : int
        Token dimension, and width of the head.
    rank : int
    mass_at_zero : float
        Share of the d singular values that are 0: 1 - rank/d.
    singular_values : tuple of float
        The p others, descending.
    reference : tuple of float
        Mean singular values of the same head with the entries of W_Q, and those of W_K, shuffled.
    edge : float
        The largest singular value over all shuffles.
    outliers : tuple of float
        Singular values beyond the edge.
    stable_rank, reference_stable_rank : float
        ||M||_F^2 over the largest singular value squared, and its mean over shuffles.
    symmetric, antisymmetric : float
        Shares of ||M||_F^2 in (M + M^T)/2 and (M - M^T)/2.
    positive : float
        Share of the symmetric part's energy in its positive eigenvalues; 1 for a tied head.
    tail : Tail or None
        Of the outliers, cut at the edge; None with fewer than 8.
    """

    layer: Annotated[str, Key("name of the weights in the file", "text", "docs/real-weights.md")]
    head: Annotated[
        int, Key("number of the head in its layer", "0 or more", "docs/real-weights.md")
    ]
    d: Annotated[
        int,
        Key(
            "token dimension of the trained heads, or of a file's weights",
            "1 or more",
            theory_md("1"),
        ),
    ]
    p: Annotated[
        int,
        Key(
            "chance of a mean as far out, for draws of the law; of a file's weights, the width "
            "of a head",
            "between 0 and 1; or a whole number",
            theory_md("16"),
            Definition(
                "2 (1 + min(draws below, draws above))/(draws + 1)",
                r"2\,\frac{1+\min(\#\text{below},\#\text{above})}{1+\#\text{draws}}",
            ),
        ),
    ]
    rank: Annotated[
        int,
        Key(
            "singular values of the head's map that are not rounding",
            "1 to p",
            "docs/real-weights.md",
        ),
    ]
    mass_at_zero: Annotated[float, Key()]
    singular_values: Annotated[tuple[float, ...], Key()]
    reference: Annotated[
        tuple[float, ...],
        Key(
            "mean singular values of the same head with the entries of W_Q, and of W_K, shuffled",
            "numbers, descending",
            "docs/real-weights.md",
        ),
    ]
    edge: Annotated[
        float,
        Key(
            "the largest singular value over all shuffles", "greater than 0", "docs/real-weights.md"
        ),
    ]
    outliers: Annotated[tuple[float, ...], Key()]
    stable_rank: Annotated[
        float,
        Key(
            "energy in units of the largest singular value: directions that carry it",
            "1 to p",
            "docs/real-weights.md",
            Definition("‖M‖²_F/‖M‖², M = W_Q W_Kᵀ/√p", r"\|M\|_F^2/\|M\|^2"),
        ),
    ]
    reference_stable_rank: Annotated[
        float,
        Key(
            "mean stable rank of the shuffles",
            "1 to p",
            "docs/real-weights.md",
            Definition("mean of ‖M‖²_F/‖M‖² over shuffles", r"\langle\|M\|_F^2/\|M\|^2\rangle"),
        ),
    ]
    symmetric: Annotated[
        float,
        Key(
            "share of the energy in the symmetric part; 1 for a tied head",
            "between 0 and 1",
            "docs/real-weights.md",
            Definition("‖(M + Mᵀ)/2‖²_F/‖M‖²_F", r"\|(M+M^\top)/2\|_F^2/\|M\|_F^2"),
        ),
    ]
    antisymmetric: Annotated[
        float,
        Key(
            "share of the energy in the antisymmetric part",
            "between 0 and 1",
            "docs/real-weights.md",
            Definition("‖(M − Mᵀ)/2‖²_F/‖M‖²_F", r"\|(M-M^\top)/2\|_F^2/\|M\|_F^2"),
        ),
    ]
    positive: Annotated[
        float,
        Key(
            "share of the symmetric part's energy in its positive eigenvalues; 1 for a tied head",
            "between 0 and 1",
            "docs/real-weights.md",
            Definition(
                "Σ_{e_i > 0} e_i²/Σ e_i², e_i the eigenvalues of (M + Mᵀ)/2",
                r"\sum_{e_i>0}e_i^2/\sum e_i^2",
            ),
        ),
    ]
    tail: Annotated[
        Tail | None,
        Key(
            "power law fitted to the outliers; null with fewer than 8",
            "{exponent, error, cut, count} or null",
            "docs/real-weights.md",
        ),
    ]


@dataclass(frozen=True)
class WeightsDescription(Answer):
    """The heads of a file or model; each is a row of its tables.

    Attributes
    ----------
    source : str
    heads : tuple of Head
    verdict : str
        Always "no-theory": queries and keys are untied and tokens are not Gaussian, so that the
        family of laws of ``attlas spectrum`` is shown beside them, and not fitted.
    """

    source: Annotated[str, Key("the file that was read", "text", "docs/real-weights.md")]
    heads: Annotated[
        tuple[Head, ...],
        Key("one entry for each head of each layer", "list", "docs/real-weights.md"),
    ]
    verdict: Annotated[
        str,
        Key(
            "always no-theory: the law is shown beside the weights, not fitted",
            "text",
            "docs/real-weights.md",
        ),
    ] = "no-theory"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each head, without its singular values."""
        rows = []
        for head in self.heads:
            row = {key: one for key, one in vars(head).items() if not isinstance(one, tuple)}
            tail = row.pop("tail")
            rows.append(
                {
                    **row,
                    "tail_exponent": None if tail is None else tail.exponent,
                    "tail_exponent_error": None if tail is None else tail.error,
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The file, its heads and the verdict as plain values."""
        return {"source": self.source, "heads": self.rows(), "verdict": self.verdict}


def describe_weights(
    path: str | Path | Any,
    heads: int,
    *,
    fused: Split | None = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> WeightsDescription:
    """Describe every head of every attention layer of a model; ``attlas.weights``.

    Parameters
    ----------
    path : path, torch module, or mapping from name to array
        A file as for :func:`attlas.solver.weights.read_tensors`, a model in memory, or its state
        dict.
    heads : int
        Query heads of a layer. With grouped keys there are fewer key heads, as many as fit.
    fused : (int, int, int), optional
        Rows of query, key and value that are stacked in one matrix, where its shape does not say.
    shuffles : int
    seed : int
        Of the shuffles.

    Raises
    ------
    BadInput
        For a file without query and key weights, weights that do not fit the number of heads,
        or heads wider than the tokens.
    """
    in_file = isinstance(path, str | os.PathLike)
    source = str(path) if in_file else type(path).__name__
    tensors = read_tensors(Path(path)) if in_file else tensors_of(path)
    pairs = find_pairs(tensors, source, fused)
    rng = np.random.default_rng(seed)
    found = tuple(
        _head(pair.name, index, query, key, shuffles, rng)
        for pair in pairs
        for index, (query, key) in enumerate(split_heads(pair, heads))
    )
    return WeightsDescription(source, found)


def split_heads(pair: Pair, heads: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """W_Q and W_K of each query head, both (d, p).

    Raises
    ------
    BadInput
        If the number of heads does not fit, or p > d.
    """
    rows, d = pair.query.shape
    if rows % heads:
        raise BadInput("heads", heads, f"must divide {rows}, the outputs of {pair.name}")
    p = rows // heads
    if p > d:
        raise BadInput(
            "heads",
            heads,
            f"must give heads no wider than the {d} entries of a token",
            f"{pair.name} has {rows} outputs, {p} a head",
        )
    groups, rest = divmod(len(pair.key), p)
    if rest or groups == 0 or heads % groups:
        raise BadInput(
            "heads",
            heads,
            f"must fit the {len(pair.key)} outputs of the key beside {pair.name}",
            f"a head has {p}",
        )
    shared = heads // groups
    return [
        (
            pair.query[index * p : (index + 1) * p].T,
            pair.key[index // shared * p : (index // shared + 1) * p].T,
        )
        for index in range(heads)
    ]


def _head(
    layer: str,
    index: int,
    query: np.ndarray,
    key: np.ndarray,
    shuffles: int,
    rng: np.random.Generator,
) -> Head:
    d, p = query.shape
    values = _singular_values(query, key)
    shuffled = np.array(
        [_singular_values(_shuffled(query, rng), _shuffled(key, rng)) for _ in range(shuffles)]
    )
    edge = float(shuffled.max())
    energy = float(values @ values)
    symmetric = 0.5 * (1 + float(np.sum((crossed := key.T @ query) * crossed.T)) / p / energy)
    rank = int(np.sum(values > _RANK * values[0]))
    return Head(
        layer=layer,
        head=index,
        d=d,
        p=p,
        rank=rank,
        mass_at_zero=1 - rank / d,
        singular_values=tuple(values.tolist()),
        reference=tuple(shuffled.mean(axis=0).tolist()),
        edge=edge,
        outliers=tuple(values[values > edge].tolist()),
        stable_rank=_stable_rank(values),
        reference_stable_rank=float(np.mean([_stable_rank(row) for row in shuffled])),
        symmetric=symmetric,
        antisymmetric=1 - symmetric,
        positive=_positive(query, key),
        tail=tail_of(values, edge),
    )


def _singular_values(query: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Of W_Q W_K^T/sqrt(p), the p that can differ from 0."""
    left, right = _triangle(query), _triangle(key)
    return np.linalg.svd(left @ right.T, compute_uv=False) / np.sqrt(query.shape[1])


def _triangle(matrix: np.ndarray) -> np.ndarray:
    """R of a QR decomposition."""
    return np.asarray(np.linalg.qr(matrix, mode="r"))


def _shuffled(weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return rng.permutation(weight.ravel()).reshape(weight.shape)


def _stable_rank(values: np.ndarray) -> float:
    return float(values @ values) / float(values[0] ** 2)


def _positive(query: np.ndarray, key: np.ndarray) -> float:
    """Energy in the positive eigenvalues of W_Q W_K^T + W_K W_Q^T, which has rank 2 p at most."""
    triangle = _triangle(np.hstack((query, key)))
    p = query.shape[1]
    left, right = triangle[:, :p], triangle[:, p:]
    values = np.linalg.eigvalsh(left @ right.T + right @ left.T)
    squares = values**2
    return float(squares[values > 0].sum() / squares.sum())
