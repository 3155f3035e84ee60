"""The sentences at the top of a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attlas.reports.numbers import count
from attlas.verify.judgement import Outcome, Verdict
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
    numbers = Counter(
        "departed as declared" if verdict.expected else verdict.outcome.value
        for verdict in verdicts
    )
    verbs = {
        "agrees": ("agrees", "agree"),
        "disagrees": ("disagrees", "disagree"),
        "departed as declared": ("departs as declared", "depart as declared"),
        "undecided": ("is undecided", "are undecided"),
        "no-theory": ("has no theory", "have no theory"),
    }
    return ", ".join(
        f"{numbers[key]} {one if numbers[key] == 1 else many}"
        for key, (one, many) in verbs.items()
        if numbers[key]
    )
