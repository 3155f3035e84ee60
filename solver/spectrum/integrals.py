"""Integrals over part of the support, and their assembly into a `Truncated`."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.solver.spectrum.law import UNIT, Truncated

NAMES = ("j", "j1", "j2", "mass", "squared_error_part", "squared_error")


@dataclass(frozen=True)
class Integrals:
    """mass, int (x - eps), int (x - eps)^2 and its delta derivative over part of the support.

    Each with an absolute error.
    """

    mass: float
    first: float
    second: float
    j1: float
    mass_error: float = 0.0
    first_error: float = 0.0
    second_error: float = 0.0
    j1_error: float = 0.0

    def __mul__(self, factor: float) -> Integrals:
        sizes = {name: abs(factor) if "error" in name else factor for name in vars(self)}
        return Integrals(*(size * getattr(self, name) for name, size in sizes.items()))


NOTHING = Integrals(0.0, 0.0, 0.0, 0.0)


def assemble(
    epsilon: float, delta: float, q0: float, above: Integrals, below: Integrals, part: Integrals
) -> Truncated:
    """The integrals above epsilon as exact residues plus a part along a path.

    Parameters
    ----------
    epsilon, delta, q0 : float
        Threshold, noise level, Tr S0^2/d.
    above : Integrals
        Residues of what lies above the end of the path, about epsilon.
    below : Integrals
        Residues of what lies below it, about **zero**: its second moment enters the squared error.
    part : Integrals
        From epsilon to the end of the path, about epsilon; negative where epsilon lies above it.
    """
    mass, first = above.mass + part.mass, above.first + part.first
    j, j1 = above.second + part.second, above.j1 + part.j1
    mass_error = above.mass_error + part.mass_error + UNIT * abs(mass)
    first_error = above.first_error + part.first_error + UNIT * abs(first)
    j_error = above.second_error + part.second_error + UNIT * abs(j)
    j1_error = above.j1_error + part.j1_error + UNIT * abs(j1)
    square = epsilon * epsilon

    bias = delta * j1 - j - 2 * epsilon * first
    bias_error = (
        delta * j1_error
        + j_error
        + 2 * abs(epsilon) * first_error
        + 4 * UNIT * (abs(delta * j1) + abs(j) + 2 * abs(epsilon * first))
    )
    direct = (q0 + bias, bias_error + 8 * UNIT * q0)
    low = below.second - (part.second + 2 * epsilon * part.first + square * part.mass)
    low_error = (
        below.second_error
        + part.second_error
        + 2 * abs(epsilon) * part.first_error
        + square * part.mass_error
        + 4 * UNIT * (abs(part.second) + 2 * abs(epsilon * part.first) + square * abs(part.mass))
    )
    fine = (
        low + square * mass - delta * delta + delta * j1,
        low_error
        + square * mass_error
        + delta * j1_error
        + 8 * UNIT * (abs(low) + square * abs(mass) + delta * (delta + abs(j1))),
    )
    squared, squared_error = min((direct, fine), key=lambda pair: pair[1])
    return Truncated(
        epsilon,
        j,
        j1,
        -2 * first,
        mass,
        bias,
        squared,
        j_error,
        j1_error,
        2 * first_error,
        mass_error,
        bias_error,
        squared_error,
    )


def accurate(result: Truncated, goal: float) -> bool:
    """Whether every integral is known to the relative accuracy ``goal``."""
    return (
        result.mass_error <= goal * abs(result.mass)
        and result.j_error <= goal * abs(result.j)
        and result.j1_error <= goal * abs(result.j1)
        and result.j2_error <= goal * abs(result.j2)
        and result.squared_error_error <= 10 * goal * abs(result.squared_error)
    )


def sharpest(one: Truncated, two: Truncated) -> Truncated:
    """Each integral from whichever evaluation has the smaller error bar."""
    chosen: dict[str, float] = {}
    for name in NAMES:
        error = f"{name}_error"
        best = one if getattr(one, error) <= getattr(two, error) else two
        chosen[name], chosen[error] = getattr(best, name), getattr(best, error)
    return Truncated(one.epsilon, **chosen)
