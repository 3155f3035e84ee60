"""Keys of ``threshold`` and ``phase``."""

from __future__ import annotations

from attlas.symbolic.definition import Definition
from attlas.symbolic.result_keys.key import ResultKey, theory


def _threshold(
    key: str, meaning: str, domain: str, definition: Definition | None = None, section: str = "7"
) -> ResultKey:
    return ResultKey(key, ("threshold",), meaning, domain, theory(section), definition)


def _phase(key: str, meaning: str, domain: str, section: str = "7") -> ResultKey:
    return ResultKey(key, ("phase",), meaning, domain, theory(section))


_THRESHOLD = (
    _threshold("name", "the threshold that was asked for", "text"),
    _threshold(
        "alpha",
        "the threshold in samples over d^2; absent where there is none or it is in another "
        "parameter",
        "greater than 0, decimal text",
        Definition("a/D, see alpha_times_D", "a/D"),
    ),
    _threshold(
        "alpha_times_D",
        "the threshold in samples counted in combinations of scores: the same for any tokens",
        "greater than 0, decimal text",
        Definition("a = α D, D = (T² + T − 2)/2, 1 for T = 1", r"a = \alpha D"),
    ),
    _threshold(
        "lam",
        "collapse: the penalty beyond which the learned map is zero",
        "greater than 0, decimal text",
        Definition(
            "λ̃_max/√κ, λ̃_max = m̂₀ x_top(δ₀)/2 with the hats at Σ = q = m = 0",
            r"\hat m_0\,x_{\mathrm{top}}(\delta_0)/(2\sqrt\kappa)",
        ),
        "9",
    ),
    _threshold("digits", "significant digits of the numbers shown", "15 to 1000"),
    _threshold(
        "certified",
        "whether interval arithmetic proved existence and uniqueness within radius",
        "true or false",
    ),
    _threshold(
        "radius",
        "proven bound on the distance of the number shown from the exact threshold",
        "greater than 0, decimal text",
    ),
    _threshold("statement", "what happens at the threshold, or why there is none", "text"),
)

_PHASE = (
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

KEYS = (*_THRESHOLD, *_PHASE)
