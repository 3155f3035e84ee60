"""``attlas sweep``."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import ProblemFlags, option, read_processes
from attlas.model import PARAMETERS, problem_from
from attlas.model.axis import axis_values
from attlas.model.exact import positive

_SWEPT = {p.name for p in PARAMETERS if p.kind == "number" or p.name in ("n", "tokens")}


def sweep(
    *,
    flags: ProblemFlags = ProblemFlags(),
    out: Annotated[str | None, option("Parquet file to write; resumes from its .partial")] = None,
    workers: Annotated[str | None, option("processes (whole; default one a core)", "whole")] = None,
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    json: Annotated[
        bool, Parameter(help="print one JSON document on standard output", negative="")
    ] = False,
) -> int:
    """Solve the grid; exit code 1 where a row did not converge."""
    given = flags.given()
    axes: dict[str, Any] = {
        name: axis_values(f"--{name}", text)
        for name, text in given.items()
        if name in _SWEPT and ("," in text or ":" in text)
    }
    first = {**given, **{name: values[0] for name, values in axes.items()}}
    problem = problem_from(**first)
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))
    if workers is not None:
        options["workers"] = read_processes("--workers", workers)

    from attlas.cli.display import counting, tell
    from attlas.solver.sweep import sweep as solve_grid

    with counting("sweep") as progress:
        table = solve_grid(problem, path=out, progress=progress, **options, **axes)
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
        from attlas.cli.display import print_rows

        print_rows(rows, ("q", "m", "mse", "train_error", "test_error", "loss", "status"), axes)
        if out is not None:
            message = f"{message} They are in {out}."
    tell(message, ok=not failed, as_json=json)
    return 1 if failed else 0
