"""Row 31, asymptotic forms printed as equalities; and LaTeX that is whole."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from latex2mathml.converter import convert

from attlas.model import BadInput
from attlas.symbolic.derive import TARGETS, derivation_of, derive
from attlas.symbolic.functions import Asymptotically
from attlas.symbolic.render import BIBTEX, legend

DOCS = Path(__file__).parents[2] / "docs"


def test_row_31_an_asymptotic_form_says_so_in_every_format() -> None:
    for name, case in (("small-noise", "noise -> 0+"), ("large-noise", "noise -> infinity")):
        equation = derivation_of("interpolation", {"kappa0": "1/2"}).equations[name]
        assert isinstance(equation, Asymptotically)  # with values put in, too
        assert f"{name} (Wishart target" in derive("interpolation")
        assert case in derive("interpolation")
    for form, sign in (("text", "≃"), ("latex", r"\simeq"), ("mathml", "&#x02243;")):
        shown = derive("interpolation", format=form)
        assert shown.count(sign) == 2
        assert derive("bayes", format=form).count(sign) == 0
    shown = derive("interpolation", format="latex")
    assert r"\paragraph{small-noise}" in shown
    assert r"noise $\to$ $0^+$" in shown
    assert r"For $\lambda$ $\to$ $0^+$" in shown


@pytest.mark.parametrize("target", TARGETS)
def test_latex_is_whole(target: str, tmp_path: Path) -> None:
    """Compiled where there is TeX; parsed, formula by formula, everywhere."""
    document = derive(target, format="latex", steps=True)
    fragment = derive(target, format="latex", fragment=True)
    names = derivation_of(target).equations
    labels = re.findall(r"\\label\{eq:(.*?)\}", fragment)
    assert len(labels) == len(set(labels)) == len(names)
    for forbidden in ("documentclass", "resizebox", "usepackage"):
        assert forbidden not in fragment
    preamble = r"\documentclass{article}\usepackage{amsmath,amssymb}\begin{document}"
    wrapped = preamble + fragment + r"\end{document}"
    for text in (document, fragment, wrapped):
        bare = re.sub(r"(?m)^%.*$", "", text)
        assert bare.count("{") == bare.count("}")
        assert bare.count("$") % 2 == 0
        ends = {way: re.findall(rf"\\{way}\{{(\w+)\}}", bare) for way in ("begin", "end")}
        assert sorted(ends["begin"]) == sorted(ends["end"])
    body = document.partition(r"\begin{document}")[2]
    lines = [line for line in body.splitlines() if not line.startswith((r"\fit", "%", "&"))]
    prose = re.sub(r"\$[^$]*\$|\\(label|cite|bibitem)\{[^}]*\}", "", "\n".join(lines))
    assert not re.search(r"(?<!\\)[_^]", prose.replace(r"\^{}", "")), prose
    for formula in re.findall(r"\$([^$]+)\$", body):
        assert convert(formula).startswith("<math")
    used = {entry.latex for entry in legend(derivation_of(target))}
    assert all(f"${one}$" in body for one in used)
    if shutil.which("pdflatex"):
        for name, text in (("document", document), ("fragment", wrapped)):
            (tmp_path / f"{name}.tex").write_text(text)
            words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"{name}.tex"]
            subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)


def test_the_source_is_that_of_the_references() -> None:
    assert BIBTEX in (DOCS / "references.bib").read_text("utf-8")
    assert BIBTEX.splitlines()[0] in derive("bayes", format="latex", fragment=True)


def test_a_fragment_is_of_latex() -> None:
    for options in ({"format": "text"}, {"format": "latex", "steps": True}):
        with pytest.raises(BadInput, match="fragment"):
            derive("bayes", fragment=True, **options)  # type: ignore[arg-type]
