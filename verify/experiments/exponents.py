"""The numerical solution of a power-law target beside the formula of its phase."""

from __future__ import annotations

from functools import cache
from time import perf_counter

from model import PowerLaw
from solver.scaling.point import Measured, level, slope
from solver.scaling.predictions import exponent, rate
from solver.scaling.table import point_of
from verify.case import Case
from verify.claims.scaling_exponents import PHASE_OF
from verify.experiment import Experiment, Measurement

#: What the controls change.
_SHIFT = 0.25
#: Half step in log n of the exponents.
_HALF = 1.0


def measure(case: Case) -> Measurement:
    """Local exponent and squared error at the dimension of the case's target."""
    clock = perf_counter()
    phase, which = PHASE_OF[case.problem]
    local, error = _numerical(phase, _target(case), which)
    return Measurement(
        measured={"exponent": local.value, "mse": error.value},
        reference=_formula(case),
        reference_error={"exponent": local.error, "mse": error.error},
        seconds=perf_counter() - clock,
    )


def wrong(case: Case, control: str) -> dict[str, float]:
    """The formula at another gamma, or at half the noise."""
    if control == "gamma-shifted":
        return _formula(case, shift=_SHIFT)
    return _formula(case, share=0.5)


def _target(case: Case) -> PowerLaw:
    target = case.problem.target
    assert isinstance(target, PowerLaw)
    return target


@cache
def _numerical(phase: str, target: PowerLaw, which: int) -> tuple[Measured, Measured]:
    _, n, lam, noise, follow = point_of(phase, float(target.gamma), which, target.d)
    return slope(target, n, lam, noise, follow, half=_HALF), level(target, n, lam, noise).mse


def _formula(case: Case, shift: float = 0.0, share: float = 1.0) -> dict[str, float]:
    """The phase's exponent and squared error at the point of the true gamma."""
    (phase, which), target = PHASE_OF[case.problem], _target(case)
    gamma = float(target.gamma)
    _, n, lam, noise, _ = point_of(phase, gamma, which, target.d)
    return {
        "exponent": exponent(phase, gamma + shift),
        "mse": rate(phase, PowerLaw(gamma + shift, target.d), n, lam, share * noise),
    }


EXPONENTS = Experiment(measure, wrong)
