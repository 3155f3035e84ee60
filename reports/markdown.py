"""A suite's outcome as Markdown, short enough for a pull request."""

from __future__ import annotations

from statistics import median

from attlas.reports.commands import suite_command
from attlas.reports.coverage import State as Tested
from attlas.reports.coverage import coverage
from attlas.reports.drift import Drift
from attlas.reports.headline import agreement, headline, precision, summary, tally
from attlas.reports.numbers import percent
from attlas.verify.claims import CLAIMS
from attlas.verify.judgement import State
from attlas.verify.suite.result import ClaimResult, SuiteResult

_SIGNS = {"passed": "✅", "failed": "❌", "open": "❔"}
#: Most lines of a list; the report has all.
_MOST = 20


def markdown(result: SuiteResult, drift: Drift | None = None) -> str:
    """Headline, claims, what failed, and drift from a baseline where one was given."""
    state, sentence = headline(result)
    lines = [
        f"## {_SIGNS[state]} attlas, {result.suite} suite",
        "",
        f"**{agreement(result.verdicts, result.controls)}**",
        "",
        f"{sentence} {summary(result)}",
        "",
        *_table(
            ("claim", "verdict", "comparisons", "agree to within", "wrong theories rejected"),
            [
                (
                    claim.claim.title,
                    claim.outcome.value,
                    tally(claim.verdicts),
                    _within(claim),
                    f"{sum(c.rejected for c in claim.controls)} of {len(claim.controls)}",
                )
                for claim in result.claims
            ],
        ),
        *_failures(result),
        *_not_asked(result),
        _covered(result),
        "",
        *(_drift(drift) if drift is not None else ()),
        f"`{suite_command(result)}` made it: {result.rows_made} runs made, "
        f"{result.rows_reused} reused, on {result.device}.",
    ]
    return "\n".join(lines) + "\n"


def _within(claim: ClaimResult) -> str:
    """The margins that runs establish: the median, and the widest."""
    margins = [v.margin for v in claim.verdicts if v.state in (State.AGREES, State.WIDER)]
    if not margins:
        return "–"
    middle, widest = (percent(size, signed=False) for size in (median(margins), max(margins)))
    return f"{middle} (widest {widest})"


def _covered(result: SuiteResult) -> str:
    entries = coverage(result)
    here = sum(entry.state is Tested.HERE for entry in entries)
    lines = [f"It tests {here} of {len(entries)} statements of the theory."]
    lines += [
        f"- {claim.title} is left out: {claim.absent[result.suite]}"
        for claim in CLAIMS.values()
        if result.suite in claim.absent
    ]
    return "\n".join(lines)


def _not_asked(result: SuiteResult) -> list[str]:
    """Reasons why comparisons were left out, by claim; the report names the comparisons."""
    lines = [
        f"- {claim.claim.title}, {sum(map(len, points.values()))}: {reason}"
        for claim in result.claims
        for reason, points in claim.reasons.items()
    ]
    return ["### Not asked, before the runs", "", *lines, ""] if lines else []


def _failures(result: SuiteResult) -> list[str]:
    lines = [f"- {v.claim}, {v.point}, {v.quantity} {precision(v)}" for v in result.unexpected]
    lines += [
        f"- {c.claim}: the control {c.control} is not rejected" for c in result.accepted_controls
    ]
    return ["### What failed", "", *_shortened(lines), ""] if lines else []


def _drift(drift: Drift) -> list[str]:
    flagged = [*drift.flagged_theory, *drift.flagged_simulation]
    lines = [f"### {'❌' if drift.exit_code else '✅'} Since the baseline", "", drift.sentence, ""]
    if flagged:
        rows = [
            (change.where, change.quantity, f"{change.old:.10g}", f"{change.new:.10g}")
            for change in flagged
        ]
        lines += _table(("where", "quantity", "was", "is"), rows)
    if drift.verdicts:
        changes = [
            f"- {change.where}: {change.old} → {change.new}{' (lost)' if change.worse else ''}"
            for change in drift.verdicts
        ]
        lines += [*_shortened(changes), ""]
    timings = ", ".join(f"{one.what} × {one.ratio:.2f}" for one in drift.timings)
    return [*lines, f"Time over that of the baseline: {timings}.", ""]


def _shortened(lines: list[str]) -> list[str]:
    rest = len(lines) - _MOST
    return [*lines[:_MOST], f"- and {rest} more"] if rest > 0 else lines


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    shown = rows[:_MOST]
    lines = [_row(head), _row(("---",) * len(head)), *(_row(row) for row in shown)]
    if len(rows) > _MOST:
        lines += ["", f"and {len(rows) - _MOST} more"]
    return [*lines, ""]


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
