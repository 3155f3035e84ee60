"""Margins, committed from theory alone before any run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from attlas.solver.solution import Observables
from attlas.verify.claims.claim import Claim, Point, Quantity, Solve


@dataclass(frozen=True)
class Margin:
    """The committed margin of a quantity at a point.

    Attributes
    ----------
    point, quantity : str
    value : float
        Relative half-width of the band: the smaller of the quantity's cap and half the distance to
        the nearest control that can be told apart there.
    cap : float
        The quantity's cap.
    theory : float
        The quantity in the limit d -> infinity; NaN where theory has no solution.
    distances : dict of str to float
        (wrong theory - theory)/theory of each control that applies there; infinite where the
        wrong theory has no solution.
    """

    point: str
    quantity: str
    value: float
    cap: float
    theory: float
    distances: dict[str, float]

    @property
    def blind(self) -> tuple[str, ...]:
        """The controls nearer to theory than the cap.

        Telling them apart here would take a margin below half the cap, finer than finite-size
        corrections allow. They must be rejected by other quantities or at other points, and do
        not shrink the margin here.
        """
        return tuple(id_ for id_, value in self.distances.items() if abs(value) < self.cap)


def commit_margins(claim: Claim, points: Iterable[Point], solve: Solve) -> tuple[Margin, ...]:
    """Margins of all quantities of a claim at the points of a suite.

    Parameters
    ----------
    claim : Claim
    points : iterable of Point
    solve : callable
        The limit of a problem, or None where it has no solution.
    """
    margins: list[Margin] = []
    for point in points:
        theory = claim.limit(point.problem, solve)
        wrong = {
            control.id: control.limit(point.problem, solve)
            for control in claim.controls
            if control.where(point.problem)
        }
        margins.extend(_margin(point, quantity, theory, wrong) for quantity in claim.quantities)
    return tuple(margins)


def _margin(
    point: Point,
    quantity: Quantity,
    theory: Observables | None,
    wrong: dict[str, Observables | None],
) -> Margin:
    right = getattr(theory, quantity.key, None)
    distances = {id_: _distance(values, right, quantity.key) for id_, values in wrong.items()}
    telling = [abs(value) for value in distances.values() if abs(value) >= quantity.cap]
    return Margin(
        point=point.key,
        quantity=quantity.key,
        value=min([quantity.cap, *(value / 2 for value in telling)]),
        cap=quantity.cap,
        theory=math.nan if right is None else right,
        distances=distances,
    )


def _distance(values: Observables | None, right: float | None, key: str) -> float:
    wrong = getattr(values, key, None)
    return math.inf if wrong is None or not right else (wrong - right) / right
