"""Expressions and derivations as text, LaTeX, MathML and JSON."""

from __future__ import annotations

import html
import json
import re
import textwrap
from typing import Any, Literal

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.pretty.pretty import PrettyPrinter
from sympy.printing.pretty.pretty_symbology import line_width
from sympy.printing.pretty.stringpict import prettyForm, stringPict
from sympy.printing.str import StrPrinter

from attlas.symbolic import notation as sym
from attlas.symbolic.corpus import case_of
from attlas.symbolic.derivation import Derivation, Outcome, Step
from attlas.symbolic.functions import Asymptotically

#: LaTeX longer than this is broken into rows.
_LONG = 260

#: Width of text output, and of a formula in it, which is indented.
COLUMNS = 100
_ROOM = COLUMNS - 6

_SOURCE = "boncoraglio2025head"
#: The paper that the theory is of; the entry is that of docs/references.bib.
BIBTEX = r"""@article{boncoraglio2025head,
  title  = {Single-Head Attention in High Dimensions: A Theory of Generalization, Weights Spectra, and Scaling Laws},
  author = {Boncoraglio, Fabrizio and Erba, Vittorio and Troiani, Emanuele and Xu, Yizhou and Krzakala, Florent and Zdeborov{\'a}, Lenka},
  year   = {2025},
  journal = {arXiv:2509.24914},
  url    = {https://arxiv.org/abs/2509.24914}
}"""  # noqa: E501
_CITED = (
    r"F. Boncoraglio, V. Erba, E. Troiani, Y. Xu, F. Krzakala and L. Zdeborov\'a, "
    "arXiv:2509.24914 (2025)."
)

_FUNCTIONS_LATEX = {
    "J": "J", "J1": "J_1", "J2": "J_2", "M": "M", "MSigma": r"\frac{\partial M}{\partial\Sigma}",
    "MM": r"\frac{\partial M}{\partial m}", "MQ": r"\frac{\partial M}{\partial q}",
    "Im": r"\operatorname{Im}",
    "arg": r"\operatorname{arg}", "PairMean": r"\mathbb{E}\sum_{a\le b}",
    "Both": r"\Phi_2", "Gain": "I", "GainSlope": "I'",
}  # fmt: skip
_FUNCTIONS_TEXT = {
    "J": "J", "J1": "J₁", "J2": "J₂", "M": "M", "MSigma": "∂M/∂Σ", "MM": "∂M/∂m",
    "MQ": "∂M/∂q", "Im": "Im", "arg": "arg", "PairMean": "E Σ_{a≤b} ",
    "Both": "Φ₂", "Gain": "I", "GainSlope": "I′",
}  # fmt: skip


class _Latex(LatexPrinter):
    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:
        entry = sym.of_symbol(expr)
        return entry.latex if entry else super()._print_Symbol(expr, style)

    def _print_Function(self, expr: Any, exp: Any = None) -> str:
        name = type(expr).__name__
        if name not in _FUNCTIONS_LATEX:
            return super()._print_Function(expr, exp)
        inside = ", ".join(self._print(argument) for argument in expr.args)
        shown = rf"{_FUNCTIONS_LATEX[name]}\left({inside}\right)"
        return rf"\left[{shown}\right]^{{{exp}}}" if exp else shown

    _print_arg = _print_Function

    def _print_Asymptotically(self, expr: Any) -> str:
        return rf"{self._print(expr.lhs)} \simeq {self._print(expr.rhs)}"


class _Pretty(PrettyPrinter):
    def _print_Symbol(self, e: Any, bold_name: bool = False) -> prettyForm:
        entry = sym.of_symbol(e)
        return prettyForm(entry.text) if entry else super()._print_Symbol(e, bold_name)

    def _print_Function(
        self, e: Any, sort: bool = False, func_name: Any = None, left: str = "(", right: str = ")"
    ) -> Any:
        name = type(e).__name__
        if name not in _FUNCTIONS_TEXT:
            return super()._print_Function(e, sort, func_name, left, right)
        inside = self._print_seq(e.args, delimiter=",").parens(left, right)
        return prettyForm(*stringPict.next(prettyForm(_FUNCTIONS_TEXT[name]), prettyForm(*inside)))

    _print_arg = _print_Function

    def _print_Asymptotically(self, e: Any) -> prettyForm:
        return prettyForm(*stringPict.next(self._print(e.lhs), " ≃ ", self._print(e.rhs)))


