"""The numerical solution of a power-law target beside the formula of its phase."""

from __future__ import annotations

import math

from attlas.solver.scaling import EVERY_MODE, Measured, Place, formula_at, level, place_of
from attlas.solver.scaling.problem import power_law
from attlas.solver.scaling.table import SHARE, SHIFT
from attlas.verify.claims.claim import Control
from attlas.verify.claims.controls.power_laws import GAMMA_SHIFTED
from attlas.verify.claims.points.scaling_exponents import PHASE_OF
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.store.case import SEED_BLOCK, Case

#: Half step in log n (at the peak log lam) of the exponents. A longer one divides the error bars of
#: grouped eigenvalues, which phase II needs.
_HALF, _LONG = 0.5, {"II": 2.0}
#: Multiples of it, modulo 1, are spread evenly over the places between two modes.
_GOLDEN = (math.sqrt(5) - 1) / 2


def measure(case: Case) -> Measurement:
    """Local exponent and squared error around the case's place in its phase."""
    at = _place(case)
    half = _half(at)
    ends = [_solved(at, side * half) for side in (1, -1)]
    bars = [end.error / end.value for end in ends]
    slope = math.log(ends[0].value / ends[1].value) / (2 * half)
    mean = math.sqrt(ends[0].value * ends[1].value)
    return Measurement(
        measured={"exponent": slope, "mse": mean},
        reference=formula_of(case),
        reference_error={"exponent": sum(bars) / (2 * half), "mse": mean * sum(bars) / 2},
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The formula at another gamma, or at half the noise."""
    if control.id == GAMMA_SHIFTED.id:
        return formula_of(case, shift=SHIFT)
    return formula_of(case, share=SHARE)


def _place(case: Case) -> Place:
    phase, target = PHASE_OF[case.problem], power_law(case.problem.target)
    between = 0.0 if phase in EVERY_MODE else case.seed % SEED_BLOCK * _GOLDEN % 1
    return place_of(phase, float(target.gamma), case.d + between)


def _half(at: Place) -> float:
    return _LONG.get(at.phase, _HALF)


def _moved(at: Place, step: float) -> tuple[float, float]:
    """n and lam at a distance along the phase's variable."""
    if at.along == "lam":
        return at.n, at.lam * math.exp(step)
    return at.n * math.exp(step), at.lam * math.exp(at.follow * step)


def _solved(at: Place, step: float) -> Measured:
    n, lam = _moved(at, step)
    return level(at.target, n, lam, at.noise).mse


def formula_of(case: Case, shift: float = 0.0, share: float = 1.0) -> dict[str, float]:
    """The phase's exponent between the ends and squared error at them, of the true gamma's place.

    The squared error is the geometric mean of both ends, as in the measurement.
    """
    at = _place(case)
    half, found = _half(at), []
    for side in (1, -1):
        n, lam = _moved(at, side * half)
        found.append(formula_at(Place(at.phase, at.gamma, at.d, n, lam, at.noise), shift, share))
    ahead, behind = (one.mse for one in found)
    if at.phase == "V":  # its exact form is no power
        return {
            "exponent": math.log(ahead / behind) / (2 * half),
            "mse": math.sqrt(ahead * behind),
        }
    return {"exponent": found[0].exponent, "mse": math.sqrt(ahead * behind)}


EXPONENTS = Experiment(measure, wrong, trains=False)
