"""A number of the numerical solution, with its error bar."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """A number and its absolute error bar."""

    value: float
    error: float
