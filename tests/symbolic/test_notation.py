"""The notation names every symbol once."""

from __future__ import annotations

import sympy as sp

from attlas.symbolic import notation as sym


def test_names_latex_and_text_are_unique() -> None:
    entries = sym.notations()
    for field in ("key", "symbol", "latex", "text"):
        values = [getattr(entry, field) for entry in entries]
        assert len(values) == len(set(values)), field


def test_overlaps_and_conjugates_differ_in_symbol_and_kind() -> None:
    for overlap, conjugate in (("q", "q_hat"), ("m", "m_hat"), ("sigma", "sigma_hat")):
        first, second = sym.notation(overlap), sym.notation(conjugate)
        assert first.symbol != second.symbol
        assert first.kind is sym.Kind.OVERLAP
        assert second.kind is sym.Kind.CONJUGATE


def test_typical_ranges_respect_the_assumptions() -> None:
    for entry in sym.notations():
        low, high = entry.typical
        assert low < high, entry.key
        if entry.symbol.is_nonnegative:
            assert low >= 0, entry.key
        assert entry.meaning
        assert entry.domain


def test_a_foreign_symbol_of_the_same_name_is_not_mistaken() -> None:
    assert sym.of_symbol(sp.Symbol("u", real=True)) is None
    assert sym.of_symbol(sym.u) is sym.notation("u")
