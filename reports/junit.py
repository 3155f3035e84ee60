"""A suite's verdicts as JUnit XML, which continuous-integration systems show."""

from __future__ import annotations

import math
from xml.etree import ElementTree

from attlas.reports.drift import Drift
from attlas.reports.headline import precision
from attlas.verify.judgement import ControlVerdict, Outcome, Verdict
from attlas.verify.suite.result import ClaimResult, SuiteResult


def junit(result: SuiteResult, drift: Drift | None = None) -> str:
    """One test suite a claim, one test case a comparison and a control.

    An unexpected disagreement and an accepted control are failures; what is undecided or has no
    theory is skipped, with what would decide it. With a baseline, drift has a suite of its own.
    """
    root = ElementTree.Element("testsuites", name=f"attlas {result.suite}")
    for claim in result.claims:
        suite = ElementTree.SubElement(root, "testsuite", name=claim.claim.id)
        for verdict in claim.verdicts:
            _comparison(suite, result, claim, verdict)
        for control in claim.controls:
            _control(suite, result, claim, control)
    if drift is not None:
        _drift(ElementTree.SubElement(root, "testsuite", name="baseline"), result, drift)
    for suite in root:
        _count(suite, result.started)
    _count(root, None)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _case(parent: ElementTree.Element, result: SuiteResult, group: str, name: str, seconds: float):
    return ElementTree.SubElement(
        parent,
        "testcase",
        classname=f"attlas.{result.suite}.{group}",
        name=name,
        time=f"{seconds:.3f}",
    )


def _comparison(
    parent: ElementTree.Element, result: SuiteResult, claim: ClaimResult, verdict: Verdict
) -> None:
    point = next(one for one in claim.points if one.point.key == verdict.point)
    # A point's runs serve all of its quantities.
    seconds = math.fsum(row.seconds for row in point.rows) / len(claim.claim.quantities)
    name = f"{verdict.point}: {claim.claim.quantity(verdict.quantity).name}"
    case = _case(parent, result, claim.claim.id, name, seconds)
    if verdict.outcome is Outcome.DISAGREES and not verdict.expected:
        failure = ElementTree.SubElement(case, "failure", message=precision(verdict))
        failure.text = verdict.reason
    elif verdict.outcome in (Outcome.UNDECIDED, Outcome.NO_THEORY):
        skipped = ElementTree.SubElement(case, "skipped", message=precision(verdict))
        skipped.text = verdict.reason
    ElementTree.SubElement(case, "system-out").text = precision(verdict)


def _control(
    parent: ElementTree.Element, result: SuiteResult, claim: ClaimResult, control: ControlVerdict
) -> None:
    case = _case(parent, result, claim.claim.id, f"control {control.control} is rejected", 0.0)
    if not control.rejected:
        said = claim.claim.control(control.control).statement
        ElementTree.SubElement(
            case, "failure", message="a wrong theory was not rejected"
        ).text = said


def _drift(parent: ElementTree.Element, result: SuiteResult, drift: Drift) -> None:
    for name, lines in (
        ("theory has not drifted", [_line(c) for c in drift.flagged_theory]),
        ("simulation has not drifted", [_line(c) for c in drift.flagged_simulation]),
        ("no verdict is lost", [f"{c.where}: {c.old} -> {c.new}" for c in drift.worse]),
    ):
        case = _case(parent, result, "baseline", name, 0.0)
        if lines:
            failure = ElementTree.SubElement(case, "failure", message=f"{len(lines)} flagged")
            failure.text = "\n".join(lines)


def _line(change) -> str:
    return f"{change.where}, {change.quantity}: {change.old!r} -> {change.new!r}"


def _count(element: ElementTree.Element, started: str | None) -> None:
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("errors", "0")
    element.set("time", f"{math.fsum(float(case.get('time', 0)) for case in cases):.3f}")
    if started is not None:
        element.set("timestamp", started)
