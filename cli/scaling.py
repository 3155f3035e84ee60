"""``attlas scaling``."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, option
from attlas.cli.seeds import read_seeds
from attlas.model import BadInput
from attlas.model.axis import axis_values
from attlas.model.exact import non_negative, whole
from attlas.model.files import writable_file, write_whole
from attlas.model.targets import target_from

if TYPE_CHECKING:
    from attlas.solver.scaling import Row

_TABLE_LEGEND = (
    "slope: d log error/d log n (at the peak in lam) of the numerical solution; constant: its\n"
    "squared error over the formula's; ±: error bar of the numerics; largest correction: the\n"
    "largest ratio that the formula takes to be small (attlas explain correction)."
)
_PLANE_LEGEND = (
    "phase: which formula holds, in docs/theory.md section 14 (attlas explain phase); exponent:\n"
    "d log mse/d log n of the numerical solution; ratio: its mse over the formula's. Near 1 deep\n"
    "inside a phase, far from it beside a boundary. Empty: no formula, or the last n."
)
_PICTURES = (".svg", ".png")
#: What can be written, by what is asked for; the plane itself has no flag.
_ENDINGS = {
    "": (*_PICTURES, ".json"),
    "--table": (".md", ".json"),
    "--emergence": (*_PICTURES, ".json"),
    "--compare-routes": (".json",),
    "--study": (".json", ".md"),
}
#: Options that mean nothing beside what is asked for.
_FOREIGN = {
    "": ("--seeds",),
    "--table": ("--target", "--n", "--lam", "--seeds"),
    "--emergence": (),
    "--compare-routes": ("--seeds",),
    "--study": ("--lam",),
}
#: Beyond, a point of a phase needs a noise that double precision does not hold.
_STEEPEST = 8
#: Studies with a picture as well.
_DRAWN = ("time",)


def scaling(
    *,
    target: Annotated[str | None, option("power-law:gamma=1.25,d=400")] = None,
    noise: Annotated[str, option("variance of the label noise (greater than 0)", "number")] = "0.1",
    n: Annotated[str | None, option("samples, a range such as 200:1e7:20:log")] = None,
    lam: Annotated[str | None, option("penalties, a range such as 1e-3:1e3:15:log")] = None,
    table: Annotated[
        str | None, option("exponent table for these gamma instead, e.g. 0.75,1,1.25,1.5,2")
    ] = None,
    emergence: Annotated[
        bool, Parameter(help="modes one after another instead, at lam_c(n)", negative="")
    ] = False,
    tokens: Annotated[str, option("1 linear, 2 softmax; --emergence only", "whole")] = "1",
    modes: Annotated[str, option("modes that --emergence follows", "whole")] = "6",
    compare_routes: Annotated[
        bool,
        Parameter(
            help="squared errors by every eigenvalue, by groups and to first order, at lam_c(n)",
            negative="",
        ),
    ] = False,
    seeds: Annotated[
        str | None, option("trained heads beside --emergence or --study: 4, 30:34 or 3,7")
    ] = None,
    study: Annotated[
        str | None,
        option(
            "rows instead: heads, departures, pruning, tail, lasso or time (docs/power-laws.md)"
        ),
    ] = None,
    out: Annotated[str | None, option("file: .svg or .png, .json, .md for the table")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Solve the plane, follow its modes, or measure the exponents of every phase."""
    chosen = {
        "--table": table is not None,
        "--emergence": emergence,
        "--compare-routes": compare_routes,
        "--study": study is not None,
    }
    given = [flag for flag, wanted in chosen.items() if wanted]
    if len(given) > 1:
        raise BadInput(given[1], True, f"cannot be given together with {given[0]}")
    mode = given[0] if given else ""
    for flag, text in {"--target": target, "--n": n, "--lam": lam, "--seeds": seeds}.items():
        if text is not None and flag in _FOREIGN[mode]:
            beside = f"with {mode}" if mode else "without --emergence or --study"
            raise BadInput(flag, text, f"has no meaning {beside}", "leave it out")
    file = _file(out, mode, study)
    if table is not None:
        return _table(table, file, output.json)
    if target is None:
        raise BadInput("--target", None, "a power law is required, as power-law:gamma=1.25,d=400")
    law, variance = target_from(target), float(non_negative("--noise", noise))
    grids = {
        flag: None if text is None else [float(value) for value in axis_values(f"--{flag}", text)]
        for flag, text in (("n", n), ("lam", lam))
    }
    count = whole("--tokens", tokens, at_least=1)
    if count > 1 and not emergence:
        raise BadInput("--tokens", count, "must be 1 except with --emergence")
    if study is not None:
        from attlas.cli.scaling_study import print_study

        return print_study(
            study,
            law,
            variance,
            n=grids["n"],
            seeds=() if seeds is None else read_seeds(seeds, None),
            out=file,
            as_json=output.json,
        )
    if compare_routes:
        from attlas.cli.scaling_routes import print_routes

        return print_routes(
            law,
            variance,
            n=grids["n"],
            lam=_one_penalty(grids["lam"], lam, "--compare-routes"),
            out=file,
            as_json=output.json,
        )
    if emergence:
        from attlas.cli.scaling_emergence import print_emergence

        return print_emergence(
            law,
            variance,
            tokens=count,
            modes=whole("--modes", modes, at_least=1),
            n=grids["n"],
            lam=_one_penalty(grids["lam"], lam, "--emergence"),
            seeds=() if seeds is None else read_seeds(seeds, None),
            out=file,
            as_json=output.json,
        )

    from attlas.cli.display import counting, print_table, tell, tell_file
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.solver.scaling import scaling as solve

    with counting("scaling") as progress:
        plane = solve(law, variance, n=grids["n"], lam=grids["lam"], progress=progress)
    points = plane.rows()
    text = json_text(
        document(
            "scaling",
            {"target": law.grammar(), "noise": noise, "tokens": 1},
            result=plane.to_dict(),
            error={},
            status=status_of(plane.status),
            stats=dataclasses.asdict(plane.stats),
        )
    )
    if file is not None and file.suffix.lower() == ".json":
        write_whole(file, text + "\n")
    elif file is not None:
        plane.plot(file)
    if output.json:
        print(text)
    else:
        keys = ("n", "lam", "phase", "mse", "exponent", "predicted_exponent", "ratio")
        print_table(keys, [[_cell(point.get(key)) for key in keys] for point in points])
        print(_PLANE_LEGEND)
    tell(message_of(plane.status), ok=True, as_json=output.json)
    tell_file(file, as_json=output.json)
    return 0


