"""The sentences at the top of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from attlas.reports.numbers import count, percent, rounded_percent
from attlas.verify.judgement import LEVEL, ControlVerdict, Outcome, State, Verdict
from attlas.verify.suite.result import SuiteResult

#: Two one-sided tests at a level are one interval of this confidence.
INTERVAL = f"{100 * (1 - 2 * LEVEL):.0f}\u00a0%"


def headline(result: SuiteResult) -> tuple[str, str]:
    """(state, sentence): state is "failed", "passed" or "open"."""
    if result.accepted_controls:
        names = ", ".join(control.control for control in result.accepted_controls)
        return "failed", (
            f"This suite proves nothing: a deliberately wrong theory was not rejected ({names})."
        )
    if result.unexpected:
        found = count(len(result.unexpected), "comparison")
        return "failed", f"Theory and runs disagree in {found}."
    if all(v.outcome is Outcome.UNDECIDED for v in result.verdicts):
        return "open", "Nothing is decided yet: there are too few runs."
    return "passed", "Wherever this suite has the power to decide, runs agree with theory."


def agreement(verdicts: Sequence[Verdict], controls: Sequence[ControlVerdict] = ()) -> str:
    """How well theory and runs agree, in one sentence; and what became of the wrong theories.

    Deviations are those at infinite dimension; departures that a claim declares are no measure of
    the theory, and counted apart.
    """
    seen = [one for one in verdicts if one.coefficients and not one.expected]
    declared = sum(one.expected for one in verdicts)
    parts = [f"{count(len(verdicts), 'comparison')} with trained heads"]
    if seen:
        sizes = np.abs([one.deviation for one in seen])
        inside = np.mean([one.interval[0] <= 0 <= one.interval[1] for one in seen])
        parts[0] += (
            f": typical deviation {rounded_percent(float(np.median(sizes)))}, "
            f"{100 * inside:.0f}\u00a0% of the {INTERVAL} intervals contain zero, "
            f"largest deviation {rounded_percent(float(sizes.max()))}"
        )
    if declared:
        parts.append(f"{count(declared, 'departure')} from it declared beforehand")
    if controls:
        rejected = sum(control.rejected for control in controls)
        theories = "wrong theory" if len(controls) == 1 else "wrong theories"
        parts.append(f"{rejected} of {len(controls)} {theories} rejected")
    return "; ".join(parts) + "."


def summary(result: SuiteResult) -> str:
    """How many comparisons ended how, and how many the design did not ask for."""
    ended = f"Of {count(len(result.verdicts), 'comparison')}, {tally(result.verdicts)}."
    left = sum(len(claim.not_asked) for claim in result.claims)
    if not left:
        return ended
    return (
        f"{ended} {count(left, 'other')} {'is' if left == 1 else 'are'} not asked, by design and "
        "before the runs: each claim says which and why."
    )


def tally(verdicts: Sequence[Verdict]) -> str:
    """ "13 agree, 7 are undecided"."""
    numbers = Counter(verdict.state for verdict in verdicts)
    return ", ".join(
        f"{numbers[state]} {one if numbers[state] == 1 else many}"
        for state, (one, many) in _VERBS.items()
        if numbers[state]
    )


def standing(verdicts: Sequence[Verdict]) -> State:
    """The state of a claim: that of its least convincing comparison."""
    found = {verdict.state for verdict in verdicts}
    return next((state for state in _WORST_FIRST if state in found), State.OPEN)


_WORST_FIRST = (
    State.DISAGREES,
    State.TENSION,
    State.OPEN,
    State.WIDER,
    State.AGREES,
    State.EXPECTED,
    State.NO_THEORY,
)

#: A state as a badge says it.
WORDS = {
    State.AGREES: "agrees",
    State.WIDER: "agrees, to a wider margin",
    State.TENSION: "in tension",
    State.OPEN: "open",
    State.DISAGREES: "disagrees",
    State.EXPECTED: "departs as declared",
    State.NO_THEORY: "no theory",
}

_VERBS = {
    State.AGREES: ("agrees", "agree"),
    State.DISAGREES: ("disagrees", "disagree"),
    State.EXPECTED: ("departs as declared", "depart as declared"),
    State.WIDER: ("agrees to a wider margin than wanted", "agree to a wider margin than wanted"),
    State.TENSION: ("is in tension", "are in tension"),
    State.OPEN: ("is open", "are open"),
    State.NO_THEORY: ("has no theory", "have no theory"),
}


def precision(verdict: Verdict) -> str:
    """What a comparison establishes, in words: "agrees to within 1.30 % (2.00 % wanted)"."""
    margin, wanted = (percent(size, signed=False) for size in (verdict.margin, verdict.wanted))
    low, high = (percent(end) for end in verdict.interval)
    off = f"off by {percent(verdict.deviation)} ({low} to {high})"
    match verdict.state:
        case State.AGREES | State.WIDER:
            return f"agrees to within {margin} ({wanted} wanted)"
        case State.TENSION:
            return f"in tension: {off}, at most {margin} ({wanted} wanted)"
        case State.EXPECTED:
            return f"departs as declared: {off}"
        case State.DISAGREES:
            return f"disagrees: {off}, allowed {percent(verdict.low)} to {percent(verdict.high)}"
        case _:
            return f"{verdict.outcome.value}: {verdict.reason}"
