"""``attlas tokens``."""

from __future__ import annotations

import dataclasses
import time
from typing import Annotated

from attlas.cli.flags import OutputFlags, PreparedFlags, option
from attlas.model.exact import whole
from attlas.model.files import writable_file


def tokens(
    file: Annotated[
        str, option("n x d tokens: .npy, .npz, .safetensors, .parquet; FILE::NAME names an array")
    ],
    /,
    *,
    dimensions: Annotated[
        str | None, option("dimensions that are kept (2 or more; default all)", "whole")
    ] = None,
    prepared: PreparedFlags = PreparedFlags(),
    out: Annotated[str | None, option("eigenvalues to write, for --token-covariance file:")] = None,
    plot: Annotated[str | None, option("picture to write, .svg or .png")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print what was measured, with standard errors, and the flags that solve takes."""
    began = time.perf_counter()
    kept = None if dimensions is None else whole("dimensions", dimensions, at_least=2)
    written = None if out is None else writable_file("out", out)
    picture = None
    if plot is not None:
        from attlas.reports.figures.sheet import require_picture

        picture = require_picture("plot", plot)

    from attlas.cli.display import print_table, tell_file
    from attlas.solver.tokens import prepare, read_tokens
    from attlas.solver.tokens.measure import measured

    how = dataclasses.asdict(prepared)
    found = measured(prepare(read_tokens(file, "file"), dimensions=kept, **how))
    if written is not None:
        found.write(written)
    if picture is not None:
        found.plot(picture)
    result, error = found.present(), found.error.present()
    if output.json:
        from attlas.cli.envelope import document, json_text

        status = {"name": "measured", "ok": True, "message": found.sentence}
        stats = {"seconds": time.perf_counter() - began}
        parts = document("tokens", None, result=result, error=error, status=status, stats=stats)
        print(json_text(parts))
    else:
        ends = {"smallest eigenvalue": 0, "largest eigenvalue": -1}
        for part in (result, error):
            listed = part.pop("eigenvalues")
            part.update({name: listed[index] for name, index in ends.items()})
        rows = [
            (key, f"{value:.6g}", f"{error[key]:.1e}" if key in error else "")
            for key, value in result.items()
        ]
        print_table(("quantity", "value", "error"), rows)
        print(found.sentence)
        if written is not None:
            print(f"attlas solve {found.flags(written)} ...")
    for path in (written, picture):
        tell_file(path, as_json=output.json)
    return 0
