"""Write a report, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from attlas.reports.document import document
from attlas.reports.drift import Drift
from attlas.reports.junit import junit
from attlas.reports.markdown import markdown
from attlas.reports.page.page import page
from attlas.verify.suite.result import SuiteResult


def _json(result: SuiteResult, drift: Drift | None) -> str:
    return json.dumps(document(result, drift), indent=1, ensure_ascii=False) + "\n"


#: What a report consists of; the page is moved into place last.
FILES: dict[str, Callable[[SuiteResult, Drift | None], str]] = {
    "report.json": _json,
    "summary.md": markdown,
    "junit.xml": junit,
    "index.html": page,
}


def write_report(result: SuiteResult, out_dir: str | Path, drift: Drift | None = None) -> Path:
    """Write ``index.html``, ``report.json``, ``summary.md`` and ``junit.xml``.

    They are written into a temporary folder beside the target and moved into place when complete,
    so that a reader never sees half a report, nor the page of one and the numbers of another
    for longer than a few renames take.

    Parameters
    ----------
    result : SuiteResult
    out_dir : path
        Created if need be; other files in it are left alone.
    drift : Drift, optional
        What has changed since a baseline, to be shown besides.

    Returns
    -------
    Path
        Of ``index.html``.
    """
    target = Path(out_dir)
    texts = {name: render(result, drift) for name, render in FILES.items()}
    target.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".report-", dir=target))
    try:
        for name, text in texts.items():
            (temporary / name).write_text(text, encoding="utf-8")
        for name in FILES:
            os.replace(temporary / name, target / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target / "index.html"
