"""The pairs of tokens that message passing counts scores by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch


@dataclass(frozen=True, eq=False)
class Pairs:
    """The pairs a <= b of T tokens, and the maps from arrays over ordered entries to them."""

    tokens: int
    first: np.ndarray
    second: np.ndarray
    entry: np.ndarray

    @property
    def size(self) -> int:
        return len(self.first)

    @property
    def weights(self) -> np.ndarray:
        """1 + delta_ab."""
        return np.where(self.first == self.second, 2.0, 1.0)

    def scores(self, h: torch.Tensor) -> torch.Tensor:
        """(n, P) to symmetric (n, T, T)."""
        return h[:, torch.from_numpy(self.entry)]

    def pick(self, scores: torch.Tensor) -> torch.Tensor:
        """Symmetric (n, T, T) to (n, P)."""
        return scores[:, torch.from_numpy(self.first), torch.from_numpy(self.second)]

    def gather(self, ordered: torch.Tensor) -> torch.Tensor:
        """Derivatives in ordered entries (n, T, T) to derivatives in pairs (n, P)."""
        flat = torch.from_numpy(self.entry.ravel()).to(ordered.device)
        out = ordered.new_zeros((len(ordered), self.size))
        return out.index_add_(1, flat, ordered.flatten(1))

    def gather_twice(self, rows: torch.Tensor) -> torch.Tensor:
        """Hessians of the rows (n, T, T, T), in [sample, row, entry, entry], to (n, P, P)."""
        out = rows.new_zeros((len(rows), self.size * self.size))
        target = self.entry[:, :, None] * self.size + self.entry[:, None, :]
        flat = torch.from_numpy(target.ravel()).to(rows.device)
        out.index_add_(1, flat, rows.flatten(1))
        return out.view(-1, self.size, self.size)


@lru_cache(maxsize=8)
def pairs(tokens: int) -> Pairs:
    """The pairs of a number of tokens."""
    first, second = np.triu_indices(tokens)
    entry = np.empty((tokens, tokens), dtype=np.int64)
    entry[first, second] = entry[second, first] = np.arange(len(first))
    return Pairs(tokens, first, second, entry)
