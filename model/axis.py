"""Values of a swept parameter, as the command line writes them."""

from __future__ import annotations

from fractions import Fraction

from attlas.model.errors import BadInput
from attlas.model.exact import exact, whole

_FORM = "must be a value, a list 0.1,0.2,0.5, a range 0.1:1:10 or a geometric range 0.01:1:5:log"

#: Points of one range; more are a typing error, and would fill the memory.
MOST_POINTS = 100_000


def axis_values(parameter: str, text: str) -> list[Fraction]:
    """Read one value, a list, or a range with its number of points (both ends included).

    Parameters
    ----------
    parameter : str
        As on the command line, for messages.
    text : str
        ``0.2``, ``0.1,0.2,0.5``, ``0.1:1:10`` (equal steps) or ``0.01:1:5:log`` (equal ratios).

    Raises
    ------
    BadInput
        If the text has another form, or a value is not a number.
    """
    if ":" not in text:
        return [exact(parameter, piece) for piece in text.split(",")]
    pieces = text.split(":")
    if len(pieces) not in (3, 4) or (len(pieces) == 4 and pieces[3] != "log"):
        raise BadInput(parameter, text, _FORM)
    start, stop = exact(parameter, pieces[0]), exact(parameter, pieces[1])
    count = whole(f"{parameter}: number of points", pieces[2], at_least=2)
    if count > MOST_POINTS:
        raise BadInput(parameter, text, f"must have at most {MOST_POINTS} points")
    if len(pieces) == 3:
        return [start + (stop - start) * Fraction(i, count - 1) for i in range(count)]
    if start <= 0 or stop <= 0:
        raise BadInput(parameter, text, "both ends of a geometric range must be greater than 0")
    ratio = float(stop / start)
    inner = [
        exact(parameter, float(start) * ratio ** (i / (count - 1))) for i in range(1, count - 1)
    ]
    return [start, *inner, stop]
