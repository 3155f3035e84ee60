"""The scores that a head forms of one sample, and what they share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scores:
    """A row of scores for each query, a column for each key.

    Scores of a symmetric map are h_ab = h_ba, and twice as large in variance on the diagonal;
    those of queries and keys from different tokens are independent and alike (theory.md sections
    1 and 19).

    Attributes
    ----------
    queries, keys : int
        Rows and columns.
    symmetric : bool
    """

    queries: int
    keys: int
    symmetric: bool = True

    @property
    def square(self) -> bool:
        """Whether every token attends to every token."""
        return self.queries == self.keys
