"""The report: complete, self-contained, accessible, and never half-written."""

from __future__ import annotations

import html as html_
import json
import os
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model.files import WriteFailed
from attlas.reports import write_report
from attlas.reports.commands import suite_command
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work

FILES = ["index.html", "junit.xml", "report.json", "summary.md"]
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Elements of a page, and whether its tags nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def folder(result, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("report")
    write_report(result, target)
    return target


@pytest.fixture(scope="module")
def html(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_tags_nest_and_ids_are_unique(page: Page):
    assert page.open == []
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_nothing_is_fetched_and_no_script_runs(html: str, page: Page):
    assert not page.all("script")
    assert not page.all("link")
    assert not page.all("img")
    assert "@import" not in html
    assert not re.findall(r"url\((?!#)", html)
    local = {attributes.get("href") or "" for attributes in page.all("a")}
    assert all(target.startswith("#") or target in FILES for target in local)


def test_links_and_references_inside_the_page_resolve(html: str, page: Page):
    ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    for _, attributes in page.elements:
        for name in ("href", "xlink:href"):
            target = attributes.get(name) or ""
            if target.startswith("#"):
                assert target[1:] in ids
        for name in ("aria-labelledby",):
            assert set((attributes.get(name) or "").split()) <= ids
    assert set(re.findall(r"url\(#([^)]*)\)", html)) <= ids


def test_tables_and_figures_are_labelled(page: Page):
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in attributes for attributes in page.all("th"))
    figures = [svg for svg in page.all("svg") if svg.get("role") == "img"]
    assert len(figures) == len(page.all("figure")) == 2 * 5
    assert {"header", "nav", "main", "footer"} <= {name for name, _ in page.elements}


def test_equations_are_mathml(page: Page):
    assert page.all("math")
    assert all(attributes.get("alttext") for attributes in page.all("math"))


def test_the_outcome_comes_first_and_tables_last(html: str):
    parts = ("typical deviation", 'id="verdicts"', 'class="forest"', 'id="learning-curve"', "<h3>")
    parts = (*parts, "<h3>Points", "<details>", "Commands that repeat", 'id="controls"')
    order = [html.index(text) for text in parts]
    assert order == sorted(order)


def test_no_placeholder_colour_is_left(html: str):
    assert "#0a0b" not in html
    assert "var(--series-1)" in html


def test_commands_reproduce_the_points(html: str):
    assert "attlas solve --alpha 0.2 --lam 0.01 --kappa0 0.5" in html
    assert re.search(r"attlas simulate --alpha 0\.5 [^\n]*--tokens 1 --noise 0\.5", html)


def test_json_holds_every_verdict_and_no_nan(folder: Path, result):
    text = (folder / "report.json").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert "Infinity" not in text
    content = json.loads(text)
    assert content["schema"] == "attlas.report/2"
    assert content["exit_code"] == 0
    (claim,) = content["claims"]
    assert [v["deviation"] for v in claim["verdicts"]] == [v.deviation for v in result.verdicts]
    assert [control["id"] for control in claim["controls"]] == [c.control for c in result.controls]
    assert {"lam-doubled", "two-sided-threshold"} <= {c.control for c in result.controls}


def test_a_report_that_fails_leaves_the_old_one(folder: Path, result, monkeypatch):
    before = (folder / "index.html").read_bytes()

    def full(*_args, **_kwargs):
        raise OSError("no space left on device")

    monkeypatch.setattr("attlas.model.files.os.fsync", full)
    with pytest.raises(WriteFailed, match="no space"):
        write_report(result, folder)
    assert (folder / "index.html").read_bytes() == before
    assert sorted(os.listdir(folder)) == FILES


def test_an_accepted_control_is_said_at_the_top(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    work = fake_work.make_do()
    monkeypatch.setattr(
        "attlas.verify.suite.run.do",
        lambda job, device: [
            row
            if row.measured
            else type(row)(case=row.case, theory=fake_work.theory_of(row.case.problem))
            for row in work(job, device)
        ],
    )
    accepted = run_suite("quick", store=tmp_path / "store", device="cpu", processes=1)
    text = write_report(accepted, tmp_path).read_text(encoding="utf-8")
    assert "was not rejected" in text[: text.index("<main ")]


@pytest.mark.parametrize("name", ["index.html", "report.json", "summary.md"])
def test_the_command_that_is_printed_is_the_one_that_was_given(
    name: str, tmp_path: Path, monkeypatch, capsys
):
    """And in the document on standard output."""
    fake_work.use(monkeypatch)
    words = ["report", "--claim", "learning-curve", "--store", str(tmp_path / "a store")]
    words += ["--processes", "1", "--out", str(tmp_path / "out")]
    assert main([*words, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["result"]["command"]
    assert shlex.split(said) == ["attlas", "report", "--suite", "quick", *words[1:]]
    text = html_.unescape((tmp_path / "out" / name).read_text(encoding="utf-8"))
    assert said in text


def test_a_result_made_in_python_names_the_command_that_makes_it(result, monkeypatch):
    one = ["attlas", "report", "--suite", "quick", "--claim", "learning-curve"]
    store = ["--store", result.store]
    assert shlex.split(suite_command(result)) == [*one, *store]
    assert shlex.split(suite_command(replace(result, seed=7))) == [*one, "--seed", "7", *store]
    fake_work.use(monkeypatch)  # the suite then consists of this claim
    assert shlex.split(suite_command(result)) == [*one[:4], *store]
