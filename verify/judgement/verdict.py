"""What the judge says, and every number it says it from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from attlas.verify.judgement.rate import Rate


class State(Enum):
    """An outcome in full: what was declared is told apart, and *undecided* is split in three."""

    AGREES = "agrees"
    #: The runs establish a margin, wider than was wanted, and nothing speaks against theory.
    WIDER = "wider"
    #: The interval excludes theory, and what was wanted is not excluded.
    TENSION = "in-tension"
    #: The runs allow no extrapolation with an honest error bar, and so no margin.
    OPEN = "open"
    DISAGREES = "disagrees"
    EXPECTED = "departs-as-declared"
    NO_THEORY = "no-theory"


class Outcome(Enum):
    """The four things a comparison of theory with runs can say."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNDECIDED = "undecided"
    NO_THEORY = "no-theory"


@dataclass(frozen=True)
class Verdict:
    """One quantity at one point of one claim, judged.

    All deviations are relative, (measured - paired theory)/theory, extrapolated to d -> infinity.

    Attributes
    ----------
    claim, point, quantity : str
    outcome : Outcome
    expected : bool
        True for a departure that the claim declares, found inside its declared band.
    margin : float
        What the runs do establish: the deviation is at most this far from the middle of the band
        (zero, unless a departure is declared). All margins of a suite hold at once with the
        level's confidence. Infinite where the runs allow no honest fit.
    reason : str
        One sentence: why this outcome, and for an undecided one what would decide.
    low, high : float
        The band that the deviation is tested against: minus and plus the committed margin, or the
        declared band of an expected departure.
    sizes, seeds : tuple of int
        Dimensions d, and the number of converged runs at each.
    failed_runs : int
        Runs that did not converge, left out of the fit.
    deviation, standard_error, dof : float
        Extrapolated deviation, its standard error over seeds, degrees of freedom of the latter.
    interval : (float, float)
        The interval at the test's level without correction for multiplicity (90 % at level 0.05),
        widened by the systematic error.
    systematic : float
        Error of the deviation that no seeds reduce: the theory's own error bars, and the power of
        1/d left out of the fit.
    coefficients : tuple of float
        Of powers 0, 1, ... of 1/d in the fit; the first is the deviation.
    order : int
        Highest power of 1/d in the fit, 1 or 2.
    goodness_of_fit : float
        p-value of the fit: the chance of a larger chi-square if the deviations follow its powers of
        1/d; NaN where there are too few sizes to test it.
    chi_square, fit_dof : float, int
        Its chi-square and degrees of freedom.
    power : float
        Chance that runs like these find agreement if theory is exactly right (for a declared
        departure: if it is in the middle of its band), beside the other comparisons as they are.
    detectable : float
        Deviation beyond the band's middle that runs like these find outside with chance 0.8.
    rate : Rate
        How fast the deviations fall with d, if their limit is zero.
    p_agree, p_disagree : float
        Raw p-values of "inside the band" (two one-sided tests) and of "outside the band".
    p_agree_step_up, p_disagree_holm : float
        The same, corrected over the suite: by Hochberg's step-up, and by Holm.
    """

    claim: str
    point: str
    quantity: str
    outcome: Outcome
    reason: str
    low: float
    high: float
    expected: bool = False
    sizes: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    failed_runs: int = 0
    deviation: float = float("nan")
    standard_error: float = float("nan")
    dof: float = float("nan")
    interval: tuple[float, float] = (float("nan"), float("nan"))
    margin: float = float("inf")
    systematic: float = float("nan")
    coefficients: tuple[float, ...] = ()
    order: int = 0
    goodness_of_fit: float = float("nan")
    chi_square: float = float("nan")
    fit_dof: int = 0
    power: float = 0.0
    detectable: float = float("inf")
    rate: Rate = field(default_factory=Rate)
    p_agree: float = 1.0
    p_disagree: float = 1.0
    p_agree_step_up: float = 1.0
    p_disagree_holm: float = 1.0

    @property
    def wanted(self) -> float:
        """Half-width of the band: the margin that was committed before the runs."""
        return (self.high - self.low) / 2

    @property
    def state(self) -> State:
        """The outcome in full."""
        if self.expected:
            return State.EXPECTED
        if self.outcome is not Outcome.UNDECIDED:
            return State(self.outcome.value)
        if math.isinf(self.margin):
            return State.OPEN
        # What theory expects is zero, or where a departure is declared anything in its band.
        low, high = (self.low, self.high) if self.low * self.high > 0 else (0.0, 0.0)
        excluded = self.interval[0] > high or self.interval[1] < low
        return State.TENSION if excluded else State.WIDER


def overall(verdicts: tuple[Verdict, ...]) -> Outcome:
    """The outcome of a claim from those of its parts.

    An unexpected disagreement anywhere decides; agreement needs every part to agree (or to depart
    as declared); everything else is undecided.
    """
    if any(v.outcome is Outcome.DISAGREES and not v.expected for v in verdicts):
        return Outcome.DISAGREES
    if verdicts and all(v.outcome is Outcome.NO_THEORY for v in verdicts):
        return Outcome.NO_THEORY
    if verdicts and all(v.outcome is Outcome.AGREES or v.expected for v in verdicts):
        return Outcome.AGREES
    return Outcome.UNDECIDED
