"""The equations that a claim rests on, as the symbolic part of attlas derives them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from attlas.verify.claims import Claim


@dataclass(frozen=True)
class Symbol:
    """A symbol of the equations and what it stands for."""

    latex: str
    meaning: str


@dataclass(frozen=True)
class Equations:
    """A derivation as a report shows it.

    Attributes
    ----------
    title, source : str
    latex : tuple of str
        The equations, the main one first.
    symbols : tuple of Symbol
    command : str
        Prints the whole derivation, with its steps checked.
    """

    title: str
    source: str
    latex: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    command: str


def equations_of(claim: Claim) -> Equations:
    """What a claim rests on: a derivation, or what a user's own states of itself."""
    if claim.equation:
        return equations(claim.equation)
    latex = (claim.latex,) if claim.latex else ()
    return Equations(claim.title, claim.file or "stated in Python", latex, (), "")


@cache
def equations(target: str) -> Equations:
    """The equations of a derivation.

    Parameters
    ----------
    target : str
        One of ``attlas.symbolic.derive.TARGETS``.
    """
    from attlas.symbolic.derive import derivation_of
    from attlas.symbolic.render import latex, legend

    derivation = derivation_of(target)
    return Equations(
        title=derivation.title,
        source=f"theory.md, {derivation.source}",
        latex=tuple(latex(equation) for equation in derivation.equations.values()),
        symbols=tuple(Symbol(entry.latex, entry.meaning) for entry in legend(derivation)),
        command=f"attlas derive {target} --steps",
    )
