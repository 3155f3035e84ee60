"""What has changed since a baseline was accepted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy import stats

from attlas.reports.baseline import baseline_of, pair, reasons
from attlas.verify.judgement.equivalence import holm
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.suites import suite

#: Family-wise level at which simulations on other data are said to have drifted.
LEVEL = 0.01
#: On the same data only rounding differs: a mean may move by this part of its standard error, or
#: by this relative amount, to which runs are certified.
SAME_DATA_ERRORS, SAME_DATA_RELATIVE = 0.1, 1e-6
#: Theory may differ by rounding beyond its stated errors.
ROUNDING = 1e-14

_RANK = {"agrees": 0, "departs as declared": 0, "no-theory": 1, "undecided": 1, "disagrees": 2}


@dataclass(frozen=True)
class Change:
    """A number then and now.

    Attributes
    ----------
    claim, point, quantity : str
    d : int or None
        The dimension of a simulation; None for theory.
    old, new : float
    allowed : float
        How far apart they may be.
    p : float
        p-value of equal means, for simulations on other data, corrected over all of them; else NaN.
    flagged : bool
    """

    claim: str
    point: str
    quantity: str
    d: int | None
    old: float
    new: float
    allowed: float
    p: float = math.nan
    flagged: bool = False

    @property
    def size(self) -> float:
        """How far the number has moved, in units of what is allowed."""
        moved = abs(self.new - self.old)
        if moved == 0 or (math.isnan(self.old) and math.isnan(self.new)):
            return 0.0
        return moved / self.allowed if self.allowed > 0 and math.isfinite(moved) else math.inf

    @property
    def move(self) -> float:
        """The same with the sign of the move."""
        return math.copysign(self.size, self.new - self.old) if self.size else 0.0

    @property
    def where(self) -> str:
        """Claim, point and dimension in words."""
        return f"{self.claim}, {self.point}" + (f", d = {self.d}" if self.d else "")


@dataclass(frozen=True)
class QuantityDrift:
    """How the numbers of a quantity of a claim have moved.

    Attributes
    ----------
    claim, quantity : str
    theory, simulation : Change or None
        The largest drifts; None where nothing was compared.
    theory_moves, simulation_moves : tuple of float
        Every move, with its sign, in units of what is allowed.
    """

    claim: str
    quantity: str
    theory: Change | None
    simulation: Change | None
    theory_moves: tuple[float, ...] = ()
    simulation_moves: tuple[float, ...] = ()

    @property
    def moved(self) -> bool:
        """Whether either differs at all."""
        return any(change is not None and change.size > 0 for change in self._both)

    @property
    def flagged(self) -> bool:
        """Whether either is beyond what is allowed."""
        return any(change is not None and change.flagged for change in self._both)

    @property
    def _both(self) -> tuple[Change | None, Change | None]:
        return self.theory, self.simulation


@dataclass(frozen=True)
class VerdictChange:
    """A verdict, a control or a part of the suite that is another one now."""

    where: str
    old: str
    new: str
    worse: bool


@dataclass(frozen=True)
class Timing:
    """Seconds of computation then and now; of whichever machine made the rows."""

    what: str
    old: float
    new: float

    @property
    def ratio(self) -> float:
        """New over old."""
        return self.new / self.old if self.old > 0 else math.nan


@dataclass(frozen=True)
class Drift:
    """Everything that differs from a baseline, and how much was compared.

    Attributes
    ----------
    reasons : tuple of str
        Why the baseline was accepted, the latest first.
    theory, simulation : tuple of Change
        Every number compared, flagged or not.
    verdicts : tuple of VerdictChange
    timings : tuple of Timing
    same_data : bool
        Whether all simulations were trained on the baseline's data.
    """

    reasons: tuple[str, ...]
    theory: tuple[Change, ...]
    simulation: tuple[Change, ...]
    verdicts: tuple[VerdictChange, ...]
    timings: tuple[Timing, ...]
    same_data: bool

    @property
    def flagged_theory(self) -> tuple[Change, ...]:
        """Theory that moved beyond the sum of its stated errors."""
        return tuple(change for change in self.theory if change.flagged)

    @property
    def flagged_simulation(self) -> tuple[Change, ...]:
        """Simulations that moved beyond chance."""
        return tuple(change for change in self.simulation if change.flagged)

    @property
    def by_quantity(self) -> tuple[QuantityDrift, ...]:
        """The worst of every quantity of every claim."""
        names = dict.fromkeys((one.claim, one.quantity) for one in (*self.theory, *self.simulation))
        theory, simulation = (
            {name: [one for one in all_ if (one.claim, one.quantity) == name] for name in names}
            for all_ in (self.theory, self.simulation)
        )
        return tuple(
            QuantityDrift(
                *name,
                *(_worst(kind[name]) for kind in (theory, simulation)),
                theory_moves=tuple(one.move for one in theory[name]),
                simulation_moves=tuple(one.move for one in simulation[name]),
            )
            for name in names
        )

    @property
    def worse(self) -> tuple[VerdictChange, ...]:
        """Verdicts, controls and parts that were lost."""
        return tuple(change for change in self.verdicts if change.worse)

    @property
    def exit_code(self) -> int:
        """1 if anything drifted or was lost, else 0."""
        return 1 if self.flagged_theory or self.flagged_simulation or self.worse else 0

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if not self.exit_code:
            return (
                f"Nothing has drifted since the baseline: {len(self.theory)} numbers of theory and "
                f"{len(self.simulation)} of simulation compared."
            )
        return (
            f"Drift since the baseline: {len(self.flagged_theory)} of {len(self.theory)} numbers "
            f"of theory, {len(self.flagged_simulation)} of {len(self.simulation)} of simulation, "
            f"{len(self.worse)} lost verdicts, controls or parts."
        )


def drift(baseline: Mapping[str, Any], result: SuiteResult) -> Drift:
    """Compare a suite with a baseline.

    Theory is deterministic: it is flagged when it moves by more than the sum of both stated
    errors. Simulations on the same data are flagged when a mean moves by more than rounding would
    move it, those on other data by Welch's test, corrected over all of them (Holm). A claim of the
    suite that was not selected is not compared.

    Parameters
    ----------
    baseline : mapping
        From :func:`attlas.reports.baseline.read_baseline`.
    result : SuiteResult
    """
    now = baseline_of(result)
    selected = {claim.claim.id for claim in result.claims}
    left_out = {claim.id for claim in suite(result.suite).claims()} - selected
    old = {key: entry for key, entry in baseline["claims"].items() if key not in left_out}
    new = now["claims"]
    pairs = list(_points(old, new))
    simulation = _judged([change for names, a, b in pairs for change in _runs(names, a, b)])
    return Drift(
        reasons=tuple(reasons(baseline)),
        theory=tuple(change for names, a, b in pairs for change in _theory(names, a, b)),
        simulation=simulation,
        verdicts=tuple(_verdicts(old, new)),
        timings=tuple(_timings(baseline, now, old)),
        same_data=all(math.isnan(change.p) for change in simulation),
    )


def _worst(changes: Sequence[Change]) -> Change | None:
    return max(changes, key=lambda change: (change.flagged, change.size), default=None)


def _shared(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """The keys of both, in the order of the old one."""
    return [key for key in old if key in new]


def _points(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, str], Mapping[str, Any], Mapping[str, Any]]]:
    """The points that both have, of the same problem: (claim, point), old and new values."""
    for claim in _shared(old, new):
        before, after = old[claim]["points"], new[claim]["points"]
        for key in _shared(before, after):
            if before[key]["parameters"] == after[key]["parameters"]:
                yield (claim, key), before[key], after[key]


def _theory(
    names: tuple[str, str], old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    for key in _shared(old["theory"], new["theory"]):
        (a, a_error), (b, b_error) = pair(old["theory"][key]), pair(new["theory"][key])
        allowed = a_error + b_error + ROUNDING * abs(a)
        change = Change(*names, key, None, a, b, allowed)
        yield replace(change, flagged=change.size > 1)


def _runs(
    names: tuple[str, str], old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    for d in _shared(old["runs"], new["runs"]):
        before, after = old["runs"][d], new["runs"][d]
        for key in _shared(before["measured"], after["measured"]):
            (a, a_error), (b, b_error) = (pair(one["measured"][key]) for one in (before, after))
            change = Change(*names, key, int(d), a, b, math.hypot(a_error, b_error))
            if before["data"] == after["data"]:
                error = 0.0 if math.isnan(a_error) else a_error
                allowed = max(SAME_DATA_ERRORS * error, SAME_DATA_RELATIVE * abs(a))
                same = replace(change, allowed=allowed)
                yield replace(same, flagged=same.size > 1)
            elif min(counts := (before["converged"], after["converged"])) > 1:
                spreads = a_error * math.sqrt(counts[0]), b_error * math.sqrt(counts[1])
                yield replace(change, p=_welch(a, b, spreads, counts))


def _welch(a: float, b: float, spreads: Sequence[float], counts: Sequence[int]) -> float:
    """p-value of equal means of two samples with their own variances."""
    if max(spreads) == 0:
        return 1.0 if a == b else 0.0
    test = stats.ttest_ind_from_stats(
        a, spreads[0], counts[0], b, spreads[1], counts[1], equal_var=False
    )
    return float(test.pvalue)  # type: ignore[union-attr]


def _judged(changes: Sequence[Change]) -> tuple[Change, ...]:
    """The changes with p-values corrected over all of them."""
    tested = [index for index, change in enumerate(changes) if not math.isnan(change.p)]
    corrected = dict(zip(tested, holm([changes[index].p for index in tested]), strict=True))
    return tuple(
        replace(change, p=corrected[index], flagged=corrected[index] < LEVEL)
        if index in corrected
        else change
        for index, change in enumerate(changes)
    )


def _verdicts(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[VerdictChange]:
    before, after = _outcomes(old), _outcomes(new)
    for where in [*before, *(key for key in after if key not in before)]:
        a, b = before.get(where, "absent"), after.get(where, "absent")
        if a != b:
            yield VerdictChange(where, a, b, worse=_worse(a, b))
    for claim in _shared(old, new):
        before, after = old[claim]["points"], new[claim]["points"]
        for key in _shared(before, after):
            if before[key]["parameters"] != after[key]["parameters"]:
                yield VerdictChange(f"{claim}, {key}", "one problem", "another problem", worse=True)


def _outcomes(claims: Mapping[str, Any]) -> dict[str, str]:
    found = {}
    for claim, entry in claims.items():
        for control, rejected in entry["controls"].items():
            found[f"{claim}, control {control}"] = "rejected" if rejected else "not rejected"
        for point, one in entry["points"].items():
            for quantity, outcome in one["verdicts"].items():
                found[f"{claim}, {point}, {quantity}"] = outcome
    return found


def _worse(old: str, new: str) -> bool:
    if old == "absent":
        return new in ("disagrees", "not rejected")
    if new == "absent":
        return True
    if new == "not rejected":
        return True
    return _RANK.get(new, 0) > _RANK.get(old, 0)


def _timings(
    baseline: Mapping[str, Any], now: Mapping[str, Any], old: Mapping[str, Any]
) -> Iterator[Timing]:
    for claim in old:
        if claim in now["claims"]:
            seconds = [float(one[claim]["seconds"]) for one in (old, now["claims"])]
            yield Timing(f"runs of {claim}", *seconds)
    if "theory" in baseline["seconds"] and "theory" in now["seconds"]:
        yield Timing(
            "theory", float(baseline["seconds"]["theory"]), float(now["seconds"]["theory"])
        )
