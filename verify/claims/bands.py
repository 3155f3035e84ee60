"""The rule by which a measured departure from theory becomes a declared band."""

from __future__ import annotations

#: Half-width of a band over the pilot's standard error, and over its mean.
ERRORS, SHARE = 3.0, 0.5


def departs(mean: float, error: float, cap: float) -> bool:
    """Whether a pilot's deviation is to be declared.

    It is beyond three standard errors from 0, and within three of them it may exceed the margin.

    Parameters
    ----------
    mean, error : float
        As of :func:`band`.
    cap : float
        Largest margin of the quantity.
    """
    return abs(mean) > ERRORS * error and abs(mean) + ERRORS * error > cap


def band(mean: float, error: float) -> tuple[float, float]:
    """Where a suite should find a departure that pilot runs have found.

    Half as wide on either side as the departure is large, or three standard errors of the pilot
    where that is more; it never contains 0.

    Parameters
    ----------
    mean, error : float
        Relative deviation of the pilot and its standard error, extrapolated as in a verdict.
        Pilot seeds are none of a suite's.

    Raises
    ------
    ValueError
        If the pilot shows no departure: three standard errors reach 0.
    """
    half = max(ERRORS * error, SHARE * abs(mean))
    if half >= abs(mean):
        raise ValueError(f"a pilot of {mean:g} +- {error:g} shows no departure")
    return mean - half, mean + half
