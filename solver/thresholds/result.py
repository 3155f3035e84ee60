"""What a threshold is returned as."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ThresholdStatus(Enum):
    """How the search for a threshold ended; the value tells the user what to do."""

    FOUND = "Found: all digits shown are correct."
    ENCLOSED = "Found and proven: the exact value lies within the radius of the digits shown."
    NOT_ENCLOSED = (
        "Found, but the enclosure could not be proven at this precision: the digits agree between "
        "two precisions; try other `digits`."
    )
    LIMITED = (
        "Found to fewer digits than asked: the integrals are in double precision; the digits "
        "shown are those that their error bar supports."
    )
    ABSENT = "There is no such threshold here; the statement says why."

    @property
    def ok(self) -> bool:
        """Whether the answer can be used as it stands."""
        return self is not ThresholdStatus.NOT_ENCLOSED


@dataclass(frozen=True)
class ThresholdStats:
    """What it cost: wall seconds and the number of digits worked with."""

    seconds: float
    working_digits: int


@dataclass(frozen=True)
class ThresholdResult:
    """A threshold as decimal text, so that no digit is lost.

    Attributes
    ----------
    name : str
    alpha : str or None
        The threshold in samples over d^2, with exactly ``digits`` significant digits; None where
        there is none, or where the threshold is in another parameter.
    alpha_times_D : str or None
        alpha D, which does not depend on the number of tokens.
    digits : int
        Significant digits of the numbers shown.
    certified : bool
        Whether interval arithmetic proved existence and uniqueness within ``radius``.
    radius : str or None
        Proven bound on the distance from ``alpha`` (``lam`` for collapse) to the exact threshold.
    statement : str
        What happens at the threshold, or why there is none.
    status : ThresholdStatus
    stats : ThresholdStats
    lam : str or None
        The weight decay beyond which S = 0, for collapse.
    """

    name: str
    alpha: str | None
    alpha_times_D: str | None
    digits: int
    certified: bool
    radius: str | None
    statement: str
    status: ThresholdStatus
    stats: ThresholdStats
    lam: str | None = None
