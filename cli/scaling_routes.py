"""``attlas scaling --compare-routes``: three routes to one squared error."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attlas.model.files import write_whole
from attlas.model.targets import Target


def print_routes(
    target: Target,
    noise: float,
    *,
    n: Sequence[float] | None,
    lam: float | None,
    out: Path | None,
    as_json: bool,
) -> int:
    """Solve by every route at several n, and print the differences."""
    from attlas.cli.display import counting, print_table, tell_file
    from attlas.cli.envelope import document, json_text, status_of
    from attlas.solver.scaling.routes import compare_routes
    from attlas.solver.status import Status

    began = time.perf_counter()
    with counting("routes") as progress:
        found = compare_routes(target, noise, n=n, lam=lam, progress=progress)
    rows: list[dict[str, Any]] = [
        {
            **dataclasses.asdict(one),
            "differences": {
                route: dict(zip(("relative", "error"), one.difference(route), strict=True))
                for route in ("grouped", "first_order")
            },
        }
        for one in found
    ]
    text = json_text(
        document(
            "scaling",
            {"target": target.grammar(), "noise": str(noise), "tokens": 1},
            result={"routes": rows},
            error={},
            status=status_of(Status.CONVERGED),
            stats={"iterations": len(rows), "seconds": time.perf_counter() - began},
        )
    )
    if out is not None:
        write_whole(out, text + "\n")
    tell_file(out, as_json=as_json)
    if as_json:
        print(text)
        return 0
    print_table(
        ("n", "lam", "modes", "exact", "grouped", "first order", "grouped off", "first order off"),
        [
            [
                f"{one.n:.4g}",
                f"{one.lam:.4g}",
                f"{one.modes:g}",
                "" if one.exact is None else f"{one.exact.value:.8g}",
                f"{one.grouped.value:.8g}",
                f"{one.first_order.value:.8g}",
                "" if one.exact is None else f"{one.difference('grouped')[0]:.1e}",
                f"{one.difference('first_order')[0]:.1e}",
            ]
            for one in found
        ],
    )
    return 0
