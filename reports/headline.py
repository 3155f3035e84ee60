"""The sentences at the top of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attlas.reports.numbers import count, percent
from attlas.verify.judgement import Outcome, State, Verdict
from attlas.verify.suite.result import SuiteResult


def headline(result: SuiteResult) -> tuple[str, str]:
    """(state, sentence): state is "failed", "passed" or "open"."""
    if result.accepted_controls:
        names = ", ".join(control.control for control in result.accepted_controls)
        return "failed", (
            f"This suite proves nothing: a deliberately wrong theory was not rejected ({names})."
        )
    if result.unexpected:
        return "failed", f"Theory and runs disagree in {tally(result.unexpected)}."
    if all(v.outcome is Outcome.UNDECIDED for v in result.verdicts):
        return "open", "Nothing is decided yet: there are too few runs."
    return "passed", "Wherever this suite has the power to decide, runs agree with theory."


def summary(result: SuiteResult) -> str:
    """How many comparisons ended how."""
    controls = len(result.controls)
    rejected = controls - len(result.accepted_controls)
    theories = count(controls, "deliberately wrong theory", "deliberately wrong theories")
    were = "was" if rejected == 1 else "were"
    wrong = f" {rejected} of {theories} {were} rejected by the same runs." if controls else ""
    return f"Of {count(len(result.verdicts), 'comparison')}, {tally(result.verdicts)}.{wrong}"


def tally(verdicts: Sequence[Verdict]) -> str:
    """ "13 agree, 7 are undecided"."""
    numbers = Counter(verdict.state for verdict in verdicts)
    return ", ".join(
        f"{numbers[state]} {one if numbers[state] == 1 else many}"
        for state, (one, many) in _VERBS.items()
        if numbers[state]
    )


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
