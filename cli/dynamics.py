"""``attlas dynamics``."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.model import BadInput, parameters_of
from attlas.model.axis import axis_values
from attlas.model.exact import positive
from attlas.model.files import whole_file, writable_file
from attlas.model.parameters import completed

if TYPE_CHECKING:
    from attlas.solver.dynamics import Dynamics

#: Parameters of a problem that a flow of infinitely many samples does not have.
_WITHOUT = ("alpha", "n", "lam")
#: Points of a range 0:20 whose number is not given.
_POINTS = 101


def dynamics(
    *,
    t: Annotated[
        str | None, option("times: 1,2,4,8, or a range 0:20, 0:20:41, 0.1:1e3:40:log")
    ] = None,
    flags: ProblemFlags = ProblemFlags(),
    sigma0: Annotated[
        str, option("S starts at sigma0 times the identity (greater than 0)", "number")
    ] = "0.01",
    decay: Annotated[
        str, option("weight decay c of the loss per sample, sqrt(kappa) lam/alpha", "number")
    ] = "0",
    step: Annotated[
        str | None,
        option("gradient descent of this step size, too; t becomes its multiples", "number"),
    ] = None,
    out: Annotated[str | None, option("Parquet file to write, a row for each t")] = None,
    plot: Annotated[str | None, option("picture to write, .svg or .png")] = None,
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print q, m and the population loss against t, and when each mode is learned."""
    given = flags.given()
    if t is None:
        raise BadInput("t", None, "times are required: 1,2,4,8, or a range 0:20")
    for name in _WITHOUT:
        if name in given:
            raise BadInput(
                name,
                given[name],
                "must be left out: the flow is that of infinitely many samples",
                "the weight decay of a problem is `decay=sqrt(kappa)*lam/alpha`",
            )
    problem = completed(given, fill=0)
    times = axis_values("t", f"{t}:{_POINTS}" if t.count(":") == 1 else t)
    options: dict[str, Any] = {} if step is None else {"step": step}
    if rtol is not None:
        options["rtol"] = float(positive("rtol", rtol))
    table = None if out is None else writable_file("out", out)
    picture = _picture(plot)

    from attlas.cli.display import print_rows, tell, tell_file
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.solver.dynamics import dynamics as follow

    found = follow(problem, times, sigma0=sigma0, decay=decay, **options)
    if table is not None:
        _write(found, table)
    if picture is not None:
        found.plot(picture)
    if output.json:
        parameters = {k: v for k, v in parameters_of(problem).items() if k not in _WITHOUT}
        print(
            json_text(
                document(
                    "dynamics",
                    {**parameters, **found.parameters()},
                    result=found.present(),
                    error=found.error_bars.present(),
                    status=status_of(found.status),
                    stats=dataclasses.asdict(found.stats),
                )
            )
        )
    else:
        print_rows(found.times(), _COLUMNS, ("t",))
        print_rows(found.some_modes(_PRINTED), _MODE_COLUMNS, ("target_eigenvalue",))
    tell(message_of(found.status), ok=found.status.ok, as_json=output.json)
    for path in (table, picture):
        tell_file(path, as_json=output.json)
    return 0 if found.status.ok else 1


_COLUMNS = ("q", "m", "error", "mse", "q_discrete", "m_discrete", "error_discrete")
_MODE_COLUMNS = ("weight", "learned_eigenvalue", "escape_time", "escape_time_error")
#: Modes in the printed table, at most.
_PRINTED = 12


def _picture(plot: str | None) -> Path | None:
    if plot is None:
        return None
    from attlas.reports.figures.sheet import require_picture

    return require_picture("plot", plot)


def _write(found: Dynamics, path: Path) -> None:
    from pyarrow import parquet

    with whole_file(path) as stream:
        parquet.write_table(found.to_arrow(), stream)
