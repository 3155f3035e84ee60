"""The suites: which claims are run, and within what time."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.model.errors import unknown_name
from attlas.verify.claims import CLAIMS, Claim


@dataclass(frozen=True)
class Suite:
    """A set of claims with designs of one size.

    Attributes
    ----------
    name : str
    purpose : str
        In words.
    minutes : float
        Time it should take on a machine with two cores.
    """

    name: str
    purpose: str
    minutes: float

    def claims(self) -> tuple[Claim, ...]:
        """The claims that have a design for this suite."""
        return tuple(claim for claim in CLAIMS.values() if self.name in claim.designs)


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("quick", "small dimensions; shows that everything works and rejects controls", 3),
        Suite("standard", "more points, seeds and sizes; decides most questions", 30),
        Suite("full", "large dimensions and many seeds, for a GPU or a cluster", 600),
    )
}


def suite(name: str) -> Suite:
    """The suite of a name.

    Raises
    ------
    BadInput
        If there is none; the nearest name is given.
    """
    if name not in SUITES:
        raise unknown_name("suite", name, SUITES)
    return SUITES[name]
