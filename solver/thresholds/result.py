"""What a threshold is returned as."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Result


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
class ThresholdResult(Result):
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

    name: Annotated[str, Key("the threshold that was asked for", "text", theory_md("7"))]
    alpha: Annotated[
        str | None,
        Key(
            "the threshold in samples over d^2; absent where there is none or it is in another "
            "parameter",
            "greater than 0, decimal text",
            theory_md("7"),
            Definition("a/D, see alpha_times_D", "a/D"),
        ),
    ]
    alpha_times_D: Annotated[
        str | None,
        Key(
            "the threshold in samples counted in combinations of scores: the same for any tokens",
            "greater than 0, decimal text",
            theory_md("7"),
            Definition("a = α D, D = (T² + T − 2)/2, 1 for T = 1", r"a = \alpha D"),
        ),
    ]
    digits: Annotated[
        int, Key("significant digits of the numbers shown", "15 to 1000", theory_md("7"))
    ]
    certified: Annotated[
        bool,
        Key(
            "whether interval arithmetic proved existence and uniqueness within radius",
            "true or false",
            theory_md("7"),
        ),
    ]
    radius: Annotated[
        str | None,
        Key(
            "proven bound on the distance of the number shown from the exact threshold",
            "greater than 0, decimal text",
            theory_md("7"),
        ),
    ]
    statement: Annotated[
        str, Key("what happens at the threshold, or why there is none", "text", theory_md("7"))
    ]
    status: ThresholdStatus
    stats: ThresholdStats
    lam: Annotated[
        str | None,
        Key(
            "collapse: the penalty beyond which the learned map is zero",
            "greater than 0, decimal text",
            theory_md("9"),
            Definition(
                "λ̃_max/√κ, λ̃_max = m̂₀ x_top(δ₀)/2 with the hats at Σ = q = m = 0",
                r"\hat m_0\,x_{\mathrm{top}}(\delta_0)/(2\sqrt\kappa)",
            ),
        ),
    ] = None
