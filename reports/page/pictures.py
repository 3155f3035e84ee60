"""Pictures of particular claims, besides the figures that every claim has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attlas.reports.page.rivals_figure import NAMES, learning_curves
from attlas.reports.page.rivals_panel import families, rows
from attlas.reports.page.spectrum_panel import spectrum_panel
from attlas.solver.learned_spectrum import spectrum
from attlas.solver.solution import SolveError
from attlas.verify.suite.result import ClaimResult, SuiteResult


@dataclass(frozen=True)
class Table:
    """What a picture shows, in numbers."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Gallery:
    """The pictures of a claim.

    Attributes
    ----------
    heading, text : str
        What they show, and how to read them.
    figures : tuple of (str, str)
        An ``<svg>`` and its caption.
    tables : tuple of Table
    """

    heading: str
    text: str
    figures: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...] = ()


def gallery(result: SuiteResult, claim: ClaimResult) -> Gallery | None:
    """The pictures of a claim, drawn from stored rows and theory; None if it has none."""
    return GALLERIES[claim.claim.picture](result, claim) if claim.claim.picture else None


_RIVALS = "Factorised against direct training"


def _rivals(result: SuiteResult, claim: ClaimResult) -> Gallery | None:
    figures, tables = [], []
    for index, family in enumerate(families(result, claim)):
        try:
            rivals = family.rivals()
        except SolveError as error:  # a picture must not cost the report of a long suite
            return Gallery(_RIVALS, f"The theory of this figure could not be solved: {error}", ())
        name = f"{claim.claim.id}-rivals-{index}"
        settings = f"κ₀ = {rivals.kappa0:g}, Δ = {rivals.noise:g}"
        figures.append(
            (learning_curves(rivals, name, family.runs), f"Test error at {settings}, two tokens.")
        )
        tables.append(
            Table(
                f"Theory of the test error at each training's own best penalty, {settings}",
                (
                    "α",
                    *(NAMES[key] for key in rivals.curves),
                    "Bayes-optimal",
                    "floor over the least",
                ),
                tuple(tuple(row) for row in rows(rivals)),
            )
        )
    if not figures:
        return None
    return Gallery(
        heading=_RIVALS,
        text=(
            "Lines are the theory of each way of training at its own best penalty, solved for "
            "this report; the dashed line is the Bayes-optimal floor, which no training passes. "
            "Marks are the suite's runs, extrapolated to infinite dimension with their 90 % "
            "intervals, at the penalty written beside them; the short bar through a mark is the "
            "theory at that penalty, which lies above the line by what the penalty costs. The "
            "advantage of factors is one of low rank: with little data the positive map can win."
        ),
        figures=tuple(figures),
        tables=tuple(tables),
    )


def _spectra(result: SuiteResult, claim: ClaimResult) -> Gallery:  # noqa: ARG001
    figures = []
    for index, point in enumerate(claim.points):
        law = spectrum(point.point.problem, raise_on_failure=False)
        if not law.status.ok:
            continue
        verdicts = {v.quantity: v for v in claim.verdicts if v.point == point.point.key}
        name = f"{claim.claim.id}-law-{index}"
        caption = f"η = {law.eta:.3g}, δ = {law.delta:.3g}, ε = {law.epsilon:.3g}."
        figures.append((spectrum_panel(law, verdicts, point.point.key, name), caption))
    return Gallery(
        heading="Predicted spectra",
        text=(
            "The law of the learned eigenvalues at infinite dimension: the arrow is the atom at "
            "zero, filled bands are the bulk and the signal, stems are outliers. Marks are what "
            "the runs measured, extrapolated, with 90 % intervals; dotted lines are their "
            "predictions."
        ),
        figures=tuple(figures),
    )


#: What a claim may ask for as its ``picture``.
GALLERIES: dict[str, Callable[[SuiteResult, ClaimResult], Gallery | None]] = {
    "rivals": _rivals,
    "spectra": _spectra,
}
