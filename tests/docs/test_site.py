"""The site builds without a warning and holds what it promises."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

import attlas
from attlas.cli.main import VERBS, app, main
from attlas.cli.usage import plugin_files
from attlas.reports.reproduce import PICTURES
from attlas.symbolic.derive import TARGETS, derivation_of
from attlas.symbolic.notation import notations
from attlas.verify.claims import CLAIMS
from attlas.verify.store.store import Store
from attlas.verify.suite.schedule import Schedule
from attlas.verify.suite.suites import SUITES

pytest.importorskip("sphinx", reason="the docs extra is not installed")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build from a copy, so that the source tree is left alone."""
    copy = tmp_path_factory.mktemp("docs")
    (copy / "src").symlink_to(ROOT / "src")
    for name in ("model", "symbolic", "solver", "verify", "reports", "cli"):
        (copy / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "docs", copy / "docs", ignore=shutil.ignore_patterns("generated"))
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q"]
    run = subprocess.run(
        [*command, str(copy / "docs"), str(copy / "site")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return copy / "site"


def page(site: Path, name: str) -> str:
    return (site / f"{name}.html").read_text(encoding="utf-8")


def test_equations_are_mathml_from_symbolic(site: Path) -> None:
    text = page(site, "derivations")
    assert all(derivation_of(target).title in text for target in TARGETS)
    equations = sum(len(derivation_of(target).equations) for target in TARGETS)
    assert (
        text.count('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">') > equations
    )
    formulas = re.findall(r"<math .*?</math>", text, re.S)
    assert not [formula for formula in formulas if "&amp;" in formula or "\\" in formula]
    assert not re.search(r"<script[^>]*mathjax", text, re.I)


def test_the_example_report_is_made_of_stored_rows_alone() -> None:
    """`make docs` judges them: a run that is missing would be made then, and take its time."""
    example = ROOT / "docs/example/standard"
    assert {path.name for path in example.iterdir()} == {"store", "summary.md"}
    store, schedule = Store(example / "store"), Schedule.of("standard", None, "adam", 0)
    cases = [case for one in schedule.claims for case in schedule.cases(one)]
    assert cases
    assert not [case for case in cases if not store.has(case)]


def test_every_symbol_is_in_the_glossary(site: Path) -> None:
    text = page(site, "notation")
    assert not [entry.key for entry in notations() if f">{entry.key}</span>" not in text]


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_how_to_with_its_options(site: Path, verb: str) -> None:
    text = page(site, f"howto/{verb}")
    assert f"attlas {verb}" in text
    assert "--json" in text
    assert f"howto/{verb}.html" in page(site, "howto/index") or f'href="{verb}.html' in page(
        site, "howto/index"
    )


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    text = page(site, "api")
    public = [name for name in attlas.__all__ if not name.startswith("_")]
    assert not [name for name in public if f'id="attlas.{name}"' not in text]


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_explained(site: Path, name: str) -> None:
    assert f'id="{name}"' in page(site, "pictures")


def test_readme_links_and_pictures_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    assert targets
    missing = [t for t in targets if "://" not in t and not (ROOT / t).exists()]
    assert not missing


def commands() -> list[str]:
    """Every ``attlas`` command line that README, tutorial and how-tos show."""
    pages = [ROOT / "README.md", ROOT / "docs/tutorial.md", *(ROOT / "docs/howto").glob("*.md")]
    blocks = [
        block
        for path in pages
        for block in re.findall(r"```(?:sh)?\n(.*?)```", path.read_text("utf-8"), re.S)
    ]
    lines = [line for block in blocks for line in block.splitlines()]
    return sorted({line for line in lines if line.startswith("attlas ")})


@pytest.mark.parametrize("line", commands())
def test_commands_that_are_shown_are_understood(line: str) -> None:
    words, _ = plugin_files(shlex.split(line.partition(">")[0], comments=True)[1:])
    app.parse_args(words, exit_on_error=False, print_error=False)
    for flag, value in pairwise(words):
        if flag == "--claim":
            assert value in CLAIMS
        if flag == "--suite":
            assert value in SUITES


@pytest.mark.parametrize("source", ["README.md", "docs/tutorial.md"])
def test_python_examples_run(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / source).read_text("utf-8"), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, source, "exec"), {})
    assert capsys.readouterr().out.startswith("0.0540881")


def shown_numbers(text: str) -> dict[str, tuple[float, float]]:
    """Keys, values and error bars of a table that a page shows."""
    found = re.findall(r"^ *(\w+(?:, \w+)*) +(-?[\d.e+-]+) +([\d.e+-]+)$", text, re.M)
    return {
        key: (float(value), float(error))
        for keys, value, error in found
        for key in keys.split(", ")
    }


def test_numbers_in_the_tutorial_are_what_its_commands_print(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "docs/tutorial.md").read_text("utf-8")
    shown = shown_numbers(text)
    assert len(shown) >= 5
    assert main(["solve", "--alpha", "0.2", "--lam", "0.01", "--kappa0", "0.5"]) == 0
    printed = shown_numbers(capsys.readouterr().out)
    for key, (value, error) in shown.items():
        assert value == pytest.approx(printed[key][0], abs=error + printed[key][1]), key
        assert 0.5 < error / printed[key][1] < 2, key
    words = re.search(r"prints (\d+) numbers", text)
    assert words is not None
    assert int(words[1]) == len(printed)
    threshold = re.search(r"^(attlas threshold [^\n]*)$.*?^(alpha [^\n]*)$", text, re.M | re.S)
    assert threshold is not None
    assert main(threshold[1].split()[1:]) == 0
    assert threshold[2] in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("page", ["layout", "extending"])
def test_every_path_of_the_maps_exists(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    rooms = "model|symbolic|solver|verify|reports|cli|tests|benchmarks|docs"
    paths = re.findall(rf"`((?:{rooms})/[^`]*)`", text)
    assert len(paths) > 10
    assert not [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]


def test_every_folder_of_a_room_is_on_the_map() -> None:
    text = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
    rooms = [ROOT / name for name in ("model", "symbolic", "solver", "verify", "reports", "cli")]
    folders = [path.parent for room in rooms for path in room.glob("*/__init__.py")]
    assert len(folders) > 30
    named = {
        str(path.relative_to(ROOT)) for path in folders if f"`{path.relative_to(ROOT)}/" in text
    }
    assert named == {str(path.relative_to(ROOT)) for path in folders}


def test_the_workflow_for_others_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Its commands have no flag that attlas does not know, and it shows a file that is written."""
    text = (ROOT / "docs/report.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.S)
    steps = yaml.safe_load(block)["jobs"]["heads"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("attlas")]
    _, verb, *arguments = command.split()
    flags = [one for one in arguments if one.startswith("--")]
    assert flags
    assert main([verb, "--help"]) == 0
    known = capsys.readouterr().out
    assert not [flag for flag in flags if flag not in known]
    assert "summary.md" in block
