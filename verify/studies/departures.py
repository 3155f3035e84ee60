"""How far trained heads depart from theory, on seeds that no suite uses: the declared bands."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.verify.claims.bands import band, departs
from attlas.verify.claims.points.sequential_recovery import FIXED_RATIO
from attlas.verify.claims.sequential_recovery import PILOT, SEQUENTIAL_RECOVERY
from attlas.verify.experiments.sequential_recovery import measure
from attlas.verify.judgement import extrapolate
from attlas.verify.store.case import SEED_BLOCK, Case
from attlas.verify.studies.study import Row, Study

#: Seeds start here, beyond those of a suite's ``--seed`` 0, 1, ...
_FIRST = 777_000_000
_SIZES = (16, 24, 36)
#: At few samples a dimension runs scatter more and cost less: so many times as many seeds.
_MORE = 8


def rows(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int]
) -> list[Row]:
    """One row for each quantity of a point with a declared departure.

    Target, noise and n are those of the claim ``sequential-recovery``.
    """
    del target, noise
    if n is not None:
        raise BadInput("n", list(n), "has no meaning with `study=departures`", "leave it out")
    if len(seeds) < 2 or len(seeds) * _MORE > SEED_BLOCK:
        raise BadInput(
            "seeds", len(seeds), f"must be 2 to {SEED_BLOCK // _MORE} for `study=departures`"
        )
    found: list[Row] = []
    for point in SEQUENTIAL_RECOVERY.points:
        if not any(one.point == point.key for one in SEQUENTIAL_RECOVERY.departures):
            continue
        count = len(seeds) * (_MORE if point.problem in FIXED_RATIO else 1)
        cases = [
            Case(point.problem, d, _FIRST + SEED_BLOCK * d + index)
            for d in _SIZES
            for index in range(count)
        ]
        made = [measure(case) for case in cases]
        for quantity in SEQUENTIAL_RECOVERY.quantities:
            key = quantity.key
            off = [one.measured[key] / one.reference[key] - 1 for one in made]
            fit = extrapolate([case.d for case in cases], off)
            found.append(_row(point.key, key, count, fit.intercept, fit.standard_error))
    return found


def _row(point: str, key: str, count: int, mean: float, error: float) -> Row:
    cap = SEQUENTIAL_RECOVERY.quantity(key).cap
    low, high = band(mean, error) if departs(mean, error, cap) else (None, None)
    declared = SEQUENTIAL_RECOVERY.departure(point, key)
    pilot = PILOT.get((point, key))
    return {
        "point": point,
        "quantity": key,
        "seeds a size": count,
        "deviation": mean,
        "+-": error,
        "band low": low,
        "band high": high,
        "pilot": None if pilot is None else pilot[0],
        "declared low": None if declared is None else declared.low,
        "declared high": None if declared is None else declared.high,
    }


STUDY = Study(
    "Departures of trained heads",
    "Relative deviation of trained heads from the theory at their own eigenvalues, extrapolated "
    "in 1/d from 16, 24 and 36, on seeds that no suite uses; the band that the rule of "
    "verify/claims/bands.py makes of it where it is to be declared; the pilot that was committed "
    "and its bands.",
    rows,
)
