"""``attlas.compare``: runs made elsewhere, judged beside the theory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from time import perf_counter
from typing import Any

from attlas.model import BadInput, Problem, Wishart, parameters_of, problem_from
from attlas.model.exact import Number
from attlas.solver.solution import Solution
from attlas.verify.claims import Claim, Control, Design, Margin, Point, commit_margins
from attlas.verify.claims.conjecture import quantity_of
from attlas.verify.claims.controls import CONTROLS
from attlas.verify.claims.learning_curve import LEARNING_CURVE
from attlas.verify.claims.quantities import QUANTITIES
from attlas.verify.judgement import LEVEL
from attlas.verify.machine.environment import machine, package_versions
from attlas.verify.simulation.pairing import finite, limit
from attlas.verify.store.case import Case
from attlas.verify.store.rows import Row
from attlas.verify.suite.check import Check
from attlas.verify.suite.drafts import Draft, curve, judged, values_of
from attlas.verify.suite.pace import SuiteEvent, SuiteProgress
from attlas.verify.suite.result import PointResult, SuiteResult
from attlas.verify.suite.schedule import families_of
from attlas.verify.suite.tables import TableRow, columns_of, rows_of

#: The suite that runs from elsewhere are said to be.
SUITE = "compare"


def compare(
    table: Any,
    *,
    map: Mapping[str, str] | None = None,  # the flag's name
    ignore: Iterable[str] = (),
    margin: Number | None = None,
    progress: SuiteProgress | None = None,
    command: str = "",
    **constants: Any,
) -> Check:
    """Judge runs that were made without attlas: one row a run, beside the theory in the limit.

    Parameters
    ----------
    table : path, pyarrow.Table, pandas.DataFrame, mapping of columns, or iterable of mappings
        A path ends in .csv or .parquet. Columns are parameters of a problem (alpha, or n; lam,
        kappa, kappa0, tokens, beta, beta0, noise, target, ...), d, seed, results (q, m, mse,
        rank_fraction, loss, train_error, test_error, test_error_clean), and converged.
    map : mapping from str to str, optional
        Other names and conventions: ``{"test_error_clean": "test", "loss": "mean_loss*alpha"}``.
        Factors are numbers and parameters.
    ignore : iterable of str
        Columns that are no concern of attlas.
    margin : number in (0, 1), optional
        Relative deviation that still counts as agreement; by default 0.02, and 0.05 for errors.
    progress : callable, optional
        Receives :class:`attlas.verify.suite.pace.SuiteEvent`.
    command : str
        What a report prints as its command.
    **constants
        Parameters that are the same for all rows.

    Returns
    -------
    Check

    Raises
    ------
    BadInput
        Naming the column, the row and what belongs there.

    Notes
    -----
    Rows that share all parameters but d and seed are a point. With n, alpha = n/d^2 is each run's
    own, and values of alpha that rounding of n explains are one point. The theory is that of the
    target's law, and the scatter of teachers is in the error bars; with a column ``target`` of
    ``file:PATH``, each run's own teacher, it is that of the teacher. The
    wrong theories of attlas's own suites are judged on the same rows, where these can be told
    apart. docs/howto/compare.md has the conventions.
    """
    began, started = perf_counter(), datetime.now(UTC).isoformat(timespec="seconds")
    columns = columns_of(table)
    rows = rows_of(columns, map or {}, ignore, constants)
    runs = _runs(rows)
    name = str(table) if isinstance(table, str | Path) else "a table"
    claim = _claim(runs, rows, name, margin)
    theory = _Theory(progress)
    points = [point for point in claim.points if point.key in runs]
    theory.solve(_problems(claim, runs))
    margins = commit_margins(claim, points, theory.get)
    claim = replace(claim, controls=_telling(claim.controls, margins))
    (result,) = judged([_draft(claim, runs, margins, theory)])
    if not any(verdict.coefficients for verdict in result.verdicts):
        result = replace(result, controls=())  # nothing can be judged, wrong theories neither
    return Check(
        SuiteResult(
            suite=SUITE,
            purpose=f"runs of {name} beside the theory",
            seed=0,
            algorithm="as given",
            device="as given",
            claims=(result,),
            rows_made=0,
            rows_reused=len(rows),
            level=LEVEL,
            started=started,
            seconds={"theory and judgement": perf_counter() - began},
            machine=machine(),
            packages=package_versions(),
            command=command or f"attlas compare {name}",
        )
    )


#: By the point's name: its problem, and each run with the problem at its own alpha.
_Runs = Mapping[str, tuple[Problem, list[tuple[TableRow, Problem]]]]


def _runs(rows: Sequence[TableRow]) -> _Runs:
    """Rows by point: those whose problems differ by the rounding of n alone are of one."""
    families: dict[Problem, list[tuple[TableRow, Problem]]] = {}
    for row in rows:
        problem = _problem(row)
        families.setdefault(_family(problem), []).append((row, problem))
    groups: list[list[tuple[TableRow, Problem]]] = []
    for family in families.values():
        here: list[list[tuple[TableRow, Problem]]] = []
        for row, problem in sorted(family, key=lambda pair: (-pair[0].d, pair[1].alpha)):
            near = next((g for g in here if _rounded_alike((row, problem), g[0])), None)
            if near is None:
                here.append([(row, problem)])
            else:
                near.append((row, problem))
        groups += sorted(here, key=lambda group: group[0][1].alpha)
    for group in groups:
        _require_distinct([row for row, _ in group])
    return dict(zip(_names([g[0][1] for g in groups]), [(g[0][1], g) for g in groups], strict=True))


def _family(problem: Problem) -> Problem:
    """What the runs of a point share besides alpha: not a target that is one run's own teacher."""
    target = Wishart(1) if problem.target.by_value else problem.target
    return problem.with_(alpha=1, target=target)


