"""A report in Debian's Chromium, driven by playwright; skipped where either is absent."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from attlas.reports import write_report
from attlas.reports.baseline import baseline_of
from attlas.reports.drift import drift
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")

Open = Callable[..., "Page"]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a report with every part, drift from a baseline among them."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_work.use(monkeypatch)
        store = tmp_path_factory.mktemp("store")
        result = run_suite("quick", store=store, device="cpu", processes=1)
        old: dict[str, Any] = baseline_of(result)
        point = old["claims"]["learning-curve"]["points"]["softmax, little data"]
        point["theory"]["q"][0] = "1.25"
        point["verdicts"]["q"] = "disagrees"
        folder = tmp_path_factory.mktemp("report")
        write_report(result, folder, drift(old | {"accepted": []}, result))
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, _NAMES)), None)
    if chromium is None:
        pytest.skip(f"no Chromium: none of {', '.join(_NAMES)} is on PATH")
    with api.sync_playwright() as playwright:
        # Containers run as root, where Chromium's sandbox refuses to start.
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, report: Path) -> Iterator[Open]:
    """Opens the report: ``show(width=390, scheme="dark", script=False)``."""
    contexts = []

    def opened(width: int = 1280, scheme: str = "light", script: bool = True) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,  # type: ignore[arg-type]
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        page.goto((report / "index.html").as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