class _Plain(StrPrinter):
    def _print_Symbol(self, expr: Any) -> str:
        entry = sym.of_symbol(expr)
        return entry.text if entry else super()._print_Symbol(expr)

    def _print_Function(self, expr: Any) -> str:
        name = type(expr).__name__
        inside = ", ".join(self._print(argument) for argument in expr.args)
        return f"{_FUNCTIONS_TEXT.get(name, name)}({inside})"

    def _print_Equality(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} = {self._print(expr.rhs)}"

    def _print_Asymptotically(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} ≃ {self._print(expr.rhs)}"


def latex(expression: sp.Basic) -> str:
    """LaTeX, without dollar signs."""
    return _Latex({"mul_symbol": None, "fold_short_frac": False}).doprint(expression)


def text(expression: sp.Basic) -> str:
    """Two-dimensional Unicode text; what is wider than a page stands in rows."""
    printer = _Pretty({"use_unicode": True, "wrap_line": False})
    return _fitted(expression, printer, _ROOM).render(use_unicode=True, wrap_line=False)


def line(expression: sp.Basic) -> str:
    """One line of Unicode text."""
    return _Plain({}).doprint(expression)


def mathml(expression: sp.Basic) -> str:
    """Presentation MathML of a displayed formula."""
    return formula_mathml(latex(expression))


def formula_mathml(formula: str) -> str:
    """Presentation MathML of LaTeX, displayed."""
    return _converted(formula, "block")


def render(
    derivation: Derivation,
    form: str,
    steps: bool = False,
    value: str | None = None,
    fragment: bool = False,
) -> str:
    """A whole derivation.

    Parameters
    ----------
    derivation : Derivation
    form : {"text", "latex", "mathml", "json"}
        LaTeX and MathML are complete documents that compile and open by themselves.
    steps : bool
        Whether to list the steps, executing their checks.
    value : str, optional
        The number at the given parameters.
    fragment : bool
        Of LaTeX, the equations alone, with labels, for a document of one's own that has amsmath.

    Raises
    ------
    ValueError
        For another form.
    """
    writers = {"text": _as_text, "latex": _as_latex, "mathml": _as_mathml, "json": _as_json}
    if form not in writers:
        raise ValueError(f"form = {form!r} is not valid: one of {', '.join(writers)}")
    if fragment:
        return _fragment(derivation)
    listed = [(s, s.check.run() if s.check else None) for s in derivation.steps] if steps else []
    return writers[form](derivation, listed, value)


_Listed = list[tuple[Step, Outcome | None]]


def legend(derivation: Derivation, steps: _Listed | None = None) -> list[sym.Notation]:
    """The symbols that occur in the equations, and in steps, in the order of the notation."""
    used: set[sp.Basic] = set()
    sides = [side for step, _ in steps or () for side in (step.before, step.after)]
    for equation in (*derivation.equations.values(), *sides):
        if isinstance(equation, sp.Basic):
            used |= equation.free_symbols
    return [entry for entry in sym.notations() if entry.symbol in used]


def _verdict(outcome: Outcome | None) -> str:
    if outcome is None:
        return "ASSUMPTION of the theory: nothing here can be executed"
    return f"checked {outcome.how}" if outcome.passed else f"FAILED ({outcome.how})"


