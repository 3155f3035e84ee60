"""What ``attlas explain`` says of every name, and that it says it readably."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy as sp

from attlas.model.errors import BadInput
from attlas.solver.best_lambda import BestLambda
from attlas.solver.decomposition.decompose import DECOMPOSITION_KEYS
from attlas.solver.solution import OBSERVABLE_KEYS
from attlas.symbolic import notation as sym
from attlas.symbolic.explain import explain, names
from attlas.symbolic.explanation_forms import explain_document, explain_text, list_text
from attlas.symbolic.result_keys import PRINTED_SYMBOLS, RESULT_KEYS

DOCS = Path(__file__).parents[2] / "docs"
SYMBOLS = [entry.key for entry in sym.notations()]
KNOWN = list(dict.fromkeys([*SYMBOLS, *RESULT_KEYS]))
#: Kinds of results that are quantities, and so have a definition.
QUANTITIES = (
    *OBSERVABLE_KEYS,
    *DECOMPOSITION_KEYS,
    *(field for field in BestLambda.__dataclass_fields__),
    *("mass_at_zero", "location", "overlap", "rho", "bulk_edge", "recovered", "collapse_lam"),
    *("exponent", "ratio", "captured", "detaches", "half", "sharpness", "alpha_times_D"),
)


def senses(key: str):
    found = explain(key)
    return (found, *found.also)


@pytest.mark.parametrize("key", KNOWN)
def test_every_name_has_meaning_domain_and_source(key: str) -> None:
    for found in senses(key):
        assert found.key == key
        assert found.meaning
        assert found.domain
        assert found.source


@pytest.mark.parametrize("key", KNOWN)
def test_text_is_readable_on_a_terminal(key: str) -> None:
    shown = explain_text(key)
    assert shown.startswith(key)
    # Ranges under a sum or an integral are written in braces; LaTeX and sympy's own names are not.
    bare = re.sub(r"(?<=[Σ∫])_\{[^}]*\}", "", shown)
    assert not re.search(r"\\[a-zA-Z]|[_^]\{|\*\*|↪|Eq\(|Symbol\(|Derivative", bare)
    assert max(map(len, shown.splitlines())) <= 110


@pytest.mark.parametrize("key", KNOWN)
def test_formulas_of_the_document_are_well_formed(key: str) -> None:
    document = json.loads(json.dumps(explain_document(key)))
    for found in (document, *document["also"]):
        shown = [(one["latex"], one["mathml"]) for one in found["equations"]]
        if found["definition"] is not None:
            assert found["definition_text"]
            shown.append((found["definition"], found["definition_mathml"]))
        for latex, mathml in shown:
            assert latex.count("{") == latex.count("}")
            assert "$" not in latex
            words = "".join(ElementTree.fromstring(mathml).itertext())
            assert "\\" not in words, words


@pytest.mark.parametrize("key", SYMBOLS)
def test_a_symbol_has_a_formula(key: str) -> None:
    found = explain(key)
    assert found.equations or found.definition


@pytest.mark.parametrize("key", dict.fromkeys(QUANTITIES))
def test_a_quantity_has_a_formula(key: str) -> None:
    assert any(found.equations or found.definition for found in senses(key))


@pytest.mark.parametrize("key", SYMBOLS)
def test_equations_of_one_symbol_are_told_apart(key: str) -> None:
    labels = [one.label for one in explain(key).equations]
    assert len(labels) == len(set(labels)), labels


def test_direct_training_is_told_apart_by_estimator() -> None:
    found = {one.label: one.equation for one in explain("q").equations}
    title = "Direct (unfactorised) training"
    assert found[f"{title}, --training direct"] == sp.Eq(
        sym.q, sym.eta**2 * (sym.delta**2 + sym.q0)
    )
    assert f"{title}, --training direct-psd, epsilon = 0 in J" in found
    assert f"{title}, --training direct" in explain_text("q")


def test_sources_exist() -> None:
    theory = (DOCS / "theory.md").read_text("utf-8")
    sections = set(re.findall(r"^## (\w+)\.", theory, re.M))
    assert {"3", "13", "13b"} <= sections
    for key in KNOWN:
        for found in senses(key):
            page, _, section = found.source.partition(", section ")
            assert (DOCS.parent / page).is_file(), found.source
            assert not section or section in sections, found.source
            for one in found.equations:
                cited = re.findall(r"\d+b?", one.section)
                assert cited
                assert set(cited) <= sections, one.section


@pytest.mark.parametrize(
    ("key", "section"),
    [("alpha", "1"), ("c1", "13"), ("efficiency", "12"), ("excess_1", "7"), ("loss", "3")],
)
def test_the_section_is_the_one_that_introduces_it(key: str, section: str) -> None:
    assert explain(key).source == f"docs/theory.md, section {section}"


def test_a_symbol_stands_in_its_section() -> None:
    """Where theory.md uses the notation's own letter, it does so in the section that is named."""
    theory = (DOCS / "theory.md").read_text("utf-8")
    parts = dict(re.findall(r"^## (\w+)\.(.*?)(?=^## |\Z)", theory, re.M | re.S))
    renamed = {"u", "v", "ω_κ", "x̂", "‖S‖*/d", "‖W‖²/d²", "‖u‖", "‖v‖", "x_top", "⟨v,v₀⟩²", "mse"}
    renamed |= {"𝒱", "∫ρ³", "I₁", "I₂", "E₃", "(1+δ_ab)", "a_ab", "b_ab", "σ_ω", "∂g_ab/∂z₀_ab"}
    renamed |= {"Q", "ŝ", "ϑ", "1 − F(ε)", "ζ", "a_BO"}
    for entry in sym.notations():
        if entry.text not in renamed:
            assert entry.text in parts[entry.section], entry.key


