"""``attlas best-lambda``."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import product
from typing import Annotated, Any

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.model import BadInput, Problem, problem_from
from attlas.model.exact import positive


def best_lambda(
    *,
    flags: ProblemFlags = ProblemFlags(),
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the best penalty, its sensitivity, and the Bayes-optimal floor."""
    axes = flags.axes()
    if "lam" in axes:
        raise BadInput("--lam", flags.lam, "is what is looked for", "leave it out")
    tolerance = None if rtol is None else float(positive("--rtol", rtol))
    first = {name: values[0] for name, values in axes.items()}
    # The penalty is the answer: any value completes the problem.
    problem = problem_from(**{"lam": "1", **flags.given(), **first})
    if axes:
        return _along(problem, axes, tolerance, as_json=output.json)

    from attlas.cli.display import print_result, tell
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.model import parameters_of
    from attlas.solver.best_lambda import best_lambda as search

    found = search(problem, rtol=tolerance)
    values, errors = found.values.present(), found.error.present()
    if output.json:
        print(
            json_text(
                document(
                    "best-lambda",
                    parameters_of(found.problem),
                    result=values,
                    error=errors,
                    status=status_of(found.status),
                    stats=dataclasses.asdict(found.stats),
                )
            )
        )
    else:
        print_result(found)
    tell(message_of(found.status), ok=found.status.ok, as_json=output.json)
    return 0 if found.status.ok else 1


def _along(
    problem: Problem, axes: dict[str, list[Fraction]], rtol: float | None, *, as_json: bool
) -> int:
    """A row for each problem of the grid; what was found before Ctrl-C is printed."""
    from attlas.cli.display import counting, print_rows, tell
    from attlas.cli.envelope import document, json_text
    from attlas.solver.best_lambda import best_lambda as search
    from attlas.solver.solution import SolveError
    from attlas.solver.sweep import grid

    problems = grid(problem, axes)
    rows: list[dict[str, Any]] = []
    failed = interrupted = False
    with counting("best-lambda") as progress:
        for one, point in zip(problems, product(*axes.values()), strict=True):
            row: dict[str, Any] = {
                name: float(value) for name, value in zip(axes, point, strict=True)
            }
            try:
                found = search(one, rtol=rtol)
            except SolveError as error:
                failed = True
                rows.append({**row, "status": str(error)})
            except KeyboardInterrupt:
                interrupted = True
                break
            else:
                bars = {f"error_{key}": bar for key, bar in found.error.present().items()}
                rows.append({**row, "status": "converged", **found.values.present(), **bars})
            progress(len(rows), len(problems))
    ok = not failed and not interrupted
    message = f"{len(rows)} of {len(problems)} problems done."
    if as_json:
        status = {"name": "converged" if ok else "incomplete", "ok": ok, "message": message}
        result = {"rows": rows}
        print(
            json_text(
                document("best-lambda", None, result=result, error={}, status=status, stats={})
            )
        )
    else:
        print_rows(rows, ("lam", "error_lam", "test_error", "efficiency", "status"), axes)
    tell(message, ok=ok, as_json=as_json)
    if interrupted:
        raise KeyboardInterrupt
    return 0 if ok else 1
