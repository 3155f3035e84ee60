"""What every solver of a learning problem returns."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.drawing import drawing
from attlas.model import Problem
from attlas.model.errors import ComputationFailed
from attlas.solver.status import Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The value of a key that does not apply. The keys are typed as the floats they are otherwise.
ABSENT: Any = None


@dataclass(frozen=True)
class Observables:
    """The result keys of ``attlas solve`` and ``attlas simulate``.

    A key that does not apply to the estimator is None. Every value is of order one as
    d -> infinity. theory.md sections 3 and 6.
    """

    q: float = ABSENT
    m: float = ABSENT
    sigma: float = ABSENT
    q_hat: float = ABSENT
    m_hat: float = ABSENT
    sigma_hat: float = ABSENT
    eta: float = ABSENT
    delta: float = ABSENT
    epsilon: float = ABSENT
    rank_fraction: float = ABSENT
    train_error: float = ABSENT
    test_error: float = ABSENT
    test_error_clean: float = ABSENT
    test_error_plugin: float = ABSENT
    loss: float = ABSENT
    mse: float = ABSENT
    replicon: float = ABSENT
    multi_minima_weight: float = ABSENT

    def present(self) -> dict[str, float]:
        """The keys that hold a value, in the order of the declaration."""
        pairs = ((key, getattr(self, key)) for key in OBSERVABLE_KEYS)
        return {key: value for key, value in pairs if value is not None}


OBSERVABLE_KEYS: tuple[str, ...] = tuple(field.name for field in fields(Observables))


@dataclass(frozen=True)
class Stats:
    """What a solve cost: fixed-point iterations, wall seconds, integration nodes."""

    iterations: int
    seconds: float
    nodes: int = 0


@dataclass(frozen=True)
class Solution(Observables):
    """A solved problem: values, an error bar per value, a status and the other branches.

    Attributes
    ----------
    problem : Problem
    error : Observables
        Absolute error bars, one per present value; they do not understate.
    status : Status
    stats : Stats
    start : str
        Which start of the iteration led here: "informed", "uninformed", "analytic".
    residual : float
        Recomputed relative residual of the fixed-point equations.
    advice : str
        What this particular outcome asks of the user, beyond the status's sentence.
    branches : tuple of Solution
        All stationary points found, lowest free energy first; the first equals this one.
    """

    problem: Problem = ABSENT
    error: Observables = Observables()
    status: Status = Status.CONVERGED
    stats: Stats = Stats(0, 0.0)
    start: str = ""
    residual: float = 0.0
    advice: str = ""
    branches: tuple[Solution, ...] = ()

    @classmethod
    def of(cls, values: Observables, **attributes: Any) -> Solution:
        """A solution with given values of the result keys."""
        return cls(**{**values.present(), **attributes})

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the spectrum of the trained map at this solution: zeros, bulk, bands, outliers.

        Parameters
        ----------
        path : str or Path, optional
            Also write it there; ends in .svg or .png.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        BadInput
            If nothing is trained (``BayesOptimal``), or the path cannot be written.
        SolveError
            If the solution did not converge.

        Notes
        -----
        theory.md sections 6 and 9.
        """
        return drawing(self, path=path)

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{key}={value:.7g}(±{getattr(self.error, key) or 0:.1g})"
            for key, value in self.present().items()
        )
        return f"Solution({self.status.name}: {shown})"


class SolveError(ComputationFailed):
    """A solve that failed; carries the failed solution, the message says what to do.

    Parameters
    ----------
    solution : Solution
    """

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        detail = f" {solution.advice}" if solution.advice else ""
        super().__init__(f"{solution.status.value}{detail}")

    def __reduce__(self) -> tuple[type[SolveError], tuple[Solution]]:
        """Its solution, so that a worker process can hand it back."""
        return type(self), (self.solution,)
