"""A target of finitely many spikes on a background."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from attlas.model.errors import BadInput
from attlas.model.exact import Number, decimal_text, positive, several, whole
from attlas.model.fields import read_fields
from attlas.model.targets.grammar import TARGETS, target_from
from attlas.model.targets.target import Target


@TARGETS.register
@dataclass(frozen=True, init=False)
class Spiked(Target):
    """S0 with a few eigenvalues ("spikes") beside those of a background.

    Parameters
    ----------
    spikes : sequence of number > 0
        Eigenvalues of S0 itself, in any order; a repeated one is a spike of that multiplicity.
    background : Wishart, Atoms or None
        A Wishart background fills the spectrum as d grows, and spikes are a vanishing share of
        it: they change no order parameter. With given eigenvalues (a file), or with none, the
        target is finite: every eigenvalue counts 1/d, spikes as well.
    d : int, optional
        Token dimension on an empty background, more than the number of spikes. With given
        eigenvalues d is their number and that of the spikes.

    Notes
    -----
    theory.md section 9. Eigenvectors are Haar-distributed.
    """

    spikes: tuple[Fraction, ...]
    background: Target | None
    d: int | None

    name: ClassVar[str] = "spiked"
    by_value: ClassVar[bool] = True

    def __init__(
        self,
        spikes: Iterable[Number],
        background: Target | None = None,
        d: Number | None = None,
    ) -> None:
        shown = "spikes"
        given = sorted((_spike(shown, spike) for spike in several(shown, spikes)), reverse=True)
        if not given:
            raise BadInput(shown, None, "one or more numbers greater than 0, as in spikes=2/1.5")
        object.__setattr__(self, "spikes", tuple(given))
        object.__setattr__(self, "background", background)
        object.__setattr__(self, "d", _dimension(len(given), background, d))

    @property
    def dimension(self) -> int | None:
        return self.d

    @property
    def isolated(self) -> tuple[Fraction, ...]:
        return self.spikes

    @property
    def eigenvalues(self) -> tuple[float, ...] | None:
        """All d eigenvalues, descending; None on a Wishart background, which is for any d."""
        if self.d is None:
            return None
        rest = self.background.eigenvalues or () if self.background else ()
        values = [*map(float, self.spikes), *rest]
        return tuple(sorted(values + [0.0] * (self.d - len(values)), reverse=True))

    def grammar(self) -> str:
        text = f"{self.name}:spikes={'/'.join(map(decimal_text, self.spikes))}"
        if self.background is None:
            return f"{text},d={self.d}"
        return f"{text},background={self.background.grammar()}"

    @classmethod
    def from_grammar(cls, text: str) -> Self:
        """Read ``spikes=2/1.5`` with ``d=200``, or with ``background=TARGET``, which comes last."""
        given = read_fields(
            cls.name, text, known=("spikes", "d", "background"), last=("background",)
        )
        if "spikes" not in given:
            raise BadInput(
                "target", f"{cls.name}:{text}", "spikes is required, as in spikes=2/1.5,d=200"
            )
        named = given.get("background", "empty")
        empty, _, rest = named.partition(",")
        if empty == "empty":
            given |= read_fields(cls.name, rest, known=("d",))
        background = None if empty == "empty" else target_from(named)
        return cls(given["spikes"].split("/"), background, given.get("d"))


def _spike(shown: str, value: Number) -> Fraction:
    """One spike; its text must not need the slash, which separates spikes."""
    spike = positive(shown, value)
    if "/" in decimal_text(spike):
        raise BadInput(shown, value, "must be a decimal number of at most 15 digits")
    return spike


def _dimension(count: int, background: Target | None, d: Number | None) -> int | None:
    shown = "d"
    if background is None:
        if d is None:
            raise BadInput(
                shown, None, "the token dimension is required on an empty background", "or give one"
            )
        return whole(shown, d, at_least=count + 1)
    known = background.by_value or background.wishart_ratio is not None
    if background.isolated or not known:
        raise BadInput(
            "background",
            background.name,
            "must be empty, wishart:kappa0=0.1, file:PATH or atoms:2/1.5",
        )
    if background.eigenvalues is None:
        if d is not None:
            raise BadInput(
                shown,
                d,
                "is not part of a target on a Wishart background",
                "give the problem its `d`",
            )
        return None
    total = count + len(background.eigenvalues)
    if d is not None and whole(shown, d, at_least=1) != total:
        raise BadInput(shown, d, f"must be {total}, the spikes and the background's eigenvalues")
    return total
