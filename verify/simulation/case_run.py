"""The one run that a case asks for."""

from __future__ import annotations

from attlas.model import Problem
from attlas.verify.simulation.result import Run
from attlas.verify.simulation.simulate import simulate
from attlas.verify.store.case import Case


def run_of(
    case: Case,
    problem: Problem | None = None,
    *,
    device: str = "auto",
    overlaps: bool = False,
    initialisation: str = "large",
) -> Run:
    """Train a case's head; whether it converged is for the caller to see.

    Parameters
    ----------
    case : Case
    problem : Problem, optional
        Trained instead of the case's own.
    device : {"auto", "cpu", "cuda"}
    overlaps : bool
        Keep the squared overlaps of eigenvectors.
    initialisation : str
        A key of :data:`attlas.verify.training.initialisation.INITIALISATIONS`.
    """
    (run,) = simulate(
        case.problem if problem is None else problem,
        d=case.d,
        seeds=[case.seed],
        algorithm=case.algorithm,
        centring=case.centring,
        device=device,
        paired=False,
        overlaps=overlaps,
        initialisation=initialisation,
        raise_on_failure=False,
    ).runs
    return run
