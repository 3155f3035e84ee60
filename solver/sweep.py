"""Solve a grid of problems: one tidy table, in parallel, resumable."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.model import PARAMETERS, BadInput, Problem, parameters_of, plugins, problem_from
from attlas.model.errors import unknown_name
from attlas.model.exact import several, whole
from attlas.model.files import whole_file, writable_file
from attlas.model.parameters import plugins_of
from attlas.solver.journal import Journal, Share, share_of
from attlas.solver.solution import OBSERVABLE_KEYS, SolveError
from attlas.solver.solve import relative_tolerance, solve

if TYPE_CHECKING:
    import pyarrow

#: Raised when the meaning of a row changes, so that old rows are not taken for new ones.
FORMULA_VERSION = 2
#: Relative error bars at which a row is done, unless told.
_ENOUGH = 1e-4
#: Problems of one sweep; a larger grid is a typing error, or a matter for several machines.
LARGEST_GRID = 1_000_000

#: Called with the number of rows done and the number of rows in all.
Progress = Callable[[int, int], None]

_NUMERIC = tuple(p.name for p in PARAMETERS if p.kind == "number")
_KINDS: dict[str, type] = {"number": float, "whole": int, "text": str}
#: What a row may hold, in the order of the table.
_COLUMNS: dict[str, type] = {
    **{parameter.name: _KINDS[parameter.kind] for parameter in PARAMETERS},
    "status": str,
    "message": str,
    **dict.fromkeys(OBSERVABLE_KEYS, float),
    **{f"error_{key}": float for key in OBSERVABLE_KEYS},
    "seconds": float,
}


def sweep(
    problem: Problem,
    *,
    path: str | Path | None = None,
    kept: str | Path | None = None,
    workers: int | None = None,
    rtol: float | None = None,
    progress: Progress | None = None,
    share: Share | None = None,
    **axes: Iterable[Any],
) -> pyarrow.Table:
    """Solve a problem on a grid of its parameters.

    Parameters
    ----------
    problem : Problem
        Gives every parameter that is not swept.
    path : path, optional
        Parquet file to write. While the sweep runs its finished rows are in ``path.partial``; an
        interrupted sweep that is started again goes on from there.
    kept : path, optional
        Where finished rows are kept instead; the file stays, for the caller to remove.
    workers : int >= 1, optional
        Processes; by default one per core.
    rtol : float, optional
        As for :func:`attlas.solver.solve`; by default 1e-4 where the problem can give it.
    progress : callable, optional
        Called with (rows done, rows in all).
    share : (index, count), optional
        Solve every count-th row only, from number ``index`` on, for machines that divide the work.
        Rows are kept in a file beside ``path.partial``; a sweep without ``share`` finds them.
    **axes : iterable
        Values of flat parameters (``alpha``, ``lam``, ``kappa0``, ``noise``, ...); the grid is
        their product, the last axis running fastest.

    Returns
    -------
    pyarrow.Table
        One row a problem: its parameters, ``status``, ``message``, every result key (null where
        it does not apply or the solve failed), its error bar as ``error_KEY``, ``seconds``. With
        ``share``, the rows of the share.

    Raises
    ------
    BadInput
        For an unknown axis, an empty one or a value out of range, before anything is solved.
    SweepInterrupted
        For Ctrl-C; a KeyboardInterrupt that holds the rows solved so far.
    """
    problems = grid(problem, axes, share)
    rtol = relative_tolerance(rtol)
    if workers is not None:
        workers = whole("workers", workers, at_least=1)
    target = None if path is None else writable_file("path", path)
    partial = None if target is None else target.with_name(target.name + ".partial")
    journal = Journal(Path(kept) if kept is not None else partial, row_read, share)
    keys = [_key(one, rtol) for one in problems]
    wanted = dict(zip(keys, problems, strict=True))  # equal problems once
    missing = {key: one for key, one in wanted.items() if key not in journal.rows}
    done = len(wanted) - len(missing)
    try:
        for key, row in _solve_all(missing, rtol, workers):
            journal.add(key, row)
            done += 1
            if progress is not None:
                progress(done, len(wanted))
    except KeyboardInterrupt:
        rows = [journal.rows.get(key) or _unsolved(wanted[key]) for key in keys]
        raise SweepInterrupted(_table(rows), done, len(wanted)) from None
    table = _table([journal.rows[key] for key in keys])
    if share is not None:
        return table
    if target is not None:
        _write(table, target)
    if kept is None:
        journal.remove()
    return table


class SweepInterrupted(KeyboardInterrupt):
    """A sweep ended by Ctrl-C.

    Attributes
    ----------
    table : pyarrow.Table
        All rows; those that were not solved have the status ``interrupted``.
    done, total : int
        Rows solved, and rows in all.
    """

    def __init__(self, table: pyarrow.Table, done: int, total: int) -> None:
        super().__init__(f"{done} of {total} rows were solved")
        self.table, self.done, self.total = table, done, total


def grid(
    problem: Problem, axes: Mapping[str, Iterable[Any]], share: Share | None = None
) -> list[Problem]:
    """The problems of a grid, or of a share of it, the last axis running fastest.

    Raises
    ------
    BadInput
        For an unknown axis, an empty one or a value out of range.
    """
    names = [parameter.name for parameter in PARAMETERS]
    for name in axes:
        if name not in names:
            raise unknown_name("sweep axis", name, names)
    values = {name: several(name, given) for name, given in axes.items()}
    for name, given in values.items():
        if not given:
            raise BadInput(name, "[]", "an axis must hold at least one value")
    size = math.prod(map(len, values.values()))
    if size > LARGEST_GRID:
        shown = " x ".join(str(len(given)) for given in values.values())
        raise BadInput(
            "grid", shown, f"must hold at most {LARGEST_GRID} problems", "sweep parts of it"
        )
    base: dict[str, Any] = dict(parameters_of(problem))
    if "n" in axes:
        base.pop("alpha", None)
    # kappa0 is short for a Wishart target: whichever of the two is swept replaces the other.
    if "target" in axes:
        base.pop("kappa0", None)
    if "kappa0" in axes:
        base.pop("target", None)
    points = list(itertools.product(*values.values()))
    if share is not None:
        points = share_of(points, *share)
    return [problem_from(**{**base, **dict(zip(values, point, strict=True))}) for point in points]


def _key(problem: Problem, rtol: float | None) -> str:
    text = json.dumps(
        [{**parameters_of(problem), **plugins_of(problem)}, rtol, FORMULA_VERSION], sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _solve_all(
    problems: Mapping[str, Problem], rtol: float | None, workers: int | None
) -> Iterable[tuple[str, dict[str, Any]]]:
    count = min(workers or os.cpu_count() or 1, len(problems))
    if count <= 1:
        return ((key, _row(one, rtol)) for key, one in problems.items())
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky import get_reusable_executor

    if plugins.files():  # workers that run already may not know them
        get_reusable_executor().shutdown(wait=True)
    with parallel_config("loky", n_jobs=count, inner_max_num_threads=1):
        run: Any = Parallel(return_as="generator_unordered")
        return run(delayed(_keyed_row)(key, one, rtol) for key, one in problems.items())


def _keyed_row(key: str, problem: Problem, rtol: float | None) -> tuple[str, dict[str, Any]]:
    return key, _row(problem, rtol)


def _parameters(problem: Problem) -> dict[str, Any]:
    return {
        name: float(getattr(_holder(problem, name), name)) if name in _NUMERIC else value
        for name, value in parameters_of(problem).items()
    }


def _unsolved(problem: Problem) -> dict[str, Any]:
    return {**_parameters(problem), "status": "interrupted", "message": ""}


def _row(problem: Problem, rtol: float | None) -> dict[str, Any]:
    row = _parameters(problem)
    aim = _ENOUGH if rtol is None else None
    try:
        solution = solve(problem, rtol=rtol, aim=aim, raise_on_failure=False)
    except BadInput as refusal:
        return {**row, "status": "refused", "message": str(refusal)}
    row |= {"status": solution.status.name.lower(), "message": solution.advice}
    if not solution.status.ok:
        row["message"] = str(SolveError(solution))
    else:
        row |= solution.present()
        row |= {f"error_{key}": value for key, value in solution.error.present().items()}
    return {**row, "seconds": solution.stats.seconds}


def _holder(problem: Problem, name: str) -> Any:
    parts = (problem, problem.target, problem.channel, problem.estimator)
    return next(part for part in parts if hasattr(part, name))


def _table(rows: list[dict[str, Any]]) -> pyarrow.Table:
    import pyarrow as pa

    types = {float: pa.float64(), int: pa.int64(), str: pa.string()}
    present = {name for row in rows for name in row}
    return pa.table(
        {
            name: pa.array([row.get(name) for row in rows], type=types[kind])
            for name, kind in _COLUMNS.items()
            if name in present
        }
    )


def row_read(kept: Any) -> dict[str, Any]:
    """A row from a journal, whose infinities are text.

    Raises
    ------
    TypeError, ValueError
        If it is none.
    """
    row = dict(kept)
    for name, value in row.items():
        kind = _COLUMNS.get(name)
        if kind is float and value is not None:
            row[name] = float(value)
        elif kind is not float and type(value) is not kind:
            raise TypeError(f"{name} = {value!r}")
    if "status" not in row:
        raise ValueError("a row has a status")
    return row


def _write(table: pyarrow.Table, path: Path) -> None:
    from pyarrow import parquet

    with whole_file(path) as stream:
        parquet.write_table(table, stream)
