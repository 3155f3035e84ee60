"""What a suite leaves: everything a report shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from attlas.solver.solution import Observables
from attlas.verify.claims import Claim, Margin, Point
from attlas.verify.judgement import ControlVerdict, Outcome, Verdict, overall
from attlas.verify.store.rows import Row


@dataclass(frozen=True)
class Curve:
    """The theory along alpha through points of a claim that share everything else.

    Attributes
    ----------
    points : tuple of str
        Keys of the points on it.
    alphas : tuple of float
    values, errors : tuple of Observables
        Theory and its error bars at each alpha.
    """

    points: tuple[str, ...]
    alphas: tuple[float, ...]
    values: tuple[Observables, ...]
    errors: tuple[Observables, ...]


@dataclass(frozen=True)
class PointResult:
    """A point of a claim: its theory, margins and runs.

    Attributes
    ----------
    point : Point
    theory, theory_error : Observables
        In the limit d -> infinity; empty where the theory has no solution.
    margins : tuple of Margin
    rows : tuple of Row
    """

    point: Point
    theory: Observables
    theory_error: Observables
    margins: tuple[Margin, ...]
    rows: tuple[Row, ...]

    def seeds(self) -> dict[int, tuple[int, ...]]:
        """The seeds at each dimension d."""
        sizes = sorted({row.case.d for row in self.rows})
        return {
            d: tuple(sorted(row.case.seed for row in self.rows if row.case.d == d)) for d in sizes
        }


@dataclass(frozen=True)
class ClaimResult:
    """A claim, judged.

    Attributes
    ----------
    claim : Claim
    points : tuple of PointResult
    verdicts : tuple of Verdict
    controls : tuple of ControlVerdict
    curves : tuple of Curve
    not_asked : mapping
        Why the suite left out what it did, before its runs, by point and quantity.
    """

    claim: Claim
    points: tuple[PointResult, ...]
    verdicts: tuple[Verdict, ...]
    controls: tuple[ControlVerdict, ...]
    curves: tuple[Curve, ...]
    not_asked: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @property
    def reasons(self) -> dict[str, dict[str, list[str]]]:
        """What was left out for each reason: point to quantities."""
        found: dict[str, dict[str, list[str]]] = {}
        for (point, quantity), reason in self.not_asked.items():
            found.setdefault(reason, {}).setdefault(point, []).append(quantity)
        return found

    @property
    def outcome(self) -> Outcome:
        """The claim's outcome, from those of its quantities and points."""
        return overall(self.verdicts)

    @property
    def power(self) -> tuple[float, float]:
        """The least and the median power of its comparisons with theory; 0 without any."""
        found = sorted(v.power for v in self.verdicts if v.outcome is not Outcome.NO_THEORY)
        return (found[0], median(found)) if found else (0.0, 0.0)

    def margin(self, point: str, quantity: str) -> Margin:
        """The committed margin of a quantity at a point."""
        return next(
            margin
            for result in self.points
            if result.point.key == point
            for margin in result.margins
            if margin.quantity == quantity
        )


@dataclass(frozen=True)
class SuiteResult:
    """A suite, run and judged.

    Attributes
    ----------
    suite, purpose : str
    seed : int
        The suite's seed; seeds of runs follow from it.
    algorithm, device : str
    claims : tuple of ClaimResult
    rows_made, rows_reused : int
    level : float
        Family-wise level of the verdicts.
    started : str
        ISO time, UTC.
    seconds : dict from str to float
        Wall time by stage.
    machine, packages : dict from str to str
    store : str
    command : str
        The command that made it; empty where it was made in Python.
    """

    suite: str
    purpose: str
    seed: int
    algorithm: str
    device: str
    claims: tuple[ClaimResult, ...]
    rows_made: int
    rows_reused: int
    level: float
    started: str
    seconds: dict[str, float] = field(default_factory=dict)
    machine: dict[str, str] = field(default_factory=dict)
    packages: dict[str, str] = field(default_factory=dict)
    store: str = ""
    command: str = ""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts of all claims."""
        return tuple(verdict for claim in self.claims for verdict in claim.verdicts)

    @property
    def controls(self) -> tuple[ControlVerdict, ...]:
        """All controls of all claims."""
        return tuple(control for claim in self.claims for control in claim.controls)

    @property
    def unexpected(self) -> tuple[Verdict, ...]:
        """Disagreements that no claim declares."""
        return tuple(
            verdict
            for verdict in self.verdicts
            if verdict.outcome is Outcome.DISAGREES and not verdict.expected
        )

    @property
    def accepted_controls(self) -> tuple[ControlVerdict, ...]:
        """Wrong theories that the runs did not reject."""
        return tuple(control for control in self.controls if not control.rejected)

    @property
    def exit_code(self) -> int:
        """1 for an unexpected disagreement or an accepted control, else 0."""
        return 1 if self.unexpected or self.accepted_controls else 0
