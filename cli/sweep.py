"""``attlas sweep``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import ProblemFlags, option, read_processes
from attlas.cli.shares import ShareFlags, goes_on
from attlas.model import Problem, problem_from
from attlas.model.exact import positive
from attlas.model.files import writable_file

_SHOWN = ("q", "m", "mse", "train_error", "test_error", "loss", "status")


def sweep(
    *,
    flags: ProblemFlags = ProblemFlags(),
    out: Annotated[str | None, option("Parquet file to write; resumes from its .partial")] = None,
    workers: Annotated[str | None, option("processes (whole; default one a core)", "whole")] = None,
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    shares: ShareFlags = ShareFlags(),
    json: Annotated[
        bool, Parameter(help="print one JSON document on standard output", negative="")
    ] = False,
) -> int:
    """Solve the grid; exit code 1 where a row did not converge."""
    given = flags.given()
    axes: dict[str, Any] = {**flags.axes()}
    first = {**given, **{name: values[0] for name, values in axes.items()}}
    problem = problem_from(**first)
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))
    if workers is not None:
        options["workers"] = read_processes("--workers", workers)

    from attlas.cli.display import counting, print_rows, tell
    from attlas.solver.sweep import SweepInterrupted, row_read
    from attlas.solver.sweep import sweep as solve_grid

    target = None if out is None else writable_file("--out", out)
    kept = None if target is None else target.with_name(f"{target.name}.partial")
    part = partial(_part, problem, target, options, axes)
    if shares.done(part, kept, row_read, as_json=json):
        return 0
    try:
        with goes_on(kept), counting("sweep") as progress:
            table = solve_grid(problem, path=out, progress=progress, **options, **axes)
    except SweepInterrupted as partly:
        if not json:
            print_rows(partly.table.to_pylist(), _SHOWN, axes)
            tell(f"Interrupted: {partly} are solved.", ok=False, as_json=json)
        raise
    rows = table.to_pylist()
    failed = [row for row in rows if row["status"] not in ("converged", "collapsed")]
    message = f"{len(rows) - len(failed)} of {len(rows)} rows solved."
    if failed:
        message = f"{message} The first that was not: {failed[0]['message']}"
    if json:
        from attlas.cli.envelope import document, json_text

        status = {
            "name": "converged" if not failed else "incomplete",
            "ok": not failed,
            "message": message,
        }
        print(
            json_text(
                document(
                    "sweep",
                    None,
                    result={"rows": rows, "out": out},
                    error={},
                    status=status,
                    stats={
                        "rows": len(rows),
                        "seconds": sum(row.get("seconds") or 0 for row in rows),
                    },
                )
            )
        )
    else:
        print_rows(rows, _SHOWN, axes)
        if out is not None:
            message = f"{message} They are in {out}."
    tell(message, ok=not failed, as_json=json)
    return 1 if failed else 0


def _part(
    problem: Problem,
    path: Path | None,
    options: dict[str, Any],
    axes: dict[str, Any],
    share: tuple[int, int],
) -> int:
    from attlas.cli.display import counting
    from attlas.solver.sweep import sweep as solve_grid

    with counting(f"sweep, share {share[0]} of {share[1]}") as progress:
        table = solve_grid(problem, path=path, share=share, progress=progress, **options, **axes)
    return table.num_rows
