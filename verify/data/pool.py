"""Tokens of a file, from which sequences are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from attlas.model import Tokens
from attlas.model.errors import unknown_name
from attlas.solver.tokens import MeasuredTokens, prepare, read_tokens
from attlas.solver.tokens.measure import measured
from attlas.verify.data.moments import Moments

#: How a sequence is drawn: T tokens independent of each other, or T neighbours in the file.
ORDERS = ("pairs", "windows")


@dataclass(frozen=True, eq=False)
class TokenPool:
    """Tokens that are drawn with replacement, in the eigenbasis of their covariance.

    Attributes
    ----------
    x : ndarray (n, d)
    order : {"pairs", "windows"}
    described : MeasuredTokens
    """

    x: np.ndarray
    order: str
    described: MeasuredTokens

    @classmethod
    def of(
        cls,
        source: str | Path,
        d: int,
        *,
        order: str = "pairs",
        normalise: str = "rms",
        reduce: str = "coordinates",
    ) -> TokenPool:
        """The tokens of a file, prepared as :func:`attlas.solver.tokens.prepare` does.

        Raises
        ------
        BadInput
        """
        if order not in ORDERS:
            raise unknown_name("token_order", order, ORDERS)
        prepared = prepare(read_tokens(source), normalise=normalise, dimensions=d, reduce=reduce)
        _, vectors = np.linalg.eigh(prepared.covariance)
        return cls(prepared.x @ vectors, order, measured(prepared))

    @property
    def tokens(self) -> Tokens:
        """What the theory of heads trained on them is of."""
        return self.described.tokens

    def moments(self, tokens: int) -> Moments:
        """Second moments of sequences whose tokens are independent."""
        return Moments(np.square(self.x).mean(axis=0), np.eye(tokens))

    def draw(self, rng: np.random.Generator, n: int, tokens: int) -> np.ndarray:
        """n sequences of T tokens, shape (n, T, d)."""
        if self.order == "pairs":
            return self.x[rng.integers(0, len(self.x), size=(n, tokens))]
        first = rng.integers(0, len(self.x) - tokens + 1, size=n)
        return self.x[first[:, None] + np.arange(tokens)]
