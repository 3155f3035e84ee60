"""``attlas phase``."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags, option, read_processes
from attlas.cli.shares import ShareFlags, goes_on
from attlas.model import BadInput, Problem, problem_from
from attlas.model.exact import positive
from attlas.model.files import whole_file, writable_file, write_whole

if TYPE_CHECKING:
    from attlas.solver.phase import PhaseDiagram

_ENDINGS = (".json", ".parquet", ".svg", ".png")
#: What completes a problem whose parameter is an axis, or that names no penalty.
_PLACEHOLDERS = {"alpha": "1", "kappa0": "1", "noise": "1", "lam": "1"}


def phase(
    *,
    flags: ProblemFlags = ProblemFlags(),
    plane: Annotated[
        str, option("axes: alpha,kappa0 or alpha,noise or alpha,lam")
    ] = "alpha,kappa0",
    x: Annotated[str | None, option("range of the first axis, e.g. 0.05:0.6:40")] = None,
    y: Annotated[str | None, option("range of the second, e.g. 0.01:4:40:log")] = None,
    boundaries: Annotated[
        str | None,
        option(
            "some of interpolation, perfect-recovery, bayes, collapse, bulk-split, replicon, "
            "best-lambda, bbp, separated by commas (default all)"
        ),
    ] = None,
    map_: Annotated[
        str | None,
        Parameter(name="--map", help="result key to map on the grid", group="Parameters"),
    ] = None,
    tolerance: Annotated[
        str, option("straightness of the curves (share of the plane)", "number")
    ] = "0.002",
    out: Annotated[str | None, option("file to write: .json, .parquet, .svg or .png")] = None,
    workers: Annotated[str | None, option("processes for the map (whole)", "whole")] = None,
    shares: ShareFlags = ShareFlags(),
    output: OutputFlags = OutputFlags(),
) -> int:
    """Trace the boundaries; exit code 1 where a problem of the plane has no solution."""
    file = None if out is None else writable_file("--out", out, _ENDINGS)
    given = flags.given()
    axes = plane.split(",")
    for name in axes:
        if name in given:
            raise BadInput(f"--{name}", given[name], "is an axis of the plane", "give --x or --y")
    if given.get("training") != "bayes" and "lam" not in axes:
        given.setdefault("lam", "0")
    problem = problem_from(**given, **{k: v for k, v in _PLACEHOLDERS.items() if k in axes})
    # Rows of the map, for an interrupted command that is repeated.
    kept = None if file is None else file.with_name(f"{file.name}.partial")
    fineness = float(positive("--tolerance", tolerance))
    processes = read_processes("--workers", workers)

    from attlas.cli.display import counting, tell, tell_file
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.solver.journal import Journal
    from attlas.solver.phase import phase as trace
    from attlas.solver.sweep import row_read

    asked: dict[str, Any] = {
        "x": x,
        "y": y,
        "boundaries": None if boundaries is None else boundaries.split(","),
        "map_key": map_,
        "tolerance": fineness,
        "workers": processes,
        "kept": kept,
    }
    if shares.done(partial(_part, problem, plane, asked), kept, row_read, as_json=output.json):
        return 0
    with goes_on(kept), counting("phase") as progress:
        found = trace(problem, plane, **asked, progress=progress)
    text = json_text(
        document(
            "phase",
            {key: value for key, value in given.items() if key not in axes},
            result=found.to_dict(),
            error={},
            status=status_of(found.status),
            stats=dataclasses.asdict(found.stats),
        )
    )
    if file is not None:
        _write(found, text, file)
    if kept is not None:
        Journal(kept, row_read).remove()
    if output.json:
        print(text)
    else:
        _print(found)
    tell(message_of(found.status), ok=found.status.ok, as_json=output.json)
    tell_file(file, as_json=output.json)
    return 0 if found.status.ok else 1


def _part(problem: Problem, plane: str, asked: dict[str, Any], share: tuple[int, int]) -> int:
    from attlas.cli.display import counting
    from attlas.solver.phase import phase as trace

    with counting(f"phase, share {share[0]} of {share[1]}") as progress:
        found = trace(problem, plane, **asked, share=share, progress=progress)
    assert found.map is not None
    return found.map.num_rows


def _write(diagram: PhaseDiagram, text: str, path: Path) -> None:
    ending = path.suffix.lower()
    if ending == ".json":
        write_whole(path, text + "\n")
    elif ending == ".parquet":
        from pyarrow import parquet

        with whole_file(path) as stream:
            parquet.write_table(diagram.to_arrow(), stream)
    else:
        diagram.plot(path)
    print(f"Written to {path}.", file=sys.stderr)


def _print(diagram: PhaseDiagram) -> None:
    from attlas.cli.display import print_table

    x, y = diagram.plane.x.name, diagram.plane.y.name
    rows = [
        (
            curve.boundary,
            str(len(curve.points)),
            *(f"{getattr(curve.points[end], axis):.6g}" for end in (0, -1) for axis in ("x", "y")),
        )
        for curve in diagram.curves
    ]
    ends = (f"{x} from", f"{y} from", f"{x} to", f"{y} to")
    print_table(("boundary", "points", *ends), rows)
    print_table(
        ("region", "share"),
        [("; ".join(r.sides.values()) or "all", f"{r.share:.3f}") for r in diagram.regions],
    )
    for name, reason in diagram.absent.items():
        print(f"{name}: {reason}", file=sys.stderr)
