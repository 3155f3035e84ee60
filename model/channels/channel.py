"""What every channel is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar


class Channel(ABC):
    """How scores become labels, and what a misfit costs.

    Subclasses are frozen dataclasses whose fields are exact and validated.

    Attributes
    ----------
    tokens : int
        T, the number of tokens in a sequence.
    noise : Fraction
    """

    name: ClassVar[str]
    tokens: int
    noise: Fraction

    @property
    @abstractmethod
    def label_rank(self) -> int:
        """D, the number of combinations of scores that a label sees (theory.md section 7)."""
