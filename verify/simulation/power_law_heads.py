"""Trained heads of power-law targets."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.model import Problem
from attlas.verify.simulation.result import Run
from attlas.verify.simulation.simulate import simulate


def heads_of(
    problem: Problem, d: int, seeds: int | Sequence[int], *, overlaps: bool = False
) -> tuple[Run, ...]:
    """Train a head for each seed; none where there are no seeds.

    Convex losses are trained by proximal gradient on the map, which proves their minimum;
    others by gradients on its factor. Theory is not solved beside them.

    Parameters
    ----------
    problem : Problem
    d : int
    seeds : int or sequence of int
    overlaps : bool
        Keep the squared overlaps of eigenvectors.

    Raises
    ------
    SimulationError
        If a run did not meet its certificate.
    """
    if not seeds:
        return ()
    return simulate(
        problem,
        d=d,
        seeds=seeds,
        algorithm="fista" if problem.channel.convex else "adam",
        device="cpu",
        paired=False,
        overlaps=overlaps,
    ).runs
