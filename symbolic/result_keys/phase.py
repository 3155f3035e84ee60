"""Keys of ``threshold`` and ``phase``."""

from __future__ import annotations

from attlas.model.result_key import ResultKey
from attlas.symbolic.result_keys.key import result_key, theory


def _phase(key: str, meaning: str, domain: str, section: str = "7") -> ResultKey:
    return result_key(key, ("phase",), meaning, domain, theory(section))


KEYS = (
    _phase("plane", "the two parameters that vary", "text"),
    _phase("x", "first axis; of a point, its value there", "{parameter, low, high, log}"),
    _phase("y", "second axis; of a point, its value there", "{parameter, low, high, log}"),
    _phase("parameter", "parameter of an axis, or in which a boundary is bracketed", "text"),
    _phase("low", "lower end of an axis, or of the bracket of a point of a boundary", "real"),
    _phase("high", "upper end of an axis, or of the bracket of a point of a boundary", "real"),
    _phase("log", "whether the axis is geometric", "true or false"),
    _phase(
        "tolerance",
        "share of the plane's extent within which curves are straight between their points",
        "greater than 0",
    ),
    _phase("boundaries", "curves, each with its points", "list"),
    _phase("boundary", "which boundary the curve is", "text"),
    _phase("statement", "what happens at the boundary", "text"),
    _phase("points", "points of the curve, each within a bracket", "list of {x, y, low, high}"),
    _phase("absent", "boundaries that are not in the plane, with the reason", "{name: text}"),
    _phase("regions", "pieces of the plane between the boundaries, largest first", "list"),
    _phase("sides", "on which side of each boundary the region lies", "{boundary: text}"),
    _phase("share", "share of the plane's area, to about one hundredth", "between 0 and 1"),
    _phase("map", "a result key on a grid over the plane; null without --map", "{key, rows}"),
    _phase("key", "the result key that is mapped", "text"),
    _phase("rows", "one entry for each point of the grid: both parameters, key, status", "list"),
    _phase("status", "how the solve at the point ended", "text"),
)
