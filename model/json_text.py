"""JSON as every file and every ``--json`` of attlas has it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def json_text(value: Any, indent: int | None = 2) -> str:
    """Strict JSON text, with letters as they are.

    Infinities and NaN, which JSON has no numbers for, are the strings ``"inf"``, ``"-inf"`` and
    ``"nan"``, which ``float`` reads back; null is what does not exist.

    Parameters
    ----------
    value
        Mappings, lists and tuples of text, numbers, booleans and None.
    indent : int or None
        Spaces a level; None for one line.
    """
    return json.dumps(_strict(value), indent=indent, allow_nan=False, ensure_ascii=False)


def _strict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _strict(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value
