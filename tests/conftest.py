"""What a test registers is known to it alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from attlas.model import plugins
from attlas.model.registry import Registry


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = [dict(kind) for kind in Registry.open]
    yield
    for kind, members in zip(Registry.open, before, strict=True):
        kind.clear()
        kind.update(members)
    for name, module in list(sys.modules.items()):  # under its plain name as well
        if getattr(module, "__name__", "").startswith(f"{plugins.__name__}."):
            del sys.modules[name]
    plugins.import_installed.cache_clear()
    plugins.digest.cache_clear()