def _as_text(derivation: Derivation, steps: _Listed, value: str | None) -> str:
    parts = [derivation.title, "=" * len(derivation.title), "", _wrapped(derivation.statement)]
    parts += ["", f"Equations (docs/theory.md, {derivation.source})"]
    for name, equation in derivation.equations.items():
        case = case_of(derivation, name)
        parts += ["", f"  {name}{f' ({case})' if case else ''}:", _indented(text(equation), 4)]
    if value is not None:
        parts += ["", f"Value: {value}"]
    parts += ["", "Assumptions"]
    parts += [_wrapped(f"- {assumption}", 2) for assumption in derivation.assumptions]
    for number, (step, outcome) in enumerate(steps, start=1):
        parts += ["", _wrapped(f"Step {number}: {step.rule} [{_verdict(outcome)}]")]
        parts += ["  from", _indented(_side_text(step.before), 4)]
        parts += ["  to", _indented(_side_text(step.after), 4)]
    parts += ["", "Symbols"]
    parts += [_wrapped(f"{e.text}  {e.meaning} ({e.domain})", 2) for e in legend(derivation, steps)]
    return "\n".join(parts) + "\n"


def _as_latex(derivation: Derivation, steps: _Listed, value: str | None) -> str:
    parts = [
        r"\documentclass{article}",
        r"\usepackage{amsmath,amssymb,graphicx}",
        r"\usepackage[margin=2cm]{geometry}",
        # A formula wider than the page is scaled to fit it.
        r"\newcommand{\fit}[1]{\sbox0{$\displaystyle #1$}\[\ifdim\wd0>\linewidth"
        r"\resizebox{\linewidth}{!}{\usebox0}\else\usebox0\fi\]}",
        r"\begin{document}",
        rf"\section*{{{_escaped(derivation.title)}}}",
        _escaped(derivation.statement),
    ]
    for name, equation in derivation.equations.items():
        parts.append(rf"\paragraph{{{_plainly(name)}}} {_regime(derivation, name)}")
        parts.append(_display(latex_rows(equation)))
    if value is not None:
        parts.append(rf"\paragraph{{Value}} {_escaped(value)}")
    parts += [r"\paragraph{Assumptions}", r"\begin{itemize}"]
    parts += [rf"\item {_escaped(assumption)}" for assumption in derivation.assumptions]
    parts.append(r"\end{itemize}")
    for number, (step, outcome) in enumerate(steps, start=1):
        parts.append(rf"\paragraph{{Step {number}}} {_escaped(step.rule)}")
        parts.append(rf"\emph{{({_escaped(_verdict(outcome))})}}")
        parts += [_display(_side_latex(step.before)), _display(r"\to " + _side_latex(step.after))]
    parts += [r"\paragraph{Symbols}", r"\begin{itemize}"]
    parts += [rf"\item ${e.latex}$: {_escaped(e.meaning)}" for e in legend(derivation, steps)]
    parts += [r"\end{itemize}", r"\paragraph{Source}"]
    parts += [
        rf"docs/theory.md of attlas, {_escaped(derivation.source)}, after \cite{{{_SOURCE}}}."
    ]
    parts += [r"\begin{thebibliography}{1}", rf"\bibitem{{{_SOURCE}}} {_CITED}"]
    parts += [r"\end{thebibliography}", *_commented(BIBTEX), r"\end{document}"]
    return "\n".join(parts) + "\n"


def _fragment(derivation: Derivation) -> str:
    """Equations with labels: no preamble, nothing scaled."""
    parts = [f"% {derivation.title} (attlas derive {derivation.key}; needs amsmath)"]
    for name, equation in derivation.equations.items():
        case = case_of(derivation, name)
        label = rf"\label{{eq:{derivation.key}-{name}}}"
        formula = latex(equation)
        for sign in (r" \simeq ", " = "):
            if formula.count(sign) == 1:
                formula = formula.replace(sign, f" &{sign[1:]}")
                break
        parts += [f"% {name}{f': {case}' if case else ''}"]
        parts += [r"\begin{align}", f"  {formula} {label}", r"\end{align}"]
    return "\n".join([*parts, *_commented(BIBTEX)]) + "\n"


