"""One suite with stand-ins for training and solver, shared by the tests of this room."""

from __future__ import annotations

import pytest

from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work


@pytest.fixture(scope="session")
def result(tmp_path_factory: pytest.TempPathFactory) -> SuiteResult:
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_work.use(monkeypatch)
        store = tmp_path_factory.mktemp("store")
        return run_suite("quick", store=store, device="cpu", processes=1)
