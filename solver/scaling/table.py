"""Exponents and constants of every phase against prediction, with a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attlas.model import PowerLaw
from attlas.solver.double_precision import within_double_precision
from attlas.solver.measured import Measured
from attlas.solver.scaling.depth import nearest
from attlas.solver.scaling.place import Place, place_of
from attlas.solver.scaling.point import STEP, level, slope
from attlas.solver.scaling.predictions import Formula, formula

#: Half step in log n of the slopes where each mode leaves a step, or the solution is grouped.
_LONG = 1.0
_STEPS = {"II": _LONG, "IV": _LONG, "noiseless": _LONG}
#: Largest relative margin of slopes and constants.
CAP = 0.02
#: Wrong formulas: gamma larger by so much, and this share of the noise.
SHIFT, SHARE = 0.25, 0.5


@dataclass(frozen=True)
class Row:
    """One phase at one gamma.

    Attributes
    ----------
    place : Place
        Where it was measured.
    slope : Measured
        Numerical d log mse/d log n (at the peak d log mse/d log lam).
    predicted : float
        The phase's exponent; in phase V that of its exact form at this n.
    constant : Measured
        Numerical squared error over the predicted one; in phase V over its exact form.
    correction : tuple of str and float
        The largest ratio that the formula takes to be small, and its value.
    margins : tuple of two floats
        Relative, of the slope and of the constant: 2 %, or half the distance to the nearest wrong
        formula.
    controls : mapping from str to (bool or None)
        Whether each wrong formula is rejected: off by more than the margin and the error bar, in
        the slope or the constant. None where the phase's formula does not have the parameter.
    """

    place: Place
    slope: Measured
    predicted: float
    constant: Measured
    correction: tuple[str, float]
    margins: tuple[float, float]
    controls: Mapping[str, bool | None]

    @property
    def verdict(self) -> str:
        """``agrees``, ``disagrees``, ``undecided`` or ``not reached``.

        Error bars count against either verdict. What misses its margin where the largest
        correction exceeds it too has not reached the phase.
        """
        deviations = (
            (self.slope.value / self.predicted - 1, self.slope.error / abs(self.predicted)),
            (self.constant.value - 1, self.constant.error),
        )
        pairs = tuple(zip(deviations, self.margins, strict=True))
        if all(abs(off) + bar < margin for (off, bar), margin in pairs):
            return "agrees"
        if self.correction[1] > min(self.margins):
            return "not reached"
        if any(abs(off) - bar > margin for (off, bar), margin in pairs):
            return "disagrees"
        return "undecided"


@within_double_precision()
def measure(phase: str, gamma: float, place: Place | None = None) -> Row:
    """Solve around the phase's point and compare.

    Parameters
    ----------
    phase : str
        One of :data:`attlas.solver.scaling.PHASES`.
    gamma : float
        > 1/2.
    place : Place, optional
        Another point of the phase.

    Raises
    ------
    ComputationFailed
        If numbers leave the range of double precision.
    """
    at = place or place_of(phase, gamma)
    right = formula_at(at)
    found = level(at.target, at.n, at.lam, at.noise).mse
    local = slope(
        at.target,
        at.n,
        at.lam,
        at.noise,
        at.follow,
        along=at.along,
        half=_STEPS.get(phase, STEP),
    )
    constant = Measured(found.value / right.mse, found.error / right.mse)
    wrong = {
        "gamma-shifted": formula_at(at, shift=SHIFT),
        "noise-halved": formula_at(at, share=SHARE),
    }
    distances = [_relative(one, right) for one in wrong.values()]
    margins = (_margin([one[0] for one in distances]), _margin([one[1] for one in distances]))
    return Row(
        at,
        local,
        right.exponent,
        constant,
        nearest(phase, at.target, at.n, at.lam, at.noise),
        margins,
        {name: _rejected(local, constant, right, one, margins) for name, one in wrong.items()},
    )


def formula_at(at: Place, shift: float = 0.0, share: float = 1.0) -> Formula:
    """The phase's formula at a place, or a wrong one.

    Parameters
    ----------
    at : Place
    shift : float
        Added to gamma in the formula.
    share : float
        Of the noise, in the formula.
    """
    target = PowerLaw(at.gamma + shift, at.d)
    return formula(at.phase, target, at.n, at.lam, share * at.noise)


def _relative(wrong: Formula, right: Formula) -> tuple[float, float]:
    return abs(wrong.exponent / right.exponent - 1), abs(wrong.mse / right.mse - 1)


def _margin(distances: list[float]) -> float:
    return min([CAP, *(distance / 2 for distance in distances if distance >= CAP)])


def _rejected(
    local: Measured,
    constant: Measured,
    right: Formula,
    wrong: Formula,
    margins: tuple[float, ...],
) -> bool | None:
    if max(_relative(wrong, right)) < 1e-12:
        return None
    ratio = right.mse / wrong.mse
    return (
        abs(local.value / wrong.exponent - 1) - local.error / abs(wrong.exponent) > margins[0]
        or abs(constant.value * ratio - 1) - constant.error * ratio > margins[1]
    )
