"""Margins, committed from theory alone before any run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from model import Problem
from solver.solution import Solution
from verify.claims.claim import Claim, Control, Point, Quantity

#: A control nearer to theory than this, relatively, is blind to a quantity at a point: no feasible
#: number of runs would tell the two apart there. It must be rejected elsewhere.
BLIND = 0.01

#: Solves a problem for its limit; the only way in which margins see numbers.
Solve = Callable[[Problem], Solution]


@dataclass(frozen=True)
class Margin:
    """The committed margin of a quantity at a point.

    Attributes
    ----------
    point, quantity : str
    value : float
        Relative half-width of the band: the smaller of the quantity's cap and half the distance to
        the nearest control that can be told apart there.
    theory : float
        The quantity in the limit d -> infinity.
    distances : dict of str to float
        (wrong theory - theory)/theory of each control; infinite where the wrong theory has no
        solution.
    """

    point: str
    quantity: str
    value: float
    theory: float
    distances: dict[str, float]

    @property
    def blind(self) -> tuple[str, ...]:
        """The controls that cannot be told apart here."""
        return tuple(id_ for id_, value in self.distances.items() if abs(value) < BLIND)


def commit_margins(claim: Claim, points: Iterable[Point], solve: Solve) -> tuple[Margin, ...]:
    """Margins of all quantities of a claim at the points of a suite.

    Parameters
    ----------
    claim : Claim
    points : iterable of Point
    solve : callable
        ``solver.solve``; what it raises for the right theory is passed on.
    """
    margins: list[Margin] = []
    for point in points:
        theory = solve(point.problem)
        wrong = {
            control.id: control_theory(control, point.problem, solve) for control in claim.controls
        }
        margins.extend(_margin(point, quantity, theory, wrong) for quantity in claim.quantities)
    return tuple(margins)


def control_theory(control: Control, problem: Problem, solve: Solve) -> Solution | None:
    """The wrong theory of a problem, or None where it has no solution."""
    try:
        return solve(control.wrong(problem))
    except (ArithmeticError, RuntimeError):
        return None


def _margin(
    point: Point, quantity: Quantity, theory: Solution, wrong: dict[str, Solution | None]
) -> Margin:
    right = getattr(theory, quantity.key)
    distances = {
        id_: math.inf if solution is None else (getattr(solution, quantity.key) - right) / right
        for id_, solution in wrong.items()
    }
    telling = [abs(value) for value in distances.values() if abs(value) >= BLIND]
    return Margin(
        point=point.key,
        quantity=quantity.key,
        value=min([quantity.cap, *(value / 2 for value in telling)]),
        theory=right,
        distances=distances,
    )
