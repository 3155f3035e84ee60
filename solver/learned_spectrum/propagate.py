"""Error bars of nested values, from the same values at moved inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any


def bars(here: Any, moved: Sequence[Any], rounding: float) -> Any:
    """An object like ``here`` that holds, for each float, the sum of its moves.

    Parameters
    ----------
    here : dataclass, tuple or float
        Any nesting of them. Whole numbers and text are kept as they are.
    moved : sequence
        The same at inputs moved by their own error bars, one at a time. Where a tuple changes
        its length, all that it holds is uncertain: the bars of its entries are infinite.
    rounding : float
        Relative error of each float besides.
    """
    if is_dataclass(here):
        return replace(
            here,  # type: ignore[type-var]
            **{
                field.name: bars(
                    getattr(here, field.name),
                    [getattr(one, field.name) for one in moved],
                    rounding,
                )
                for field in fields(here)
            },
        )
    if isinstance(here, tuple):
        if any(len(one) != len(here) for one in moved):
            return tuple(_unknown(entry) for entry in here)
        return tuple(
            bars(entry, [one[index] for one in moved], rounding) for index, entry in enumerate(here)
        )
    if isinstance(here, float):
        return math.fsum(abs(one - here) for one in moved) + rounding * abs(here)
    return here


def _unknown(value: Any) -> Any:
    if is_dataclass(value):
        return replace(
            value,  # type: ignore[type-var]
            **{field.name: _unknown(getattr(value, field.name)) for field in fields(value)},
        )
    return math.inf if isinstance(value, float) else value
