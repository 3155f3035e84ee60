"""Error bars of nested values, from the same values at moved inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from attlas.solver.learned_spectrum.result import LearnedBand, LearnedOutlier


def bars(here: Any, moved: Sequence[Any], rounding: float) -> Any:
    """An object like ``here`` that holds, for each float, the sum of its moves.

    Parameters
    ----------
    here : dataclass, tuple or float
        Any nesting of them. Whole numbers and text are kept as they are.
    moved : sequence
        The same at inputs moved by their own error bars, one at a time. A tuple may change its
        length: outliers are compared from the largest down, bands the lowest with the lowest and
        the others from the top down, and the bars of what has no counterpart are infinite. Of
        anything else all bars are.
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
        beside = [_aligned(here, one) for one in moved]
        return tuple(
            _unknown(entry)
            if any(one[index] is None for one in beside)
            else bars(entry, [one[index] for one in beside], rounding)
            for index, entry in enumerate(here)
        )
    if isinstance(here, float):
        return math.fsum(abs(one - here) for one in moved) + rounding * abs(here)
    return here


def _aligned(here: tuple[Any, ...], moved: tuple[Any, ...]) -> tuple[Any, ...]:
    """The counterpart of each entry among the moved ones, None where there is none."""
    missing = len(here) - len(moved)
    if missing == 0:
        return moved
    if moved and isinstance(moved[0], LearnedOutlier):
        return moved[: len(here)] + (None,) * missing
    if moved and here and isinstance(moved[0], LearnedBand):
        top = min(len(here), len(moved)) - 1
        return moved[:1] + (None,) * missing + moved[len(moved) - top :]
    return (None,) * len(here)


def _unknown(value: Any) -> Any:
    if is_dataclass(value):
        return replace(
            value,  # type: ignore[type-var]
            **{field.name: _unknown(getattr(value, field.name)) for field in fields(value)},
        )
    return math.inf if isinstance(value, float) else value