def _regime(derivation: Derivation, name: str) -> str:
    case = case_of(derivation, name)
    return f"({_escaped(case)})" if case else ""


def _commented(text: str) -> list[str]:
    return [f"% {line}" for line in text.splitlines()]


def _as_mathml(derivation: Derivation, steps: _Listed, value: str | None) -> str:
    def shown(side: sp.Basic | str) -> str:
        if isinstance(side, str):
            return f"<p>{html.escape(side)}</p>"
        return f"<div>{mathml(side)}</div>"

    title = html.escape(derivation.title)
    parts = [
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
        f"</head><body><h1>{title}</h1><p>{html.escape(derivation.statement)}</p>",
    ]
    parts += [shown(equation) for equation in derivation.equations.values()]
    if value is not None:
        parts.append(f"<p>Value: {html.escape(value)}</p>")
    parts.append("<h2>Assumptions</h2><ul>")
    parts += [f"<li>{html.escape(assumption)}</li>" for assumption in derivation.assumptions]
    parts.append("</ul>")
    for number, (step, outcome) in enumerate(steps, start=1):
        parts.append(f"<h2>Step {number}</h2><p>{html.escape(step.rule)}</p>")
        parts.append(f"<p><em>{html.escape(_verdict(outcome))}</em></p>")
        parts += ["<p>from</p>", shown(step.before), "<p>to</p>", shown(step.after)]
    parts.append("<h2>Symbols</h2><ul>")
    for entry in legend(derivation, steps):
        parts.append(f"<li>{_converted(entry.latex, 'inline')} {html.escape(entry.meaning)}</li>")
    parts.append("</ul></body></html>")
    return "\n".join(parts) + "\n"


