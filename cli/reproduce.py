"""``attlas reproduce``."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, option
from attlas.cli.shares import ShareFlags, goes_on
from attlas.model.files import writable_folder


def reproduce(
    picture: Annotated[
        str,
        Parameter(
            help=(
                "learning-curves, spectra, factorised-vs-direct, interpolation-peak, two-peaks, "
                "power-law, data-time-compute, decomposition, bayes, phase-diagram, "
                "small-penalties, temperatures, numbers-of-tokens, tasks or ranks"
            )
        ),
    ],
    /,
    *,
    full: Annotated[
        bool, Parameter(help="the paper's sizes instead of a minute's", negative="")
    ] = False,
    out: Annotated[str, option("folder that picture and data are written into")] = "out/reproduce",
    shares: ShareFlags = ShareFlags(),
    output: OutputFlags = OutputFlags(),
) -> int:
    """Write PICTURE.svg, PICTURE.png and PICTURE.json."""
    from attlas import __version__
    from attlas.reports.reproduce import Work
    from attlas.reports.reproduce import reproduce as remake
    from attlas.reports.reproduce.picture import ENDINGS

    folder = writable_folder("--out", out, [f"{picture}{ending}" for ending in ENDINGS])
    began = time.perf_counter()
    kept = folder / f".{picture}-{__version__}.partial"
    if shares.done(partial(_part, picture, full, kept), kept, as_json=output.json):
        return 0
    work = Work(_say, kept)
    with goes_on(kept):
        made = remake(picture, full=full, work=work)
    written = made.write(folder)
    work.done()
    if output.json:
        from attlas.cli.envelope import document, json_text

        print(
            json_text(
                document(
                    "reproduce",
                    None,
                    result={**made.document(), "files": [str(path) for path in written]},
                    error={},
                    status={"name": "made", "ok": True, "message": made.caption},
                    stats={"seconds": time.perf_counter() - began, "rows": len(made.rows)},
                )
            )
        )
    else:
        print(made.caption)
        for path in written:
            print(path)
    return 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _part(picture: str, full: bool, kept: Path, share: tuple[int, int]) -> int:
    from attlas.reports.reproduce import Work
    from attlas.reports.reproduce import reproduce as remake

    work = Work(_say, kept, share)
    remake(picture, full=full, work=work)
    return work.results
