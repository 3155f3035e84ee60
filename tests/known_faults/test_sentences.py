"""Sentences that were false, misspelt keywords, and row 39: stars that markdown ate."""

from __future__ import annotations

import inspect
import pickle
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

import attlas
from attlas.cli.main import main
from attlas.model import BadInput, problem_from
from attlas.reports.figures.phase_diagram import _draw
from attlas.solver.phase import phase

PROBLEM = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens=1)
DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["solve", "--", "--alpha", "0.2"], "--alpha behind -- is no option: leave -- out."),
        (["sweep", "--alpha", "-1:1:3:log", "--lam", "1", "--kappa0", "1"], "'-1:1:3:log'"),
        (
            ["sweep", "--alpha", "-.5,1", "--lam", "1", "--kappa0", "1"],
            "--alpha = -1/2 is not valid",
        ),
        (["solve", "--alpha", "--lam", "0.1"], "--alpha needs a value"),
    ],
)
def test_a_usage_error_says_what_is_wrong(words: list[str], said: str, capsys) -> None:
    assert main(words) == 2
    assert said in capsys.readouterr().err


def test_a_loose_tolerance_is_not_a_fault_of_the_seed(capsys) -> None:
    words = "simulate --alpha 0.3 --lam 0.1 --kappa0 0.5 --tokens 1 --d 12 --seeds 1"
    loose = "--algorithm fista --gradient-tolerance 0.1"
    assert main([*words.split(), *loose.split()]) == 1
    said = capsys.readouterr().err
    assert "lower --gradient-tolerance" in said
    assert "seeds" not in said


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: attlas.Factorised(lamda=1), "lam"),  # type: ignore[call-arg]
        (lambda: attlas.SoftmaxChannel(token=2), "tokens"),  # type: ignore[call-arg]
        (lambda: attlas.Wishart(kapa0=1), "kappa0"),  # type: ignore[call-arg]
        (lambda: attlas.PowerLaw(gama=1, d=20), "gamma"),  # type: ignore[call-arg]
        (lambda: attlas.Problem(alph=1), "alpha"),  # type: ignore[call-arg]
        (lambda: attlas.solve(PROBLEM, rtoll=1), "rtol"),  # type: ignore[call-arg]
        (lambda: attlas.simulate(PROBLEM, d=12, seds=1), "seeds"),  # type: ignore[call-arg]
        (lambda: attlas.threshold("bayes", kapa0=1), "kappa0"),  # type: ignore[call-arg]
        (lambda: attlas.phase(PROBLEM, tolerence=1), "tolerance"),  # type: ignore[call-arg]
        (lambda: attlas.best_lambda(PROBLEM, rtl=1), "rtol"),  # type: ignore[call-arg]
        (lambda: attlas.sweep(PROBLEM, alhpa=[1]), "alpha"),
    ],
)
def test_a_misspelt_keyword_names_the_nearest(call: Any, near: str) -> None:
    with pytest.raises(BadInput, match=f"did you mean {near}"):
        call()


def test_a_keyword_that_is_missing_or_of_a_strangers_part() -> None:
    with pytest.raises(TypeError, match="missing 1 required"):
        attlas.Wishart()  # type: ignore[call-arg]
    assert list(inspect.signature(attlas.Factorised).parameters) == ["lam", "kappa"]
    assert pickle.loads(pickle.dumps(PROBLEM)) == PROBLEM
    assert pickle.loads(pickle.dumps(attlas.solve)) is attlas.solve


def test_row_39_no_star_and_no_underscore_of_the_theory_is_markup() -> None:
    text = (DOCS / "theory.md").read_text("utf-8")
    leaning, letters = [], ""
    for block in MarkdownIt("commonmark").enable("table").use(dollarmath_plugin).parse(text):
        for before, token in zip(
            [None, *(block.children or ())], block.children or (), strict=False
        ):
            letters += token.content
            if before is not None and before.type == "em_open":
                leaning.append(token.content)
    assert len(leaning) == 1
    assert leaning[0].startswith("Single-Head Attention")
    assert r"\Vert S \Vert_*" in letters
    assert r"\eta^*" in letters


def test_a_phase_picture_says_that_its_curves_are_limits() -> None:
    plane = problem_from(alpha=1, lam="0.03", kappa0=1, noise="0.5")
    asked = ["interpolation", "bayes"]
    diagram = phase(plane, x="0.05:1:4", y="0.1:1:4", boundaries=asked, tolerance=0.05)
    figure = _draw(diagram, ())
    left, right = figure.axes
    assert left.get_title(loc="left").startswith("λ → 0⁺, ")
    assert "interpolation (λ → 0⁺)" in [text.get_text() for text in left.texts]
    drawn = right.texts[0].get_window_extent()
    assert drawn.width > 0.8 * right.get_window_extent().width
