"""``attlas spectrum`` with several alpha or lam: rank, recovered directions and error."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.cli.flags import OutputFlags
from attlas.model import Problem

if TYPE_CHECKING:
    from attlas.verify.spectra.along import SpectrumRow, Train

_KEYS = ("rank_fraction", "bands", "outliers", "recovered", "mse", "test_error", "collapse_lam")
_MEASURED = ("rank_fraction", "recovered", "mse")


def print_along(
    axis: str,
    problems: Sequence[Problem],
    train: Train | None,
    picture: Path | None,
    output: OutputFlags,
) -> int:
    """Print one row a value; a solve or a run that fails raises."""
    from attlas.verify.spectra.along import spectrum_along

    began = time.perf_counter()
    rows = spectrum_along(problems, train)
    if picture is not None:
        from attlas.reports.figures.recovery import recovery_figure
        from attlas.reports.figures.sheet import save
        from attlas.reports.naming import parameters_text

        shared = parameters_text(problems[0]).split(", ")
        symbol = {"alpha": "α", "lam": "λ"}[axis]
        title = ", ".join(part for part in shared if not part.startswith(f"{symbol} ="))
        save(recovery_figure(rows, axis, title), picture)
    if output.json:
        from attlas.cli.envelope import document, json_text

        status = {"name": "converged", "ok": True, "message": f"{len(rows)} rows."}
        stats = {"seconds": time.perf_counter() - began, "rows": len(rows)}
        result = {"rows": [dataclasses.asdict(row) for row in rows]}
        print(
            json_text(
                document("spectrum", None, result=result, error={}, status=status, stats=stats)
            )
        )
        return 0
    from attlas.cli.display import print_table, tell_file
    from attlas.cli.measured_cells import MEASURED_LEGEND

    trained = any(row.measured for row in rows)
    columns = (axis, *_KEYS, *(f"heads: {key}" for key in _MEASURED if trained))
    print_table(columns, [_cells(row, axis, trained) for row in rows])
    if trained:
        print(MEASURED_LEGEND)
    tell_file(picture, as_json=output.json)
    return 0


def _cells(row: SpectrumRow, axis: str, trained: bool) -> list[str]:
    cells = [getattr(row, axis), *(_number(getattr(row, key)) for key in _KEYS)]
    if trained:
        from attlas.cli.measured_cells import measured_cell

        cells += [measured_cell(row.measured.get(key)) for key in _MEASURED]
    return cells


def _number(value: Any) -> str:
    return f"{value:.6g}"