def _problem(row: TableRow) -> Problem:
    try:
        return problem_from(**row.parameters)
    except BadInput as error:
        if error.value is None:
            name = error.parameter
            raise BadInput(
                name, None, error.valid, f"it must be a column of the table, or given as `{name}`"
            ) from None
        raise error.within(f"row {row.number} of the table") from None


def _rounded_alike(one: tuple[TableRow, Problem], other: tuple[TableRow, Problem]) -> bool:
    """Whether two values of alpha are one, n being rounded to either side."""
    if one[1].alpha == other[1].alpha:
        return True
    if "n" not in one[0].parameters:
        return False
    slack = Fraction(1, one[0].d ** 2) + Fraction(1, other[0].d ** 2)
    return abs(one[1].alpha - other[1].alpha) < slack


def _require_distinct(rows: Sequence[TableRow]) -> None:
    seen: dict[tuple[int, int], int] = {}
    for row in rows:
        if row.seed is None:
            continue
        first = seen.setdefault((row.d, row.seed), row.number)
        if first != row.number:
            raise BadInput(
                "seed",
                row.seed,
                f"stands in rows {first} and {row.number} of the table at one problem and d = "
                f"{row.d}: a run counts once",
            )


def _names(problems: Sequence[Problem]) -> list[str]:
    """What sets the points apart: "alpha = 0.3, noise = 0.5"."""
    flat = [parameters_of(problem) for problem in problems]
    names = dict.fromkeys(name for parameters in flat for name in parameters)
    differ = [name for name in names if len({one.get(name) for one in flat}) > 1]
    texts = [
        ", ".join(f"{name} = {_short(one[name])}" for name in differ if name in one) for one in flat
    ]
    if len(set(texts)) < len(texts):
        texts = [f"{index + 1}: {text}" for index, text in enumerate(texts)]
    return [text or "all runs" for text in texts]


def _short(value: str | int) -> str:
    text = str(value)
    if len(text) <= 12:
        return text
    try:
        return f"{float(Fraction(text)):.5g}"
    except ValueError:
        return text


