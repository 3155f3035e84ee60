"""What a file of accepted values must hold, checked before a suite that may run for hours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

#: A test of a value, the shapes of a mapping's needed keys, or that of each item.
Shape: TypeAlias = "Callable[[Any], bool] | dict[str, Shape] | Each"


@dataclass(frozen=True)
class Each:
    """A mapping of any names, or a list, whose values have one shape."""

    shape: Shape
    kind: type = dict


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _number(value: Any) -> bool:
    """A decimal string."""
    try:
        return isinstance(value, str) and isinstance(float(value), float)
    except ValueError:
        return False


def _value_and_error(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_number, value))


_RUNS: Shape = {
    "converged": lambda value: isinstance(value, int),
    "data": _text,
    "measured": Each(_value_and_error),
}
_POINT: Shape = {
    "parameters": lambda value: isinstance(value, dict),
    "theory": Each(_value_and_error),
    "verdicts": Each(_text),
    "runs": Each(_RUNS),
}
_CLAIM: Shape = {
    "seconds": _number,
    "controls": Each(lambda value: isinstance(value, bool)),
    "points": Each(_POINT),
}
_BASELINE: Shape = {
    "suite": _text,
    "seconds": Each(_number),
    "claims": Each(_CLAIM),
    "accepted": Each({"on": _text, "reason": _text}, list),
}


def misshapen(content: Any) -> str | None:
    """Where a baseline is not what it must be, as ``claims/collapse/points``; None if it is."""
    return _fault(content, _BASELINE, ())


def _fault(value: Any, shape: Shape, where: tuple[str, ...]) -> str | None:
    if isinstance(shape, Each):
        if not isinstance(value, shape.kind):
            return "/".join(where)
        names = value if isinstance(value, dict) else range(len(value))
        parts = [(str(name), value[name], shape.shape) for name in names]
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            return "/".join(where)
        parts = [(name, value.get(name), part) for name, part in shape.items()]
    else:
        return None if shape(value) else "/".join(where)
    faults = (_fault(part, inner, (*where, name)) for name, part, inner in parts)
    return next((fault for fault in faults if fault is not None), None)
