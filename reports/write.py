"""Write a report, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from reports.document import document
from reports.page import page
from verify.result import SuiteResult


def write_report(result: SuiteResult, out_dir: str | Path) -> Path:
    """Write ``index.html`` and ``report.json``.

    Both are written into a temporary folder beside the target and moved into place when complete,
    so that a reader never sees half a report, nor the page of one and the numbers of another
    for longer than two renames take.

    Parameters
    ----------
    result : SuiteResult
    out_dir : path
        Created if need be; other files in it are left alone.

    Returns
    -------
    Path
        Of ``index.html``.
    """
    target = Path(out_dir)
    files = {
        "report.json": json.dumps(document(result), indent=1, ensure_ascii=False) + "\n",
        "index.html": page(result),
    }
    target.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=".report-", dir=target))
    try:
        for name, text in files.items():
            (temporary / name).write_text(text, encoding="utf-8")
        for name in files:
            os.replace(temporary / name, target / name)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return target / "index.html"
