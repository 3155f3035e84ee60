"""Random exact points in the typical ranges that the notation states."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from attlas.symbolic import notation as sym

_STEPS = 10_000


def points(*names: str) -> st.SearchStrategy[dict[str, Fraction]]:
    """Dictionaries of exact values, one inside the open typical range of each symbol."""
    return st.fixed_dictionaries({name: values(name) for name in names})


def values(name: str) -> st.SearchStrategy[Fraction]:
    """An exact value inside the open typical range of one symbol."""
    low, high = sym.notation(name).typical
    grid = st.integers(min_value=1, max_value=_STEPS - 1)
    return grid.map(lambda step: low + (high - low) * Fraction(step, _STEPS))
