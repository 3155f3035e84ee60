"""Write a report, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from attlas.model.files import whole_file
from attlas.model.json_text import json_text
from attlas.reports.document import document
from attlas.reports.drift import Drift
from attlas.reports.junit import junit
from attlas.reports.markdown import markdown
from attlas.reports.page.page import page
from attlas.verify.suite.result import SuiteResult


def _json(result: SuiteResult, drift: Drift | None) -> str:
    return json_text(document(result, drift), indent=1) + "\n"


#: What a report consists of; the page is moved into place last.
FILES: dict[str, Callable[[SuiteResult, Drift | None], str]] = {
    "report.json": _json,
    "summary.md": markdown,
    "junit.xml": junit,
    "index.html": page,
}


def write_report(result: SuiteResult, out_dir: str | Path, drift: Drift | None = None) -> Path:
    """Write ``index.html``, ``report.json``, ``summary.md`` and ``junit.xml``.

    All are complete before the first is moved into place, so that a reader never sees half a
    report, nor the page of one and the numbers of another for longer than a few renames take.

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
    with ExitStack() as stack:  # which ends with the first that it began with
        for name in reversed(FILES):
            stream = stack.enter_context(whole_file(target / name))
            stream.write(texts[name].encode())
            stream.flush()
    return target / "index.html"