def test_a_name_with_several_meanings_says_whose_each_is() -> None:
    found = explain("x")
    assert found.kind == sym.Kind.SPECTRAL.value
    assert {one.printed_by for one in found.also} == {("spectrum",), ("phase",)}
    assert "x, as a key of attlas phase" in explain_text("x")
    assert explain_document("x")["also"][0]["meaning"]


def test_no_command_gives_one_key_two_meanings() -> None:
    for key in KNOWN:
        printed = [verb for found in senses(key) for verb in found.printed_by]
        assert len(printed) == len(set(printed)), key
    assert set(PRINTED_SYMBOLS) <= set(SYMBOLS)


def test_other_spellings() -> None:
    assert explain("q̂").key == "q_hat"
    assert explain(r"\hat q").key == "q_hat"
    assert explain("rank fraction").key == "rank_fraction"
    assert explain("error_q").meaning == "absolute error bar of q"
    assert explain("heads +-").printed_by == ("scaling",)


def test_definitions_hold_what_the_solver_computes() -> None:
    mse = {one.label: one.equation for one in explain("mse").equations}
    assert mse["State evolution"].rhs == sym.q - 2 * sym.m + sym.q0
    q_hat = {one.label: one.equation for one in explain("q_hat").equations}
    assert q_hat["State evolution"] == sp.Eq(sym.q_hat, -4 * sym.alpha * sym.M_sigma)
    assert {"state-evolution", "bayes"} <= set(explain("q_hat").appears_in)


@pytest.mark.parametrize(
    ("key", "near"),
    [("rank_fractoin", "rank_fraction"), ("q_hatt", "q_hat"), ("Over", "over"), ("lamda", "lam")],
)
def test_an_unknown_name_is_answered_by_the_nearest(key: str, near: str) -> None:
    with pytest.raises(BadInput) as refusal:
        explain(key)
    said = str(refusal.value)
    assert f"did you mean {near}" in said
    assert said.endswith("attlas explain without a name lists all.")
    assert len(said) < 250


def test_a_name_like_no_other_is_answered_without_a_guess() -> None:
    with pytest.raises(BadInput, match="must be a symbol or a result key; attlas explain without"):
        explain("zzzzzzzzzz")


def test_the_list_holds_every_name_once_for_each_meaning() -> None:
    listed = [name for _, entries in names() for name, _ in entries]
    assert set(listed) == set(KNOWN)
    assert len(listed) == len(SYMBOLS) + sum(map(len, RESULT_KEYS.values()))
    lines = list_text().splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) < len(listed) + 60
    assert any(line.startswith("  efficiency ") and "floor" in line for line in lines)
