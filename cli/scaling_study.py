"""``attlas scaling --study``: rows of numbers about a power law."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attlas.model import BadInput, PowerLaw
from attlas.model.files import write_whole
from attlas.model.targets import Target

#: Of the lines below a table.
_WIDTH = 100

#: Studies list every eigenvalue, and train heads.
_LARGEST_D = 20_000


def print_study(
    name: str,
    given: Target,
    noise: float,
    *,
    n: Sequence[float] | None,
    seeds: Sequence[int],
    out: Path | None,
    as_json: bool,
) -> int:
    """Print the rows of a study as a table, JSON, or a page."""
    from attlas.cli.display import print_table, tell_file
    from attlas.cli.envelope import document, json_text
    from attlas.solver.double_precision import within_double_precision
    from attlas.solver.scaling.problem import power_law
    from attlas.verify.studies import study

    found = study(name)
    target = power_law(given)
    if target.d > _LARGEST_D:
        raise BadInput(
            "--target power-law: d", target.d, f"must be at most {_LARGEST_D} in a study"
        )
    if n is not None and not all(value > 0 for value in n):
        raise BadInput("--n", min(n), "must be greater than 0")
    began = time.perf_counter()
    with within_double_precision():
        rows = found.rows(target, noise, n, seeds)
    status = {"name": "converged", "ok": True, "message": f"{len(rows)} rows."}
    text = json_text(
        document(
            "scaling",
            {"target": target.grammar(), "noise": str(noise), "study": name},
            result={"rows": rows},
            error={},
            status=status,
            stats={"seconds": time.perf_counter() - began},
        )
    )
    columns = [key for key in rows[0] if any(row[key] is not None for row in rows)]
    left_out = [key for key in rows[0] if key not in columns]
    cells = [[_cell(row[key]) for key in columns] for row in rows]
    ending = "" if out is None else out.suffix.lower()
    if out is not None and ending in (".svg", ".png"):
        _draw(target, noise, n, seeds, out)
    elif out is not None:
        columns_and_rows = (columns, ["---"] * len(columns), *cells)
        page = [f"# {found.title}", "", found.legend, "", *map(_line, columns_and_rows)]
        body = text if ending == ".json" else "\n".join(page)
        write_whole(out, body + "\n")
    tell_file(out, as_json=as_json)
    if as_json:
        print(text)
    else:
        print_table(columns, cells, title=found.title)
        print(textwrap.fill(found.legend, _WIDTH))
        if left_out:
            why = "no row has a value" if seeds else "no heads are trained without --seeds"
            print(textwrap.fill(f"Left out, as {why}: {', '.join(left_out)}.", _WIDTH))
    return 0


def _draw(
    target: PowerLaw, noise: float, n: Sequence[float] | None, seeds: Sequence[int], out: Path
) -> None:
    from attlas.reports.figures.sheet import save
    from attlas.reports.figures.time import time_figure
    from attlas.verify.studies.time import WAYS, followed, path_of, samples_of

    samples, seed = samples_of(target, noise, n), (*seeds, 0)[0]
    paths = {way: path_of(target, noise, samples, seed, way) for way in WAYS}
    save(time_figure(target, noise, samples, followed(target, noise, samples), paths), out)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