def _claim(runs: _Runs, rows: Sequence[TableRow], name: str, margin: Number | None) -> Claim:
    keys = [key for key in QUANTITIES if key in rows[0].measured]
    points = tuple(Point(key, problem) for key, (problem, _) in runs.items())
    sizes = {row.d: 0 for row in sorted(rows, key=lambda row: row.d)}
    for row in rows:
        sizes[row.d] += 1
    return Claim(
        id="runs",
        title=f"Runs of {Path(name).name}",
        statement=(
            "Runs that were made without attlas have, in high dimension, the errors and overlaps "
            "that the theory predicts."
        ),
        equation=LEARNING_CURVE.equation,
        covers=LEARNING_CURVE.covers,
        measurement=(
            f"{len(rows)} rows of {name} are compared with the theory at their parameters. "
            "Where they do not say their teacher, the theory is that of the target's law and the "
            "scatter of teachers is in the error bars. The relative deviation is extrapolated to "
            "infinite dimension by a straight line in 1/d."
        ),
        points=points,
        quantities=tuple(quantity_of(key, margin) for key in keys),
        controls=CONTROLS,
        designs={SUITE: Design(tuple(point.key for point in points), sizes)},
    )


class _Theory:
    """Limits of problems, each solved once, in sight."""

    def __init__(self, progress: SuiteProgress | None) -> None:
        self._found: dict[Problem, Solution | None] = {}
        self._progress = progress

    def solve(self, problems: Sequence[Problem]) -> None:
        for done, problem in enumerate(problems):
            if self._progress is not None:
                self._progress(SuiteEvent("theory", "", done, len(problems)))
            self._found[problem] = limit(problem)
        if self._progress is not None:
            self._progress(SuiteEvent("theory", "", len(problems), len(problems)))

    def get(self, problem: Problem) -> Solution | None:
        if problem not in self._found:
            self._found[problem] = limit(problem)
        return self._found[problem]

    def row(self, run: Row, problem: Problem) -> Row:
        solution = self.get(problem)
        if solution is None:
            return replace(run, theory={}, theory_error={})
        return replace(run, theory=finite(solution), theory_error=finite(solution.error))


def _problems(claim: Claim, runs: _Runs) -> list[Problem]:
    own = {problem for _, group in runs.values() for _, problem in group}
    found = dict.fromkeys(own)
    for problem in own:
        for control in claim.controls:
            if control.where(problem):
                found[control.wrong(problem)] = None
    return list(found)


def _telling(controls: Sequence[Control], margins: Sequence[Margin]) -> tuple[Control, ...]:
    """The wrong theories that these runs could reject: seen beyond a margin somewhere."""
    return tuple(
        control
        for control in controls
        if any(margin.cap <= abs(margin.distances.get(control.id, 0)) < 1e9 for margin in margins)
    )


def _draft(claim: Claim, runs: _Runs, margins: Sequence[Margin], theory: _Theory) -> Draft:
    def rows(control: Control | None, key: str) -> tuple[Row, ...]:
        point, group = runs[key]
        return tuple(
            theory.row(
                Row(
                    case=Case(point, row.d, row.number if row.seed is None else row.seed),
                    measured=row.measured,
                    converged=row.converged,
                    arithmetic="as given",
                ),
                problem if control is None else control.wrong(problem),
            )
            for row, problem in group
        )

    own = {key: rows(None, key) for key in runs}
    return Draft(
        claim=claim,
        suite=SUITE,
        points=tuple(
            PointResult(
                point,
                **values_of(theory.get(point.problem)),
                margins=tuple(margin for margin in margins if margin.point == point.key),
                rows=own[point.key],
            )
            for point in claim.points
        ),
        curves=tuple(curve(claim, *family, theory.get) for family in families_of(claim.points)),
        control_rows={
            control.id: {
                point.key: tuple(zip(own[point.key], rows(control, point.key), strict=True))
                for point in claim.points
                if control.where(point.problem)
            }
            for control in claim.controls
        },
    )
