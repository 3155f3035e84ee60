"""The equations that a claim rests on, as the symbolic part of attlas derives them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from attlas.model import parameters_of
from attlas.model.parameters import files_of
from attlas.reports.commands import command
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
    """What a claim rests on: a derivation; of a user's own, what it states, and their model's."""
    if claim.equation:
        return equations(claim.equation)
    stated = (claim.latex,) if claim.latex else ()
    source = claim.file or "stated in Python"
    problem = claim.points[0].problem
    if not files_of(problem):
        return Equations(claim.title, source, stated, (), "")
    flat = parameters_of(problem)
    model = {name: str(flat[name]) for name in ("channel", "tokens", "training") if name in flat}
    derived = equations("state-evolution", **model)
    return replace(derived, title=claim.title, source=source, latex=(*stated, *derived.latex))


@cache
def equations(target: str, **given: str) -> Equations:
    """The equations of a derivation.

    Parameters
    ----------
    target : str
        One of ``attlas.symbolic.derive.TARGETS``.
    **given : str
        Parameters that are put in.
    """
    from attlas.symbolic.derive import derivation_of
    from attlas.symbolic.render import latex, legend

    derivation = derivation_of(target, given)
    return Equations(
        title=derivation.title,
        source=f"theory.md, {derivation.source}",
        latex=tuple(latex(equation) for equation in derivation.equations.values()),
        symbols=tuple(Symbol(entry.latex, entry.meaning) for entry in legend(derivation)),
        command=command(f"derive {target}", {**given, "steps": True}),
    )
