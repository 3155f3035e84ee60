"""State evolution followed step by step from message passing's own start."""

from __future__ import annotations

from dataclasses import dataclass

from attlas.model import Problem, require_isotropic, require_problem
from attlas.model.errors import BadInput
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.state_evolution import StateEvolution, coordinates


@dataclass(frozen=True)
class TrajectoryPoint:
    """Where one iteration leads.

    Attributes
    ----------
    overlaps : Overlaps
        q, m and sigma after the iteration.
    conjugates : Conjugates
        q_hat, m_hat and sigma_hat in it.
    """

    overlaps: Overlaps
    conjugates: Conjugates


@dataclass(frozen=True)
class Trajectory:
    """State evolution from (q, m, sigma) = (0, 0, sigma_start).

    Attributes
    ----------
    points : tuple of TrajectoryPoint
        One an iteration.
    error : float
        Largest relative change of q, m and sigma, over all points, when the integrals are refined
        by one level; 0 where they are in closed form.
    """

    points: tuple[TrajectoryPoint, ...]
    error: float


def trajectory(
    problem: Problem,
    steps: int,
    *,
    sigma_start: float = 1.0,
    damping: float = 0.0,
    rtol: float = 1e-4,
) -> Trajectory:
    """Follow the map of theory.md section 3 from where message passing starts.

    Parameters
    ----------
    problem : Problem
    steps : int >= 1
    sigma_start : float > 0
    damping : float in [0, 1)
        Weight of the old overlaps in the new ones. The undamped trajectory is the theory of
        undamped message passing (theory.md section 10). The damped one has the same fixed points,
        but damped message passing has memory, and follows it only roughly before they are reached.
    rtol : float > 0
        The integrals are refined until q, m and sigma change by no more than this, relatively.

    Raises
    ------
    BadInput
        If a parameter is out of range.
    solver.fixed_point.LeftDomain
        If the iteration leaves the domain of the equations.
    """
    if steps < 1:
        raise BadInput("steps", steps, "must be 1 or more")
    if not sigma_start > 0:
        raise BadInput("sigma_start", sigma_start, "must be greater than 0")
    if not 0 <= damping < 1:
        raise BadInput("damping", damping, "must be at least 0 and below 1")
    system = StateEvolution.of(require_problem(problem, any_tokens=True))
    require_isotropic(problem, "message passing is of isotropic tokens")
    points = _follow(system, steps, sigma_start, damping, 0)
    error = 0.0
    for level in range(1, system.kernel.finest + 1):
        finer = _follow(system, steps, sigma_start, damping, level)
        points, error = finer, _distance(points, finer)
        if error <= rtol:
            break
    return Trajectory(points, error)


def _distance(points: tuple[TrajectoryPoint, ...], finer: tuple[TrajectoryPoint, ...]) -> float:
    """Largest relative change of the overlaps."""
    return max(
        abs(getattr(one.overlaps, key) / getattr(other.overlaps, key) - 1)
        for one, other in zip(points, finer, strict=True)
        for key in ("q", "m", "sigma")
        if getattr(other.overlaps, key) != 0
    )


def _follow(
    system: StateEvolution, steps: int, sigma_start: float, damping: float, level: int
) -> tuple[TrajectoryPoint, ...]:
    overlaps = Overlaps(q=0.0, m=0.0, sigma=sigma_start, traces=system.revealed.scaled(0.0))
    points = []
    for _ in range(steps):
        conjugates = system.conjugates(system.moments(overlaps, level), overlaps.traces)
        new = system.state(coordinates(conjugates)).overlaps
        overlaps = Overlaps(
            q=(1 - damping) * new.q + damping * overlaps.q,
            m=(1 - damping) * new.m + damping * overlaps.m,
            sigma=(1 - damping) * new.sigma + damping * overlaps.sigma,
            traces=tuple(
                (1 - damping) * one + damping * old
                for one, old in zip(new.traces, overlaps.traces, strict=True)
            ),
        )
        points.append(TrajectoryPoint(overlaps, conjugates))
    return tuple(points)
