"""``attlas decompose`` with several alpha, with trained heads, or with a picture."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attlas.cli.flags import OutputFlags, ProblemFlags
from attlas.cli.seeds import read_seeds
from attlas.model import BadInput, Problem
from attlas.model.exact import whole

if TYPE_CHECKING:
    from attlas.verify.spectra.along import PartsRow, Train

_KEYS = ("over", "under", "approx", "mismatch", "error_scaled", "test_error", "remainder")
_MEASURED = ("over", "under", "approx")


def print_along(
    flags: ProblemFlags,
    problems: Sequence[Problem],
    simulate: bool,
    seeds: str,
    algorithm: str | None,
    device: str,
    plot: str | None,
    output: OutputFlags,
) -> int:
    """Print one row an alpha, and stack the parts in a picture."""
    picture = None
    if plot is not None:
        from attlas.reports.figures.sheet import require_picture

        picture = require_picture("--plot", plot)
    train: Train | None = None
    if simulate:
        d = flags.d or problems[0].target.dimension
        if d is None:
            raise BadInput("--d", None, "the token dimension of the trained heads is required")
        from attlas.verify.spectra.along import trainer

        train = trainer(whole("--d", d, at_least=1), read_seeds(seeds, None), algorithm, device)

    from attlas.verify.spectra.along import parts_along

    began = time.perf_counter()
    rows = parts_along(problems, train)
    if picture is not None:
        from attlas.reports.figures.decomposition import decomposition_figure
        from attlas.reports.figures.sheet import save
        from attlas.reports.naming import parameters_text

        named = parameters_text(problems[0]).split(", ")
        title = ", ".join(part for part in named if not part.startswith("α ="))
        save(decomposition_figure(rows, title), picture)
    if output.json:
        from attlas.cli.envelope import document, json_text

        result = {"rows": [_row(row) for row in rows]}
        status = {"name": "converged", "ok": True, "message": f"{len(rows)} rows."}
        stats = {"seconds": time.perf_counter() - began, "rows": len(rows)}
        print(
            json_text(
                document("decompose", None, result=result, error={}, status=status, stats=stats)
            )
        )
        return 0
    from attlas.cli.display import print_table, tell_file
    from attlas.cli.measured_cells import MEASURED_LEGEND

    trained = any(row.measured for row in rows)
    columns = ("alpha", *_KEYS, *(f"heads: {key}" for key in _MEASURED if trained))
    print_table(columns, [_cells(row, trained) for row in rows])
    if trained:
        print(MEASURED_LEGEND)
    tell_file(picture, as_json=output.json)
    return 0


def _row(row: PartsRow) -> dict[str, object]:
    return {
        "alpha": row.alpha,
        **row.decomposition.present(),
        "error": row.decomposition.error.present(),
        "measured": {key: dataclasses.asdict(found) for key, found in row.measured.items()},
    }


def _cells(row: PartsRow, trained: bool) -> list[str]:
    cells = [row.alpha, *(f"{getattr(row.decomposition, key):.6g}" for key in _KEYS)]
    if trained:
        from attlas.cli.measured_cells import measured_cell

        cells += [measured_cell(row.measured.get(key)) for key in _MEASURED]
    return cells
