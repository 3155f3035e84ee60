"""What ``attlas explain`` says of every name, and that it says it readably."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy as sp

from attlas.cli.catalogue import catalogue
from attlas.model.errors import BadInput
from attlas.solver.best_lambda import BestLambda
from attlas.solver.decomposition.decompose import DECOMPOSITION_KEYS
from attlas.solver.solution import OBSERVABLE_KEYS
from attlas.symbolic import notation as sym
from attlas.symbolic.explain import Explanation, explain, names
from attlas.symbolic.explanation_forms import explain_document, explain_text, list_text

DOCS = Path(__file__).parents[2] / "docs"
SYMBOLS = [entry.key for entry in sym.notations()]
PRINTED = catalogue()
KNOWN = list(dict.fromkeys([*SYMBOLS, *PRINTED.keys]))
#: Kinds of results that are quantities, and so have a definition.
QUANTITIES = (
    *OBSERVABLE_KEYS,
    *DECOMPOSITION_KEYS,
    *(field for field in BestLambda.__dataclass_fields__),
    *("mass_at_zero", "location", "overlap", "rho", "bulk_edge", "recovered", "collapse_lam"),
    *("exponent", "ratio", "captured", "detaches", "half", "sharpness", "alpha_times_D"),
)


@cache
def senses(key: str) -> tuple[Explanation, ...]:
    found = explain(key, PRINTED)
    return (found, *found.also)


def test_every_name_has_meaning_domain_and_source() -> None:
    bare = [
        (key, found)
        for key in KNOWN
        for found in senses(key)
        if found.key != key or not (found.meaning and found.domain and found.source)
    ]
    assert not bare


def test_text_is_readable_on_a_terminal() -> None:
    # Ranges under a sum or an integral are written in braces; LaTeX and sympy's own names are not.
    foreign = re.compile(r"\\[a-zA-Z]|[_^]\{|\*\*|↪|Eq\(|Symbol\(|Derivative")
    faults: dict[str, object] = {}
    for key in KNOWN:
        shown = explain_text(key, PRINTED)
        found = foreign.findall(re.sub(r"(?<=[Σ∫])_\{[^}]*\}", "", shown))
        found += [row for row in shown.splitlines() if len(row) > 110]
        if found or not shown.startswith(key):
            faults[key] = found
    assert not faults


def test_formulas_of_the_document_are_well_formed() -> None:
    faults: list[tuple[str, str]] = []
    for key in KNOWN:
        document = json.loads(json.dumps(explain_document(key, PRINTED)))
        for found in (document, *document["also"]):
            shown = [(one["latex"], one["mathml"]) for one in found["equations"]]
            if found["definition"] is not None:
                shown.append((found["definition"], found["definition_mathml"]))
                if not found["definition_text"]:
                    faults.append((key, "no text"))
            for latex, mathml in shown:
                words = "".join(ElementTree.fromstring(mathml).itertext())
                if latex.count("{") != latex.count("}") or "$" in latex or "\\" in words:
                    faults.append((key, latex))
    assert not faults


def test_a_symbol_has_a_formula() -> None:
    first = {key: senses(key)[0] for key in SYMBOLS}
    assert not [key for key, one in first.items() if not (one.equations or one.definition)]


def test_a_quantity_has_a_formula() -> None:
    bare = [
        key
        for key in dict.fromkeys(QUANTITIES)
        if not any(found.equations or found.definition for found in senses(key))
    ]
    assert not bare


def test_equations_of_one_symbol_are_told_apart() -> None:
    labels = {key: [one.label for one in senses(key)[0].equations] for key in SYMBOLS}
    assert not [key for key, found in labels.items() if len(found) != len(set(found))]


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
    assert explain(key, PRINTED).source == f"docs/theory.md, section {section}"


def test_a_symbol_stands_in_its_section() -> None:
    """Where theory.md uses the notation's own letter, it does so in the section that is named."""
    theory = (DOCS / "theory.md").read_text("utf-8")
    parts = dict(re.findall(r"^## (\w+)\.(.*?)(?=^## |\Z)", theory, re.M | re.S))
    # Written in another way there, or a name of the program's own.
    renamed = {"M_sigma", "M_m", "M_q", "dg_dz", "dg_domega", "pair_weight", "nuclear", "decay"}
    renamed |= {"curvature", "zeta", "learned", "left_norm", "right_norm", "spike_overlap", "mse"}
    renamed |= {"misfit", "cube", "excess_1", "excess_2", "third"}

    def plain(formula: str) -> str:
        return re.sub(r"\\mathrm|\\operatorname|\\[!,]|[{}\s]", "", formula)

    for entry in sym.notations():
        if entry.key not in renamed:
            assert plain(entry.latex) in plain(parts[entry.section]), entry.key


def test_a_name_with_several_meanings_says_whose_each_is() -> None:
    found = explain("x", PRINTED)
    assert found.kind == sym.Kind.SPECTRAL.value
    assert {one.printed_by for one in found.also} == {("spectrum",), ("phase",)}
    assert "x, as a key of attlas phase" in explain_text("x", PRINTED)
    assert explain_document("x", PRINTED)["also"][0]["meaning"]


def test_no_command_gives_one_key_two_meanings() -> None:
    for key in KNOWN:
        printed = [verb for found in senses(key) for verb in found.printed_by]
        assert len(printed) == len(set(printed)), key
    assert set(PRINTED.symbols) <= set(SYMBOLS)


def test_other_spellings() -> None:
    assert explain("q̂").key == "q_hat"
    assert explain(r"\hat q").key == "q_hat"
    assert explain("rank fraction", PRINTED).key == "rank_fraction"
    assert explain("error_q", PRINTED).meaning == "absolute error bar of q"
    assert explain("heads +-", PRINTED).printed_by == ("scaling",)


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
        explain(key, PRINTED)
    said = str(refusal.value)
    assert f"did you mean {near}" in said
    assert said.endswith("attlas explain without a name lists all.")
    assert len(said) < 250


def test_a_name_like_no_other_is_answered_without_a_guess() -> None:
    with pytest.raises(BadInput, match="must be a symbol or a result key; attlas explain without"):
        explain("zzzzzzzzzz")


def test_the_list_holds_every_name_once_for_each_meaning() -> None:
    listed = [name for _, entries in names(PRINTED) for name, _ in entries]
    assert set(listed) == set(KNOWN)
    assert len(listed) == len(SYMBOLS) + sum(map(len, PRINTED.keys.values()))
    lines = list_text(PRINTED).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) < len(listed) + 60
    assert any(line.startswith("  efficiency ") and "floor" in line for line in lines)