def _as_json(derivation: Derivation, steps: _Listed, value: str | None) -> str:
    document = {
        "schema": "attlas/derive/1",
        "target": derivation.key,
        "title": derivation.title,
        "statement": derivation.statement,
        "source": f"docs/theory.md, {derivation.source}",
        "equations": {name: _forms(e) for name, e in derivation.equations.items()},
        "value": value,
        "assumptions": list(derivation.assumptions),
        "steps": [
            {
                "before": _side_forms(step.before),
                "rule": step.rule,
                "after": _side_forms(step.after),
                "assumption": step.is_assumption,
                "passed": None if outcome is None else outcome.passed,
                "how": None if outcome is None else outcome.how,
            }
            for step, outcome in steps
        ],
        "symbols": [describe(entry) for entry in legend(derivation)],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def describe(entry: sym.Notation) -> dict[str, Any]:
    """A symbol as plain data."""
    return {
        "key": entry.key,
        "latex": entry.latex,
        "text": entry.text,
        "kind": entry.kind.value,
        "domain": entry.domain,
        "typical": [str(end) for end in entry.typical],
        "meaning": entry.meaning,
    }


def _converted(formula: str, display: Literal["block", "inline"]) -> str:
    from latex2mathml.converter import convert

    # The converter leaves a bare < as it is, which is not XML.
    return convert(formula.replace("<", r"\lt "), display=display)


def _forms(expression: sp.Basic) -> dict[str, str]:
    return {"text": line(expression), "latex": latex(expression), "mathml": mathml(expression)}


def _side_forms(side: sp.Basic | str) -> dict[str, str]:
    return {"text": side} if isinstance(side, str) else _forms(side)


def _side_text(side: sp.Basic | str) -> str:
    return side if isinstance(side, str) else text(side)


def _side_latex(side: sp.Basic | str) -> str:
    return rf"\text{{{_escaped(side)}}}" if isinstance(side, str) else latex_rows(side)


def _fitted(expression: Any, printer: Any, room: int) -> prettyForm:
    """A picture of at most that width: long sums in rows of terms, within parentheses."""
    whole = printer._print(expression)
    if whole.width() <= room:
        return whole
    if isinstance(expression, sp.Eq):
        left = printer._print(expression.lhs)
        right = _fitted(expression.rhs, printer, room - left.width() - 3)
        sign = " ≃ " if isinstance(expression, Asymptotically) else " = "
        return prettyForm(*stringPict.next(left, sign, right))
    if isinstance(expression, sp.Add):
        return _rows_of_terms(expression, printer, room)
    sums = [factor for factor in expression.args if isinstance(factor, sp.Add)]
    if isinstance(expression, sp.Mul) and sums:
        longest = max(sums, key=lambda one: printer._print(one).width())
        others = printer._print(expression / longest)
        inside = _fitted(longest, printer, room - others.width() - 3)
        return prettyForm(*stringPict.next(others, "⋅", prettyForm(*inside.parens())))
    return whole


def _rows_of_terms(total: Any, printer: Any, room: int) -> prettyForm:
    rows: list[stringPict] = []
    for position, term in enumerate(total.as_ordered_terms()):
        minus = term.could_extract_minus_sign()
        shown = _fitted(-term if minus else term, printer, room - 3)
        sign = "- " if minus else "+ " if position else ""
        last = rows[-1] if rows else None
        if last is not None and last.width() + 3 + shown.width() <= room:
            rows[-1] = stringPict(*stringPict.next(last, f" {sign}", shown))
        else:
            rows.append(stringPict(*stringPict.next(sign, shown)))
    width = max(row.width() for row in rows)
    lines = [line + " " * (width - line_width(line)) for row in rows for line in (*row.picture, "")]
    return prettyForm("\n".join(lines[:-1]), (len(lines) - 1) // 2)


def latex_rows(equation: sp.Basic) -> str:
    """LaTeX with one row for each term, where the right side is a long sum over a number."""
    whole = latex(equation)
    if len(whole) < _LONG or not isinstance(equation, sp.Eq):
        return whole
    right: Any = equation.rhs
    number, rest = right.as_independent(sp.Add, as_Add=False)
    terms = rest.as_ordered_terms()
    if number.free_symbols or len(terms) < 2:
        return whole
    shown = [latex(term) for term in terms]
    rows = shown[0] + "".join(
        r" \\ & \quad {} " + (term if term.startswith("-") else "+ " + term) for term in shown[1:]
    )
    head, opened, closed = latex(equation.lhs), "", ""
    if number != 1:
        opened, closed = latex(number) + r"\Bigl[ ", r" \Bigr]"
    sign = r"\simeq" if isinstance(equation, Asymptotically) else "="
    return rf"\begin{{aligned}} {head} {sign} {{}} & {opened}{rows}{closed} \end{{aligned}}"


def _display(formula: str) -> str:
    return rf"\fit{{{formula}}}"


#: Words of English that are also names of parameters.
_WORDS = {"a", "noise", "tokens", "target", "loss"}


def _escaped(plain: str) -> str:
    """Prose for LaTeX: names of symbols and relations between them as mathematics."""
    names = {entry.key: entry.latex for entry in sym.notations() if entry.key not in _WORDS}
    signs = {"->": r"\to", ">=": r"\ge", "<=": r"\le", ">": ">", "<": "<", "0+": "0^+"}
    pieces = []
    for piece in re.split(r"(\w+(?:\+(?!\w))?|[-<>=]+)", plain):
        formula = names.get(piece) or signs.get(piece)
        pieces.append(f"${formula}$" if formula else _plainly(piece))
    return "".join(pieces)


def _plainly(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "|": r"\textbar{}", "^": r"\^{}", "~": r"\~{}"}
    special |= {character: "\\" + character for character in "&%$#_{}"}
    special |= {">": "$>$", "<": "$<$"}
    return "".join(special.get(character, character) for character in text)


def _indented(block: str, by: int) -> str:
    return "\n".join(" " * by + row for row in block.splitlines())


def _wrapped(plain: str, indent: int = 0) -> str:
    return textwrap.fill(
        plain,
        COLUMNS,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + (2 if indent else 0)),
        break_long_words=False,
    )
