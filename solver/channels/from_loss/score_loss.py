# sympy's own annotations are narrower than what its functions return.
# pyright: reportArgumentType=false
"""The loss of any scores in whitened coordinates, with derivatives from sympy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from attlas.model import Channel
from attlas.model.channels.functions import Plain
from attlas.model.errors import BadInput
from attlas.model.scores import Scores
from attlas.solver.channels.from_loss.residual_loss import numeric, switches, written
from attlas.solver.channels.functions import Arrays
from attlas.symbolic.channels import Softmax
from attlas.symbolic.channels.loss import Symbols

Array = NDArray[np.float64]

#: Points at which the curvature is looked at, and logarithms of their sizes.
_TRIALS, _WIDTHS = 40_000, (-1.0, 3.0)
#: Least curvature that rounding explains.
_ROUNDING = -1e-6
#: Beyond three tokens the derivatives by sympy take longer than a user waits.
_MOST_TOKENS = 3
#: Scores (h_11, h_12, h_22) of two tokens by independent variables of unit variance. Exchange of
#: the tokens changes the sign of the second; where a common shift is not seen, h_12 is 0.
_SHIFTED = ((sp.sqrt(2), 1), (0, 0), (sp.sqrt(2), -1))
_WHOLE = ((1, 1, 0), (0, 0, 1), (1, -1, 0))


@dataclass(frozen=True, eq=False)
class ScoreLoss:
    """l(y, zeta) of scores h = E zeta, zeta with independent components of unit variance.

    Attributes
    ----------
    channel : Channel
    rank : int
        Number of components.
    basis : array (rows, columns, rank)
        E.
    copies : int
        Rows that are alike and independent, of which this is the loss of one.
    value : callable
        Labels and zeta, as lists of arrays (N,), to the loss, shape (1, N).
    terms : callable
        Labels and zeta, as lists of arrays (N,), to value, gradient and upper triangle of the
        Hessian, shape (terms, N).
    """

    channel: Channel
    rank: int
    basis: Array
    copies: int
    value: Callable[[list[Array]], Array]
    terms: Callable[[list[Array]], Array]

    def labels(self, zeta: Array) -> Array:
        """Labels of the scores E zeta, shape (rows columns, N)."""
        scores = np.einsum("abk,kn->abn", self.basis, zeta)
        made = np.asarray(self.channel.labels(scores, Arrays))  # type: ignore[arg-type]
        return made.reshape(-1, zeta.shape[1])

    @cached_property
    def shares(self) -> Array:
        """What a unit of variance on diagonal scores adds to that of each component of zeta.

        Independent scores have no diagonal; of three tokens it would couple the components, and
        kernels refuse such tokens.
        """
        if not self.whole or self.channel.tokens > 2:
            return np.zeros(self.rank)
        first, second = np.tril_indices(self.channel.tokens)
        scores = self.basis[first, second]
        seen = np.eye(first.size)
        if self.channel.shift_invariant:  # all but a common shift
            seen = seen[first == second] - seen[first != second]
        heard = np.linalg.inv(seen @ scores) @ seen
        return np.sum(heard[:, first == second] ** 2, axis=1)

    @cached_property
    def least_curvature(self) -> float:
        """The least eigenvalue of the Hessian that is met at many labels and scores."""
        rng, size = np.random.default_rng(0), (self.rank, _TRIALS)
        wide = np.exp(rng.uniform(*_WIDTHS, (2, 1, _TRIALS))) / float(self.channel.sharpness)
        label, zeta = wide * rng.standard_normal((2, *size))
        _, _, hessian = self(self.labels(label / float(self.channel.scale)), zeta)
        return float(np.linalg.eigvalsh(np.moveaxis(hessian, 2, 0)).min())

    @property
    def whole(self) -> bool:
        """Whether it is the loss of all scores of a sample, not of one row."""
        return len(self.basis) == self.channel.tokens

    def __call__(self, labels: Array, zeta: Array) -> tuple[Array, Array, Array]:
        """Value (N,), gradient (D, N) and Hessian (D, D, N)."""
        found = self.terms([*labels, *zeta])
        size = self.rank
        hessian = np.empty((size, size, zeta.shape[1]))
        upper = np.triu_indices(size)
        hessian[upper] = found[1 + size :]
        hessian[upper[::-1]] = found[1 + size :]
        return found[0], found[1 : 1 + size], hessian


def whitened(channel: Channel) -> tuple[tuple[sp.Symbol, ...], list[list[sp.Expr]]]:
    """zeta, and the scores h = E zeta of a symmetric map as expressions in it.

    Raises
    ------
    BadInput
        If the channel has more tokens than kernels are made for.
    """
    return _combined(_symmetric_basis(channel))


@lru_cache(maxsize=16)
def score_loss(channel: Channel, form: Scores) -> ScoreLoss:
    """The loss of a channel of one to three tokens, or of one row of independent scores.

    Raises
    ------
    BadInput
        If a symmetric map has more tokens, if the loss of independent rows is not a sum over them,
        if sympy cannot follow it, or if it has a kink.
    """
    basis = _symmetric_basis(channel) if form.symmetric else [_row(channel, form)]
    zeta, scores = _combined(basis)
    rank = len(zeta)
    labels = [
        [sp.Symbol(f"y_{a}{b}", real=True) for b in range(len(line))]
        for a, line in enumerate(basis)
    ]
    loss = written(channel, lambda: sp.sympify(channel.loss(labels, scores, Symbols)))
    kinks = switches(loss)
    if kinks:
        raise channel.fault(
            f"the loss has a kink where {kinks[0]} = 0",
            "kinks are for one token's convex loss of the residual y - h; take a smooth one",
        )
    gradient = [sp.diff(loss, z) for z in zeta]
    hessian = [sp.diff(gradient[i], zeta[j]) for i in range(rank) for j in range(i, rank)]
    names = [entry for line in labels for entry in line]
    found = ScoreLoss(
        channel,
        rank,
        np.array(basis, dtype=float),
        1 if form.symmetric else form.queries,
        numeric([*names, *zeta], [loss]),
        numeric([*names, *zeta], [loss, *gradient, *hessian]),
    )
    if channel.convex and found.least_curvature < _ROUNDING:
        raise channel.fault("it says convex = True, and its loss is not")
    return found


def _symmetric_basis(channel: Channel) -> list[list[Any]]:
    """E of all scores of a symmetric map."""
    if channel.tokens > _MOST_TOKENS:
        raise BadInput(
            "tokens",
            channel.tokens,
            f"must be at most {_MOST_TOKENS} for the {channel.name} channel, whose kernel is made "
            "from its loss",
        )
    size = range(channel.tokens)
    place = {pair: k for k, pair in enumerate((a, b) for a in size for b in size if a <= b)}
    if channel.tokens == 2:
        rows: Any = _SHIFTED if channel.shift_invariant else _WHOLE
    elif channel.tokens > 1 and channel.shift_invariant:
        rows = Softmax(channel.tokens).basis.tolist()
    else:
        rows = sp.diag(*(sp.sqrt(1 + (a == b)) for a, b in place)).tolist()
    return [[rows[place[min(a, b), max(a, b)]] for b in size] for a in size]


def _combined(basis: list[list[Any]]) -> tuple[tuple[sp.Symbol, ...], list[list[sp.Expr]]]:
    """zeta, and the scores h = E zeta as expressions in it."""
    zeta = sp.symbols(f"zeta:{len(basis[0][0])}", real=True)
    scores = [
        [sp.Add(*(c * z for c, z in zip(row, zeta, strict=True))) for row in line] for line in basis
    ]
    return zeta, scores


def _row(channel: Channel, form: Scores) -> list[list[Any]]:
    """E of one row of independent scores; without the shift that no label sees."""
    if not _rows_add(channel, form):
        raise BadInput(
            "channel",
            channel.name,
            "must have labels and a loss that are sums over rows, for queries that are independent",
        )
    seen = channel.rank_of(form) // form.queries
    if seen == form.keys:
        return [[int(a == b) for b in range(seen)] for a in range(seen)]
    # Helmert's: of two keys h = (zeta, -zeta)/sqrt(2).
    return [
        [
            sp.Integer((b <= k) - (k + 1) * (b == k + 1)) / sp.sqrt((k + 1) * (k + 2))
            for k in range(seen)
        ]
        for b in range(form.keys)
    ]


def _rows_add(channel: Channel, form: Scores) -> bool:
    """Whether the loss of a sample is the sum of those of its rows, by trial."""
    z, h = np.random.default_rng(0).standard_normal((2, form.queries, form.keys)).tolist()

    def cost(rows: slice) -> float:
        return float(channel.loss(channel.labels(z[rows], Plain), h[rows], Plain))

    apart = sum(cost(slice(a, a + 1)) for a in range(form.queries))
    return abs(cost(slice(None)) - apart) <= 1e-9 * (1 + abs(apart))
