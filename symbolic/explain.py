"""What ``attlas explain`` answers: any symbol or result key."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import sympy as sp

from attlas.model.errors import BadInput
from attlas.model.result_key import Definition, ResultKey
from attlas.symbolic import notation as sym
from attlas.symbolic.corpus import case_of, corpus
from attlas.symbolic.definition import DEFINITIONS

#: What a user may also type for a symbol.
_ALIASES = {entry.text: entry.key for entry in sym.notations()} | {
    entry.latex.lstrip("\\"): entry.key for entry in sym.notations()
}
#: Most names that a refusal suggests.
_NEAREST = 4


@dataclass(frozen=True)
class Catalogue:
    """What commands print, which rooms above this one know.

    Attributes
    ----------
    keys : dict from str to tuple of ResultKey
        By name, the meanings of a key.
    symbols : dict from str to tuple of str
        Symbols of the notation that are keys with the same meaning, and their commands.
    """

    keys: Mapping[str, tuple[ResultKey, ...]] = field(default_factory=dict)
    symbols: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


#: The notation alone.
SYMBOLS = Catalogue()


@dataclass(frozen=True)
class Standing:
    """An equation with the symbol, or a power of it, alone on its left.

    Attributes
    ----------
    where, title, section : str
        Key, title and section of theory.md of the derivation.
    case : str
        When it holds, where the derivation has several; otherwise empty.
    equation : sympy.Eq
    """

    where: str
    title: str
    section: str
    case: str
    equation: Any

    @property
    def label(self) -> str:
        """Tells it apart from the symbol's other equations."""
        return f"{self.title}, {self.case}" if self.case else self.title


@dataclass(frozen=True)
class Explanation:
    """What a symbol or key is.

    Attributes
    ----------
    key, meaning, domain, kind : str
    symbol_latex, symbol_text : str
    equations : tuple of Standing
        No two with the same label.
    definition : Definition or None
        A mean, integral or limit, where that is what it is.
    appears_in : tuple of str
        Keys of the derivations whose equations contain it.
    printed_by : tuple of str
        Commands whose results hold it.
    source : str
    also : tuple of Explanation
        What else the name means, as a key of other commands.
    """

    key: str
    meaning: str
    domain: str
    kind: str
    symbol_latex: str
    symbol_text: str
    equations: tuple[Standing, ...]
    definition: Definition | None
    appears_in: tuple[str, ...]
    printed_by: tuple[str, ...]
    source: str
    also: tuple[Explanation, ...] = ()


def explain(key: str, known: Catalogue = SYMBOLS) -> Explanation:
    """What any symbol or result key is, its equation, its meaning and where it appears.

    Parameters
    ----------
    key : str
        A name (``q_hat``), its Unicode text (``q̂``), its LaTeX without the backslash, or a result
        key (``rank_fraction``), also with ``error_`` before it or `` +-`` behind it. Spaces count
        as underscores.
    known : Catalogue
        The result keys beside the symbols.

    Raises
    ------
    BadInput
        For an unknown key; names the nearest.
    """
    symbols = {entry.key for entry in sym.notations()}
    name = key if key in symbols or key in known.keys else _ALIASES.get(key.lstrip("\\"), key)
    if (joined := "_".join(name.split())) in symbols or joined in known.keys:
        name = joined
    senses = [_of_result(entry) for entry in known.keys.get(name, ())]
    if name in symbols:
        senses.insert(0, _of_symbol(sym.notation(name), known))
    elif not senses and (bar := _error_bar(name, known)) is not None:
        senses.append(_of_result(bar))
    if not senses:
        raise _unknown(key, known)
    return replace(senses[0], also=tuple(senses[1:]))


def names(known: Catalogue = SYMBOLS) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """All names with their meanings, in groups: symbols by kind, keys by command."""
    for kind in sym.Kind:
        yield (
            f"symbols, {kind.value}",
            [(one.key, one.meaning) for one in sym.notations() if one.kind is kind],
        )
    verbs = dict.fromkeys(v for senses in known.keys.values() for one in senses for v in one.verbs)
    for verb in verbs:
        found = [
            (one.key, one.meaning)
            for senses in known.keys.values()
            for one in senses
            if one.verbs[0] == verb
        ]
        if found:
            yield f"result keys, {verb}", found


def _error_bar(name: str, known: Catalogue) -> ResultKey | None:
    """The key of an error bar, by the name of what it belongs to."""
    base, verb, what = name.removeprefix("error_"), "sweep", "absolute error bar"
    if name.endswith(" +-"):
        base, verb, what = name.removesuffix(" +-"), "scaling", "standard error"
    if base == name or base not in (*known.symbols, *known.keys):
        return None
    found = explain(base, known)
    printed = next((one for one in (found, *found.also) if verb in one.printed_by), None)
    if printed is None:
        return None
    return ResultKey(f"{what} of {base}", "0 or more", printed.source, key=name, verbs=(verb,))


def _unknown(name: str, catalogue: Catalogue) -> BadInput:
    known = [*(entry.key for entry in sym.notations()), *catalogue.keys]
    folded = {one.lower(): one for one in reversed(known)}
    near = difflib.get_close_matches(name.lower(), folded, n=_NEAREST, cutoff=0.6)
    meant = f"did you mean {' or '.join(folded[one] for one in near)}? " if near else ""
    return BadInput(
        "explain",
        name,
        "must be a symbol or a result key",
        f"{meant}attlas explain without a name lists all",
    )


def _of_result(entry: ResultKey) -> Explanation:
    escaped = entry.key.replace("_", r"\_")
    return Explanation(
        key=entry.key,
        meaning=entry.meaning,
        domain=entry.domain,
        kind="result",
        symbol_latex=rf"\texttt{{{escaped}}}",
        symbol_text=entry.key,
        equations=(),
        definition=entry.definition,
        appears_in=(),
        printed_by=entry.verbs,
        source=entry.source,
    )


def _left_of(equation: Any) -> Any:
    """What stands on the left of an equation, without a power of it; None for other formulas."""
    if not isinstance(equation, sp.Eq):
        return None
    left: Any = equation.lhs
    return left.as_base_exp()[0]


def _of_symbol(entry: sym.Notation, known: Catalogue) -> Explanation:
    stands: list[Standing] = []
    appears: list[str] = []
    for source in corpus():
        here = {n: e for n, e in source.equations.items() if entry.symbol in e.free_symbols}
        if here:
            appears.append(source.key)
        stands += [
            Standing(source.key, source.title, source.section, case_of(source, name), equation)
            for name, equation in here.items()
            if _left_of(equation) == entry.symbol
        ]
    return Explanation(
        key=entry.key,
        meaning=entry.meaning,
        domain=entry.domain,
        kind=entry.kind.value,
        symbol_latex=entry.latex,
        symbol_text=entry.text,
        equations=tuple(stands),
        definition=DEFINITIONS.get(entry.key),
        appears_in=tuple(appears),
        printed_by=known.symbols.get(entry.key, ()),
        source=f"docs/theory.md, section {entry.section}",
    )
