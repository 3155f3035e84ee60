"""The page: a template filled with a suite's result."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from attlas.reports import numbers
from attlas.reports.commands import claim_command, point_commands, suite_command
from attlas.reports.coverage import coverage
from attlas.reports.drift import Drift
from attlas.reports.equations import equations_of
from attlas.reports.headline import (
    INTERVAL,
    WORDS,
    agreement,
    headline,
    standing,
    summary,
    tally,
)
from attlas.reports.naming import parameters_text
from attlas.reports.page.claim_figures import panels
from attlas.reports.page.forest import MARKS, legend_mark, moves, reach, strip, through
from attlas.reports.page.mathml import mathml
from attlas.reports.page.pictures import gallery
from attlas.reports.page.points import point_styles
from attlas.reports.page.svg import classed
from attlas.reports.trends import trends
from attlas.verify.judgement import ControlVerdict, Verdict
from attlas.verify.suite.result import ClaimResult, SuiteResult

#: Where the style sheet of the drawings goes, which is known when all are there.
_DRAWN = "/*drawn*/"
#: Pixels of the forest plot, in equal parts for each claim, whose lines have a least height.
_ROOM = 800.0
#: Where the scale of what has moved ends, in units of what is allowed.
_DRIFT_END = 2.0
_TEMPLATES = Path(__file__).parent / "templates"


def page(result: SuiteResult, drift: Drift | None = None) -> str:
    """The whole page as HTML that needs nothing else: no network, no script.

    Parameters
    ----------
    result : SuiteResult
    drift : Drift, optional
        What has changed since a baseline.
    """
    style = (_TEMPLATES / "style.css").read_text(encoding="utf-8")
    rests = {claim.claim.id: equations_of(claim.claim) for claim in result.claims}
    text = (
        _environment()
        .get_template("report.html.j2")
        .render(
            result=result,
            style=Markup(style) + _DRAWN,
            state=headline(result)[0],
            sentence=headline(result)[1],
            summary=summary(result),
            agreement=agreement(result.verdicts, result.controls),
            reach=reach(result.verdicts),
            room=_ROOM / len(result.claims),
            marks=[state for state in MARKS if state in {one.state for one in result.verdicts}],
            figures={
                claim.claim.id: panels(claim, claim.claim.quantities) for claim in result.claims
            },
            galleries={claim.claim.id: gallery(result, claim) for claim in result.claims},
            equations=rests,
            firsts={one.title: key for key, one in reversed(rests.items())},
            coverage=coverage(result),
            drift=drift,
            drift_end=_DRIFT_END,
            trends=trends(result),
            styles={claim.claim.id: point_styles(claim) for claim in result.claims},
        )
    )
    text, drawn = classed(text)
    return text.replace(_DRAWN, drawn, 1)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        value=numbers.value,
        percent=numbers.percent,
        rounded=numbers.rounded_percent,
        probability=numbers.probability,
        duration=numbers.duration,
        inline_math=lambda latex: Markup(mathml(latex)),
        block_math=lambda latex: Markup(mathml(latex, display="block")),
        strip=lambda *given: Markup(strip(*given)),
        through=lambda *given: Markup(through(*given)),
        moves=lambda *given: Markup(moves(*given)),
        legend_mark=lambda state: Markup(legend_mark(state)),
        standing=standing,
        parameters=parameters_text,
        tally=tally,
        safe_svg=Markup,
        sentence_case=_sentence_case,
        seeds=_seeds,
        strongest=_strongest,
        blind=_blind,
    )
    environment.globals.update(
        count=numbers.count,
        agree=agreement,
        interval=INTERVAL,
        words=WORDS,
        claim_command=claim_command,
        point_commands=point_commands,
        suite_command=suite_command,
    )
    return environment


def _sentence_case(text: str) -> str:
    """The first letter in upper case, the others as they are: "Plain Adam"."""
    return text[:1].upper() + text[1:]


def _seeds(verdict: Verdict) -> str:
    """Runs at each dimension: "24: 12, 40: 8"."""
    return ", ".join(f"{d}: {n}" for d, n in zip(verdict.sizes, verdict.seeds, strict=True))


def _strongest(control: ControlVerdict) -> Verdict | None:
    """The comparison that speaks most clearly against a wrong theory."""
    return control.verdicts[0] if control.verdicts and control.verdicts[0].coefficients else None


def _blind(claim: ClaimResult, control: str) -> int:
    """In how many comparisons a wrong theory cannot be told apart."""
    return sum(control in margin.blind for point in claim.points for margin in point.margins)
