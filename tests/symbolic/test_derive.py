# sympy's own annotations are narrower than what its functions return.
# pyright: reportAttributeAccessIssue=false
"""What ``attlas derive`` prints."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import mpmath
import pytest
import sympy as sp

from attlas.model.errors import BadInput
from attlas.symbolic import notation as sym
from attlas.symbolic.derivation import Check, Derivation, Outcome, Step, exactly, numerically
from attlas.symbolic.derive import FORMATS, TARGETS, derivation_of, derive
from attlas.symbolic.render import latex, line, mathml, render, text
from attlas.symbolic.thresholds import perfect_recovery_value

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_answers_in_every_format_with_all_steps_passing(target: str) -> None:
    for form in FORMATS:
        shown = derive(target, {"kappa0": "1/3", "tokens": "3"}, steps=True, format=form)
        assert "FAILED" not in shown
        if form == "json":
            document = json.loads(shown)
            assert document["schema"] == "attlas/derive/1"
            assert document["equations"]
            assert all(s["passed"] for s in document["steps"] if not s["assumption"])
            for equation in document["equations"].values():
                assert set(equation) == {"text", "latex", "mathml"}
        elif form == "latex":
            assert_balanced(shown)
        elif form == "mathml":
            assert_well_formed(shown)


@pytest.mark.parametrize("target", TARGETS)
def test_symbols_without_values_stay_symbols(target: str) -> None:
    derivation = derivation_of(target)
    free = {s.name for e in derivation.equations.values() for s in e.free_symbols}
    assert free
    assert derivation.key


def test_exact_values_are_put_in() -> None:
    shown = derive("perfect-recovery", {"kappa0": "1/3", "tokens": 3})
    assert "alpha = a/D = 0.069370429620659810304204995139" in shown
    equation = derivation_of("bayes", {"kappa0": "1/3"}).equations["threshold"]
    assert equation.rhs == sp.Rational(5, 18)
    exact = derivation_of("spectrum", {"target": "wishart:kappa0=1/4"}).equations["polynomial"]
    assert sym.s not in exact.free_symbols
    assert sp.Rational(1, 2) in exact.atoms(sp.Rational)


@pytest.mark.parametrize(
    ("flags", "title"),
    [
        ({"training": "direct"}, "direct estimator"),
        ({"training": "direct-psd", "tokens": 1}, "linear channel, direct-psd"),
        ({"training": "bayes"}, "Bayes"),
        ({"tokens": "4", "alpha": None}, "softmax channel, factorised"),
    ],
)
def test_state_evolution_follows_the_flags(flags: dict, title: str) -> None:
    assert title in derive("state-evolution", flags)


@pytest.mark.parametrize(
    ("target", "flags", "form", "named"),
    [
        ("interpolatoin", {}, "text", "interpolation"),
        ("bayes", {"kapa0": 1}, "text", "kappa0"),
        ("bayes", {"kappa0": -1}, "text", "kappa0"),
        ("bayes", {"kappa0": "x"}, "text", "kappa0"),
        ("bayes", {"task": "seq2seq"}, "text", "task"),
        ("bayes", {}, "latx", "latex"),
        ("channel", {"tokens": 0}, "text", "tokens"),
        ("state-evolution", {"training": "direct-psf"}, "text", "direct-psd"),
        ("spectrum", {"target": "power-law:gamma=1"}, "text", "target"),
        ("spectrum", {"target": "wishart:kapa0=1"}, "text", "kappa0"),
    ],
)
def test_bad_input_names_the_parameter(target, flags, form, named) -> None:
    with pytest.raises(BadInput, match=re.escape(named)):
        derive(target, flags, format=form)


def test_a_threshold_without_noise_shows_no_number() -> None:
    assert "Value" not in derive("interpolation", {"kappa0": "1/2", "noise": 0})
    assert "Value: a = 0.3069642057181601351470721389" in derive(
        "interpolation", {"kappa0": "1/2", "noise": "1/2"}
    )


def test_a_threshold_says_how_its_number_becomes_alpha() -> None:
    given = {"kappa0": "1/2", "noise": "1/2"}
    assert "alpha = a/D; the number of tokens fixes D" in derive("interpolation", given)
    assert "alpha = a/D = 0.153482102859" in derive("interpolation", {**given, "tokens": 2})


def test_a_failing_step_is_shown_as_failed_and_an_unchecked_one_as_assumed() -> None:
    x = sp.Symbol("x")
    steps = (
        Step(x, "square", x**2, exactly(lambda: x**2 - x)),
        Step(x, "trust", x),
        Step(x, "halve", x / 2, numerically(sym.kappa0, sym.kappa0 + sp.Rational(1, 10**40))),
        Step(x, "keep", x, numerically(sym.kappa0 * sym.q, sym.q * sym.kappa0)),
        Step(x, "pass", x, Check("always", lambda: Outcome(True, "exactly"))),
    )
    example = Derivation("x", "X", "x", {"x": sp.Eq(x, 1)}, (), steps, "section 1")
    shown = render(example, "text", steps=True)
    assert shown.count("FAILED") == 2
    assert shown.count("ASSUMPTION") == 1
    assert [outcome.passed for _, outcome in example.run_checks()] == [False, False, True, True]


def test_checks_run_only_when_steps_are_asked_for() -> None:
    def explode() -> Outcome:
        raise AssertionError

    step = Step("a", "b", "c", Check("", explode))
    example = Derivation("x", "X", "x", {"x": sp.Eq(sym.q, 1)}, (), (step,), "section 1")
    assert "section 1" in render(example, "text")
    with pytest.raises(AssertionError):
        render(example, "text", steps=True)


def test_notation_reaches_every_form() -> None:
    equation = sp.Eq(sym.q_hat, sym.sigma_hat * sym.kappa0**2 / sym.m_hat)
    assert latex(equation) == r"\hat q = \frac{\kappa_0^{2} \hat\Sigma}{\hat m}"
    assert "q̂" in text(equation)
    assert line(equation).startswith("q̂ = ")
    ElementTree.fromstring(mathml(equation))


@pytest.mark.parametrize("target", TARGETS)
def test_text_is_no_wider_than_a_page(target: str) -> None:
    shown = derive(target, {}, steps=True)
    assert "↪" not in shown
    formulas = [row for row in shown.splitlines() if row.startswith("    ")]
    assert formulas
    assert max(map(len, formulas)) <= 110


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_cold_start_costs_a_few_imports_of_sympy(target: str) -> None:
    """Processor time of a derivation with all its steps, over that of importing sympy beside it."""
    script = (
        "import time; start = time.process_time(); import sympy;"
        "imported = time.process_time() - start;"
        "from attlas.symbolic.derive import derive;"
        f"derive({target!r}, {{'kappa0': '1/3', 'noise': '1/2'}}, steps=True);"
        "print((time.process_time() - start) / imported)"
    )
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 16
    assert time.monotonic() - begin < 120


def test_threshold_digits_are_the_digits_of_the_number() -> None:
    shown = derive("perfect-recovery", {"kappa0": "1/10"})
    with mpmath.workdps(60):
        precise = str(perfect_recovery_value("1/10", digits=50))
    assert precise[:30] in shown


def assert_balanced(document: str) -> None:
    depth = 0
    for index, character in enumerate(document):
        escaped = index > 0 and document[index - 1] == "\\"
        if character == "{" and not escaped:
            depth += 1
        if character == "}" and not escaped:
            depth -= 1
        assert depth >= 0
    assert depth == 0
    assert document.isascii()
    assert document.count(r"\fit{") > 1
    assert document.count(r"\left") == document.count(r"\right")
    assert document.rstrip().endswith(r"\end{document}")


def assert_well_formed(page: str) -> None:
    formulas = re.findall(r"<math.*?</math>", page, flags=re.DOTALL)
    assert formulas
    for formula in formulas:
        ElementTree.fromstring(formula)
    assert "\\" not in page
