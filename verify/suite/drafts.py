"""A suite's rows made into questions, and the judge's answers into results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attlas.model import Problem
from attlas.solver.solution import Observables, Solution
from attlas.verify.claims import Claim, Control, Margin, Point
from attlas.verify.claims.claim import Solve
from attlas.verify.judgement import ControlVerdict, Question, Sample, judge, judge_control
from attlas.verify.store.case import Case
from attlas.verify.store.files import StoreError
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.design import not_asked
from attlas.verify.suite.questions import sample_of, stated
from attlas.verify.suite.result import ClaimResult, Curve, PointResult
from attlas.verify.suite.schedule import Schedule, curve_alphas

#: Solutions of the problems that a suite needs; None where there is none.
Theory = Mapping[Problem, Solution | None]


@dataclass(frozen=True)
class Draft:
    """A claim with its runs, before the judgement, which needs all claims at once."""

    claim: Claim
    suite: str
    points: tuple[PointResult, ...]
    curves: tuple[Curve, ...]
    control_rows: dict[str, dict[str, tuple[tuple[Row, Row], ...]]]
    not_asked: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        one: Claim,
        schedule: Schedule,
        margins: Sequence[Margin],
        theory: Theory,
        store: Store,
    ) -> Draft:
        """The rows of a claim, from the store.

        Raises
        ------
        StoreError
            If a row is corrupted or missing.
        """
        cases = schedule.cases(one)
        rows = {case: _stored(store, case) for case in cases}
        if one.formula is not None:
            rows = {case: stated(row, one.formula) for case, row in rows.items()}
        points = schedule.points(one)

        def wrong(control: Control, case: Case) -> Row:
            if control.formula is not None:
                return stated(rows[case], control.formula)
            return _stored(store, case.under(control.id))

        def at(point: Point) -> list[Case]:
            return [case for case, key in cases.items() if key == point.key]

        return cls(
            claim=one,
            suite=schedule.suite.name,
            points=tuple(
                PointResult(
                    point=point,
                    **values_of(one.limit(point.problem, theory.get)),
                    margins=tuple(margin for margin in margins if margin.point == point.key),
                    rows=tuple(rows[case] for case in at(point)),
                )
                for point in points
            ),
            curves=tuple(curve(one, *family, theory.get) for family in schedule.families(one)),
            not_asked=not_asked(one, schedule.suite.name, margins),
            control_rows={
                control.id: {
                    point.key: tuple(
                        (rows[case], wrong(control, case))
                        for case in at(point)
                        if control in schedule.controls(one, case)
                    )
                    for point in points
                    if control.where(point.problem)
                }
                for control in one.controls
            },
        )

    def questions(self) -> list[Question]:
        """One for each quantity at each point that the suite asks for."""
        return [
            self._question(result, quantity.key, tuple(sample_of(row, row) for row in result.rows))
            for result in self.points
            for quantity in self.claim.quantities
            if (result.point.key, quantity.key) not in self.not_asked
        ]

    def control(self, id_: str) -> ControlVerdict:
        """The judgement of a wrong theory on the same runs."""
        questions = [
            self._question(
                result,
                quantity.key,
                tuple(
                    sample_of(run, wrong) for run, wrong in self.control_rows[id_][result.point.key]
                ),
                departs=False,
            )
            for result in self.points
            if result.point.key in self.control_rows[id_]
            for quantity in self.claim.quantities
        ]
        return judge_control(self.claim.id, id_, questions)

    def _question(
        self,
        result: PointResult,
        quantity: str,
        samples: tuple[Sample, ...],
        departs: bool = True,
    ) -> Question:
        margin = next(m.value for m in result.margins if m.quantity == quantity)
        departure = self.claim.departure(result.point.key, quantity) if departs else None
        return Question(
            claim=self.claim.id,
            point=result.point.key,
            quantity=quantity,
            low=departure.low if departure else -margin,
            high=departure.high if departure else margin,
            samples=samples,
            departure=departure.reason if departure else "",
        )


def judged(drafts: Sequence[Draft]) -> tuple[ClaimResult, ...]:
    """All claims judged as one family."""
    questions = [draft.questions() for draft in drafts]
    verdicts = iter(judge([question for group in questions for question in group]))
    return tuple(
        ClaimResult(
            claim=draft.claim,
            points=draft.points,
            verdicts=tuple(next(verdicts) for _ in group),
            controls=tuple(
                draft.control(control.id)
                for control in draft.claim.controls
                if draft.control_rows[control.id]
            ),
            curves=draft.curves,
            not_asked=draft.not_asked,
        )
        for draft, group in zip(drafts, questions, strict=True)
    )


def _stored(store: Store, case: Case) -> Row:
    row = store.get(case)
    if row is None:
        raise StoreError(f"{store.file_of(case)} is missing: it was removed while the suite ran")
    return row


def values_of(limit: Observables | None) -> dict[str, Observables]:
    """A limit as a result holds it: values and error bars, empty where there is none."""
    if limit is None:
        return {"theory": Observables(), "theory_error": Observables()}
    error = getattr(limit, "error", Observables())
    return {"theory": Observables(**limit.present()), "theory_error": error}


def curve(one: Claim, family: Problem, points: Sequence[Point], solve: Solve) -> Curve:
    """What a claim says along alpha, through points that share everything else."""
    alphas = curve_alphas(one, points)
    values = [values_of(one.limit(family.with_(alpha=alpha), solve)) for alpha in alphas]
    return Curve(
        points=tuple(point.key for point in points),
        alphas=tuple(float(alpha) for alpha in alphas),
        values=tuple(value["theory"] for value in values),
        errors=tuple(value["theory_error"] for value in values),
    )
