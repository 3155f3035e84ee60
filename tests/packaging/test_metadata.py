"""The version, the lock file and the citation agree with one another."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import attlas
from attlas.cli.main import main

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    released = r"[A-Za-z0-9_.-]+==[0-9][0-9.]*((a|b|rc)[0-9]+|post[0-9]+)?"
    assert all(re.fullmatch(released, pin) for pin in pins)
    return {normal(name): version for name, version in (pin.split("==") for pin in pins)}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> set[str]:
    groups = [
        PROJECT["project"]["dependencies"],
        *PROJECT["project"]["optional-dependencies"].values(),
    ]
    groups.append(PROJECT["build-system"]["requires"])
    matches = (re.match(r"[A-Za-z0-9_.-]+", item) for group in groups for item in group)
    return {normal(match.group()) for match in matches if match}


def test_version_is_the_same_everywhere(capsys) -> None:  # type: ignore[no-untyped-def]
    assert main(["--version"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"attlas {attlas.__version__}"
    assert {"numpy", "torch", "python"} <= {line.split()[0] for line in others}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {attlas.__version__}\n" in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(attlas.__version__)}\b", changelog, re.MULTILINE)


def test_everything_required_is_pinned() -> None:
    assert required() <= set(locked())


def test_lock_holds_no_local_or_vendor_builds() -> None:
    assert not [name for name in locked() if name.startswith(("nvidia", "cuda", "triton"))]


def test_citation_names_the_four_papers() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for paper in ("2509.24914", "2505.17958", "2506.01582", "2509.24882"):
        assert paper in citation


def test_the_type_checker_sees_every_room() -> None:
    seen = PROJECT["tool"]["pyright"]["include"]
    rooms = [link for link in (ROOT / "src/attlas").iterdir() if link.is_symlink()]
    assert len(rooms) == 6
    assert {str(link.relative_to(ROOT)) for link in rooms} <= set(seen)
