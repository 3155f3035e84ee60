"""What every target is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self


class Target(ABC):
    """The law of the teacher map S0, a symmetric positive semi-definite d x d matrix.

    Subclasses are frozen dataclasses whose fields are exact and validated.
    """

    name: ClassVar[str]

    @abstractmethod
    def grammar(self) -> str:
        """The target as the command line's ``--target`` writes it, exactly."""

    @classmethod
    @abstractmethod
    def from_grammar(cls, text: str) -> Self:
        """Read what follows ``name:`` in ``--target``; the inverse of :meth:`grammar`."""

    @property
    def dimension(self) -> int | None:
        """The token dimension d that the target fixes, or None where it is a law for any d."""
        return None