def _file(out: str | None, mode: str, study: str | None) -> Path | None:
    """The file to write, checked before anything is computed."""
    if out is None:
        return None
    return writable_file("--out", out, (*_ENDINGS[mode], *(_PICTURES if study in _DRAWN else ())))


def _one_penalty(found: list[float] | None, text: str | None, flag: str) -> float | None:
    if found is not None and len(found) > 1:
        raise BadInput("--lam", text, f"must be one penalty with {flag}")
    return None if found is None else found[0]


def _table(gammas: str, out: Path | None, as_json: bool) -> int:
    from attlas.cli.display import counting, print_table, tell_file
    from attlas.cli.envelope import document, json_text, status_of
    from attlas.reports.scaling_table import COLUMNS, cells, scaling_page
    from attlas.solver.scaling import PHASES, measure
    from attlas.solver.status import Status

    began = time.perf_counter()
    wanted = [(phase, float(gamma)) for phase in PHASES for gamma in axis_values("--table", gammas)]
    if not all(0.5 < gamma <= _STEEPEST for _, gamma in wanted):
        raise BadInput(
            "--table",
            gammas,
            f"must be greater than 1/2, else Tr S0^2/d diverges with d, and at most {_STEEPEST}",
        )
    rows = []
    with counting("phases") as progress:
        for phase, gamma in wanted:
            rows.append(measure(phase, gamma))
            if progress is not None:
                progress(len(rows), len(wanted))
    text = json_text(
        document(
            "scaling",
            None,
            result={"rows": [_row(row) for row in rows]},
            error={},
            status=status_of(Status.CONVERGED),
            stats={"iterations": len(rows), "seconds": time.perf_counter() - began},
        )
    )
    if out is not None:
        page = scaling_page(rows, gammas) if out.suffix.lower() == ".md" else text + "\n"
        write_whole(out, page)
    if as_json:
        print(text)
    else:
        print_table(COLUMNS, [cells(row) for row in rows])
        print(_TABLE_LEGEND)
    tell_file(out, as_json=as_json)
    return int(any(_failed(row) for row in rows))


def _row(row: Row) -> dict[str, Any]:
    name, size = row.correction
    return {
        **dataclasses.asdict(row.place),
        "exponent": row.slope.value,
        "exponent_error": row.slope.error,
        "predicted_exponent": row.predicted,
        "ratio": row.constant.value,
        "ratio_error": row.constant.error,
        "correction": {"name": name, "size": size},
        "margins": {"exponent": row.margins[0], "ratio": row.margins[1]},
        "verdict": row.verdict,
        "rejected": dict(row.controls),
    }


def _failed(row: Row) -> bool:
    """An unexpected disagreement, or a wrong formula that is not rejected."""
    return row.verdict == "disagrees" or False in row.controls.values()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)
