# sympy's own annotations are narrower than what its functions return.
# pyright: reportReturnType=false
"""What ``attlas explain`` answers: any symbol or result key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy as sp

from model.errors import unknown_name
from symbolic import notation as sym
from symbolic.channels import softmax_channel
from symbolic.derivations import linear_derivation, spectrum_derivation
from symbolic.estimators import FACTORISED
from symbolic.free_convolution import WISHART
from symbolic.render import describe, latex, line, mathml, text
from symbolic.state_evolution import state_evolution
from symbolic.thresholds import (
    bands,
    bayes,
    collapse,
    critical_behaviour,
    direct_training,
    interpolation,
    jump,
    linear_reduction,
    perfect_recovery,
    ridgeless,
    small_rank,
)


@dataclass(frozen=True)
class ResultKey:
    """A key of the results that is not one symbol of an equation.

    Attributes
    ----------
    key, meaning, domain, latex, source : str
    formula : sympy.Basic or None
        In the notation's symbols, where it is algebraic; otherwise ``latex`` is the definition.
    """

    key: str
    meaning: str
    domain: str
    latex: str
    source: str
    formula: sp.Basic | None = None


_LABEL_GAP = r"\bigl(\mathrm{softmax}(\beta_0 z_0)-\mathrm{softmax}(\beta z)\bigr)_{ab}^2"

RESULT_KEYS: dict[str, ResultKey] = {
    entry.key: entry
    for entry in (
        ResultKey(
            "rank_fraction",
            "fraction of the learned map's eigenvalues that are not zero",
            "between 0 and 1",
            r"1 - F(\epsilon) = \int_\epsilon^\infty \mu_\delta(dx)",
            "section 6",
        ),
        ResultKey(
            "train_error",
            "mean squared label error on the training samples, summed over the label's entries",
            "0 or more",
            r"\mathbb{E}\sum_{ab}\bigl(y-\mathrm{softmax}(\beta h^*)\bigr)_{ab}^2",
            "section 6",
        ),
        ResultKey(
            "test_error",
            "mean squared error on fresh noisy labels; for T = 1, E (y - h)^2",
            "0 or more",
            rf"\mathbb{{E}}\sum_{{ab}}{_LABEL_GAP},\quad \mathrm{{Var}}\,z_0 = Q_0+\Delta/2",
            "section 6",
        ),
        ResultKey(
            "test_error_clean",
            "mean squared error on fresh labels without noise",
            "0 or more",
            rf"\mathbb{{E}}\sum_{{ab}}{_LABEL_GAP},\quad \mathrm{{Var}}\,z_0 = Q_0",
            "section 6",
        ),
        ResultKey(
            "test_error_plugin",
            "test error of plugging the Bayes-optimal mean score into the softmax; not a lower "
            "bound on the test error",
            "at least test_error",
            rf"\mathbb{{E}}\sum_{{ab}}{_LABEL_GAP},\quad z = \mathbb{{E}}[z_0\mid\omega]",
            "section 12",
        ),
        ResultKey(
            "loss",
            "limit of the minimal loss per squared dimension, min L/d^2: the free energy at the "
            "solution",
            "0 or more",
            r"\Phi",
            "section 3",
            sp.Eq(sp.Symbol("loss"), sym.phi, evaluate=False),
        ),
        ResultKey(
            "replicon",
            "stability of the solution: below 1 it is stable; the smooth part only, see "
            "multi_minima_weight",
            "0 or more",
            r"2\alpha\,\langle\mathrm{Tr}\,C r' C r'\rangle\,\hat\Sigma^{-2}\iint\Bigl[\frac{"
            r"(x-\epsilon)_+-(y-\epsilon)_+}{x-y}\Bigr]^2\mu_\delta(dx)\mu_\delta(dy)",
            "section 10",
        ),
        ResultKey(
            "multi_minima_weight",
            "share of samples whose proximal problem has two minima; zero where sigma beta^2 is "
            "below the unimodality bound",
            "between 0 and 1",
            r"\Pr[\text{the proximal problem has two minima}]",
            "section 10",
        ),
    )
}

#: What a user may also type for a symbol.
_ALIASES = {entry.text: entry.key for entry in sym.notations()} | {
    entry.latex.lstrip("\\"): entry.key for entry in sym.notations()
}


@dataclass(frozen=True)
class Explanation:
    """What a symbol or key is.

    Attributes
    ----------
    key, meaning, domain, kind : str
    symbol_latex, symbol_text : str
    equations : tuple of (str, sympy.Basic)
        Where it stands alone on the left: (derivation, equation).
    definition_latex : str
        For a result key that is a mean rather than an algebraic formula.
    appears_in : tuple of str
        ``attlas derive`` targets and other results whose equations contain it.
    source : str
    """

    key: str
    meaning: str
    domain: str
    kind: str
    symbol_latex: str
    symbol_text: str
    equations: tuple[tuple[str, sp.Basic], ...]
    definition_latex: str
    appears_in: tuple[str, ...]
    source: str


def explain(key: str) -> Explanation:
    """What any symbol or result key is, its equation, its meaning and where it appears.

    Parameters
    ----------
    key : str
        A name (``q_hat``), its Unicode text (``q̂``), its LaTeX without the backslash, or a result
        key (``rank_fraction``).

    Raises
    ------
    BadInput
        For an unknown key; names the nearest.
    """
    known = {entry.key for entry in sym.notations()}
    name = key if key in known or key in RESULT_KEYS else _ALIASES.get(key.lstrip("\\"), key)
    if name in RESULT_KEYS:
        return _explain_result(RESULT_KEYS[name])
    if name not in known:
        raise unknown_name("explain", key, sorted(known | set(RESULT_KEYS)))
    return _explain_symbol(sym.notation(name))


def _explain_result(entry: ResultKey) -> Explanation:
    equations = () if entry.formula is None else (("state-evolution", entry.formula),)
    return Explanation(
        key=entry.key,
        meaning=entry.meaning,
        domain=entry.domain,
        kind="result",
        symbol_latex=rf"\texttt{{{entry.key}}}".replace("_", r"\_"),
        symbol_text=entry.key,
        equations=equations,
        definition_latex=entry.latex,
        appears_in=("results of solve and simulate",),
        source=f"docs/theory.md, {entry.source}",
    )


def _explain_symbol(entry: sym.Notation) -> Explanation:
    stands, appears, source = [], [], ""
    for name, (equations, where) in _corpus().items():
        here = [e for e in equations if entry.symbol in e.free_symbols]
        if here:
            appears.append(name)
        alone = [e for e in here if isinstance(e, sp.Eq) and e.lhs == entry.symbol]
        stands += [(name, e) for e in alone]
        if (alone or here) and not source:
            source = where
    return Explanation(
        key=entry.key,
        meaning=entry.meaning,
        domain=entry.domain,
        kind=entry.kind.value,
        symbol_latex=entry.latex,
        symbol_text=entry.text,
        equations=tuple(stands),
        definition_latex="",
        appears_in=tuple(appears),
        source=f"docs/theory.md, {source or 'section 1'}",
    )


@cache
def _corpus() -> dict[str, tuple[tuple[sp.Basic, ...], str]]:
    """Every equation of every derivation, by where it comes from."""
    parts = state_evolution(softmax_channel(2), FACTORISED)
    own = [sp.Eq(sym.phi, parts.free_energy, evaluate=False)]
    for group in (parts.display, parts.definitions):
        own += [sp.Eq(left, right, evaluate=False) for left, right in group.items()]
    own.append(sp.Eq(sym.mse, sym.q - 2 * sym.m + sym.q0, evaluate=False))
    own.append(sp.Eq(sym.q_label, sym.q0 + sym.noise / 2, evaluate=False))
    own.append(sp.Eq(sym.a, sym.alpha * sym.label_rank, evaluate=False))
    own.append(sp.Eq(sym.lam_tilde, sp.sqrt(sym.kappa) * sym.lam, evaluate=False))
    own.append(sp.Eq(sym.label_rank, (sym.tokens**2 + sym.tokens - 2) / 2, evaluate=False))
    corpus = {"state-evolution": (tuple(own), "section 3")}
    for build in _DERIVATIONS:
        derivation = build()
        corpus[derivation.key] = (tuple(derivation.equations.values()), derivation.source)
    return corpus


_DERIVATIONS: tuple[Callable[[], Any], ...] = (
    ridgeless,
    interpolation,
    perfect_recovery,
    critical_behaviour,
    jump,
    bayes,
    linear_derivation,
    linear_reduction,
    collapse,
    bands,
    small_rank,
    direct_training,
    lambda: spectrum_derivation(WISHART),
)


def explain_text(key: str) -> str:
    """The explanation as plain text."""
    found = explain(key)
    rows = [
        f"{found.key}  ({found.symbol_text})",
        f"  {found.meaning}",
        f"  kind: {found.kind}; domain: {found.domain}",
    ]
    if found.definition_latex:
        rows.append(f"  definition: {found.definition_latex}")
    for name, equation in found.equations:
        rows.append(f"  in {name}:")
        rows += ["    " + row for row in text(equation).splitlines()]
    rows.append(f"  appears in: {', '.join(found.appears_in)}")
    rows.append(f"  source: {found.source}")
    return "\n".join(rows) + "\n"


def explain_document(key: str) -> dict[str, Any]:
    """The explanation as plain data for JSON."""
    found = explain(key)
    entry = next((e for e in sym.notations() if e.key == found.key), None)
    return {
        "key": found.key,
        "meaning": found.meaning,
        "kind": found.kind,
        "domain": found.domain,
        "latex": found.symbol_latex,
        "text": found.symbol_text,
        "notation": None if entry is None else describe(entry),
        "definition": found.definition_latex or None,
        "equations": [
            {"in": name, "text": line(e), "latex": latex(e), "mathml": mathml(e)}
            for name, e in found.equations
        ],
        "appears_in": list(found.appears_in),
        "source": found.source,
    }
