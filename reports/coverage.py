"""Which statements of the theory a suite tests, and which it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from attlas.reports.equations import equations
from attlas.verify.claims import CLAIMS, Claim
from attlas.verify.suite.result import ClaimResult, SuiteResult
from attlas.verify.suite.suites import SUITES


class State(Enum):
    """Where a statement is tested."""

    HERE = "tested here"
    ELSEWHERE = "tested by another suite"
    NOWHERE = "not tested by any claim"


@dataclass(frozen=True)
class Statement:
    """A statement of the theory that runs could contradict.

    Attributes
    ----------
    section : str
        Of theory.md.
    text : str
        In plain words.
    claims : tuple of str
        Ids of the claims that test it; empty where none does.
    """

    section: str
    text: str
    claims: tuple[str, ...] = ()


#: In the order of theory.md. Claims that are not named here are added by their own source.
STATEMENTS: tuple[Statement, ...] = (
    Statement("1", "Learning attention matrices or attended tokens has one limit.", ("seq2seq",)),
    Statement(
        "1",
        "Tokens need not be Gaussian: which laws share the limit, and which do not.",
        ("universality",),
    ),
    Statement(
        "2",
        "Weight decay on tied or untied factors is a nuclear norm of the map.",
        ("nuclear-norm", "untied-factors"),
    ),
    Statement("3, 6", "Loss, errors and overlaps of a trained head.", ("learning-curve",)),
    Statement("4", "More than two tokens enter through one more channel.", ("many-tokens",)),
    Statement(
        "6, 9",
        "The spectrum of the trained map, its bands and outliers.",
        ("spectrum",),
    ),
    Statement("7", "Where labels can no longer be fitted exactly.", ("interpolation",)),
    Statement("7", "Where the target is recovered exactly.", ("perfect-recovery",)),
    Statement("8", "The height of the error peak at interpolation.", ("ridgeless-peak",)),
    Statement("9", "The penalty beyond which nothing is learned.", ("collapse",)),
    Statement("10", "Message passing follows state evolution step by step.", ("amp-tracking",)),
    Statement(
        "10",
        "Gradient training, message passing and proximal gradient reach one minimum.",
        ("global-minimum",),
    ),
    Statement("11", "Direct training of the map under a ridge.", ("direct-training",)),
    Statement(
        "11",
        "Where factorised training beats direct training, each at its best penalty.",
        ("factorised-against-direct",),
    ),
    Statement("12", "The Bayes-optimal floor that no training passes.", ("bayes-floor",)),
    Statement(
        "13",
        "The error splits into overfitting, underfitting, approximation, mismatch.",
        ("decomposition",),
    ),
    Statement(
        "13b", "A student narrower than the rank that the penalty wants.", ("width-limited",)
    ),
    Statement(
        "14",
        "Directions of a power-law target are learned one after another.",
        ("sequential-recovery",),
    ),
    Statement("14", "Exponents of the scaling laws in every phase.", ("scaling-exponents",)),
)


@dataclass(frozen=True)
class Coverage:
    """A statement and where it is tested.

    Attributes
    ----------
    statement : Statement
    here : tuple of ClaimResult
        Its claims in this suite.
    elsewhere : dict from claim to tuple of str
        Its other claims, and the suites that hold them.
    """

    statement: Statement
    here: tuple[ClaimResult, ...]
    elsewhere: Mapping[str, tuple[str, ...]]

    @property
    def state(self) -> State:
        """Whether and where it is tested."""
        if self.here:
            return State.HERE
        return State.ELSEWHERE if self.elsewhere else State.NOWHERE


def coverage(result: SuiteResult) -> tuple[Coverage, ...]:
    """Every statement of the theory, tested by the suite or not."""
    mine = {claim.claim.id: claim for claim in result.claims}
    known = [*CLAIMS.values(), *(claim.claim for claim in result.claims)]
    return tuple(
        Coverage(
            statement=statement,
            here=tuple(mine[id_] for id_ in statement.claims if id_ in mine),
            elsewhere={
                CLAIMS[id_].title: _suites(CLAIMS[id_])
                for id_ in statement.claims
                if id_ not in mine and id_ in CLAIMS and _suites(CLAIMS[id_])
            },
        )
        for statement in (
            *STATEMENTS,
            *_unnamed(known),
        )
    )


def _suites(claim: Claim) -> tuple[str, ...]:
    return tuple(name for name in SUITES if name in claim.designs)


def _unnamed(claims: Iterable[Claim]) -> list[Statement]:
    """Claims that no statement names, as statements of their own."""
    named = {id_ for statement in STATEMENTS for id_ in statement.claims}
    rest = {claim.id: claim for claim in claims if claim.id not in named}
    return [Statement(_section(claim), f"{claim.title}.", (claim.id,)) for claim in rest.values()]


def _section(claim: Claim) -> str:
    """ "theory.md, sections 7 and 8" gives "7, 8"."""
    words = equations(claim.equation).source.replace(",", " ").split()
    return ", ".join(word for word in words if word[0].isdigit())
