"""Numbers as people read them."""

from __future__ import annotations

import math

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def tenths(power: int) -> str:
    """10 to minus a power, as text."""
    return f"10⁻{str(power).translate(_RAISED)}"


def value(number: float | None, digits: int = 4) -> str:
    """A number to a few significant digits; a dash where there is none."""
    if number is None or not math.isfinite(number):
        return "–"
    return f"{number:.{digits}g}".replace("e-0", "e-").replace("-", "−")


def percent(number: float | None, signed: bool = True) -> str:
    """A fraction in percent; two significant digits below one percent, else two decimals."""
    if number is None or not math.isfinite(number):
        return "–"
    scaled = 100 * number
    sign = ("+" if scaled > 0 else "−" if scaled < 0 else "") if signed or scaled < 0 else ""
    if 0 < abs(scaled) < 5e-4:
        digits, power = f"{abs(scaled):.1e}".split("e-")
        return f"{sign}{digits}·{tenths(int(power))}\u00a0%"
    places = 0 if scaled == 0 else 2 if abs(scaled) >= 0.1 else 3
    return f"{sign}{abs(scaled):.{places}f}\u00a0%"


def rounded_percent(number: float) -> str:
    """A size in percent to two digits, as a sentence says it: "0.55 %", "3.1 %"."""
    scaled = 100 * number
    if 0 < scaled < 1e-3:
        return percent(number, signed=False)
    return f"{float(f'{scaled:.2g}'):g}\u00a0%"


def probability(number: float | None) -> str:
    """A p-value."""
    if number is None or not math.isfinite(number):
        return "–"
    return "< 0.0001" if number < 1e-4 else f"{number:.4f}" if number < 0.01 else f"{number:.2f}"


def duration(seconds: float) -> str:
    """Wall time."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def count(number: int, singular: str, plural: str = "") -> str:
    """A number with its noun: "1 run", "3 runs"."""
    return f"{number} {singular if number == 1 else plural or singular + 's'}"
