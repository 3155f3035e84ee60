"""Which statements of the theory a suite tests, and which it does not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from attlas.reports.equations import equations
from attlas.verify.claims import CLAIMS, Claim, Statement
from attlas.verify.suite.result import ClaimResult, SuiteResult
from attlas.verify.suite.suites import SUITES


class State(Enum):
    """Where a statement is tested."""

    HERE = "tested here"
    ELSEWHERE = "tested by another suite"
    NOWHERE = "not tested by any claim"


#: Statements of theory.md that no claim tests yet: a report lists them too.
UNTESTED: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Coverage:
    """A statement and where it is tested.

    Attributes
    ----------
    statement : Statement
    here : tuple of ClaimResult
        Its claims in this suite.
    elsewhere : dict from claim to str
        Its other claims: the suites that hold them, and why this one does not.
    """

    statement: Statement
    here: tuple[ClaimResult, ...]
    elsewhere: Mapping[str, str]

    @property
    def state(self) -> State:
        """Whether and where it is tested."""
        if self.here:
            return State.HERE
        return State.ELSEWHERE if self.elsewhere else State.NOWHERE


def coverage(result: SuiteResult) -> tuple[Coverage, ...]:
    """Every statement of the theory in the order of theory.md, tested by the suite or not."""
    mine = {claim.claim.id: claim for claim in result.claims}
    stated: dict[Statement, list[Claim]] = {statement: [] for statement in UNTESTED}
    for one in (CLAIMS | {id_: claim.claim for id_, claim in mine.items()}).values():
        if one.formula is None:  # a conjecture of a user's is no statement of the theory
            stated.setdefault(_statement(one), []).append(one)
    return tuple(
        Coverage(
            statement=statement,
            here=tuple(mine[one.id] for one in claims if one.id in mine),
            elsewhere={
                one.title: _where(one, result.suite)
                for one in claims
                if one.id not in mine and one.designs
            },
        )
        for statement, claims in sorted(stated.items(), key=lambda item: _place(item[0]))
    )


def _where(claim: Claim, suite: str) -> str:
    """ "in standard, full", and the reason of a suite that leaves a claim out."""
    where = f"in {', '.join(name for name in SUITES if name in claim.designs)}"
    return f"{where}. {claim.absent[suite]}" if suite in claim.absent else where


def _statement(claim: Claim) -> Statement:
    """What a claim says it covers; else its title, beside the sections of its equation."""
    return claim.covers or Statement(_section(claim), f"{claim.title}.")


def _place(statement: Statement) -> tuple[int, str]:
    """The first section: "13b" follows 13, and what has none comes last."""
    found = re.match(r"(\d+)(\w*)", statement.section)
    return (int(found[1]), found[2]) if found else (1_000, "")


def _section(claim: Claim) -> str:
    """ "theory.md, sections 7 and 8" gives "7, 8"."""
    words = equations(claim.equation).source.replace(",", " ").split()
    return ", ".join(word for word in words if word[0].isdigit())
