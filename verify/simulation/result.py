"""What a simulation returns: runs, their mean over seeds, and how it ended."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

import numpy as np

from attlas.model import Problem
from attlas.model.errors import ComputationFailed
from attlas.model.result_key import Definition, Key, theory_md
from attlas.solver.result import Result
from attlas.solver.solution import OBSERVABLE_KEYS, Observables
from attlas.verify.simulation.comparison import Paired, paired_differences
from attlas.verify.training.amp.iteration import Iteration
from attlas.verify.training.certificate import KKT_TOLERANCE, Certificate
from attlas.verify.training.rank import non_zero


class SimulationStatus(Enum):
    """The outcome of a simulation; the value of each member tells the user what to do."""

    CONVERGED = "Every run met its gradient certificate."
    WIDTH_LIMITED = (
        "Every run met its gradient certificate, but the width limits the rank: raise `kappa` to "
        "reach the minimum over all maps."
    )
    NOT_MINIMAL = (
        "A run stopped at a point that is stationary in W but not a minimum over maps: try other "
        "seeds or `initialisation=large`."
    )
    TOO_LOOSE = (
        "A run met its gradient certificate, which is too loose to show a minimum over maps: lower "
        "`gradient_tolerance`."
    )
    NOT_CONVERGED = (
        "A run did not meet its gradient certificate: raise `max_steps` or `gradient_tolerance`."
    )
    NO_THEORY = (
        "The theory at a run's own teacher did not converge: compare unpaired, with attlas solve."
    )

    @property
    def ok(self) -> bool:
        """Whether the values can be used."""
        return self in (SimulationStatus.CONVERGED, SimulationStatus.WIDTH_LIMITED)


@dataclass(frozen=True)
class Run:
    """One trained head.

    Attributes
    ----------
    seed, d, n, p : int
        Seed, token dimension, samples, width.
    observables : Observables
        Measured on the run (:func:`attlas.verify.simulation.measure.measure`).
    sampling_error : Observables
        Standard error of the test errors over the finite test set.
    theory, theory_error : Observables or None
        The paired theory: solved at this teacher's own eigenvalues, with alpha = n/d^2 and
        kappa = p/d exactly, and its error bars. None when not asked for or not converged.
    lam : float
        Weight decay reached (the last of ``lam_path`` where there is one).
    certificate : Certificate
    data_hash : str
        SHA-256 of the generator output behind teacher, tokens and noise of the training set.
    algorithm, precision, device, centring, tokens_law : str
        How it was trained.
    eigenvalues, teacher_eigenvalues : tuple of float
        Of the learned and of the teacher's map, descending.
    overlaps : ndarray (d, d) or None
        Squared overlaps of the teacher's eigenvectors (rows) with the learned ones (columns), in
        the order of the eigenvalues; only where they are asked for.
    seconds : float
        Wall time of drawing, training and measuring; without the theory.
    iterations : tuple of Iteration
        Order parameters along message passing; empty for other algorithms.
    """

    seed: Annotated[
        int, Key("fixes teacher, training data and test set, whatever the algorithm", "0 or more")
    ]
    d: Annotated[int, Key("token dimension", "1 or more", theory_md("1"))]
    n: Annotated[
        int,
        Key(
            "training samples",
            "1 or more",
            theory_md("1"),
            Definition("n = α d²", r"n = \alpha d^2"),
        ),
    ]
    p: Annotated[
        int,
        Key(
            "width of the trained factor",
            "1 or more",
            theory_md("1"),
            Definition("p = κd", r"p = \kappa d"),
        ),
    ]
    observables: Annotated[
        Observables, Key("result keys measured on the run", "{key: number}", theory_md("6"))
    ]
    sampling_error: Annotated[
        Observables,
        Key(
            "standard errors of the test errors over the finite test set",
            "{key: number}",
            theory_md("6"),
        ),
    ]
    theory: Annotated[
        Observables | None,
        Key(
            "the paired theory: at this teacher's own eigenvalues, with alpha = n/d^2 and "
            "kappa = p/d; null where it was not asked for or did not converge",
            "{key: number} or null",
            theory_md("16"),
        ),
    ]
    theory_error: Annotated[
        Observables | None,
        Key("absolute error bars of theory", "{key: number} or null", theory_md("16")),
    ]
    lam: Annotated[
        float,
        Key("penalty of the run; with --lam-path the last one", "greater than 0", theory_md("1")),
    ]
    certificate: Annotated[
        Certificate,
        Key("evidence that training ended at a stationary point", "object", theory_md("10")),
    ]
    data_hash: Annotated[
        str, Key("SHA-256 of teacher, tokens and noise of the training set", "text")
    ]
    algorithm: Annotated[str, Key("how the head was trained", "text", theory_md("10"))]
    precision: Annotated[str, Key("floating-point numbers of the training", "text")]
    device: Annotated[str, Key("cpu or cuda", "text")]
    centring: Annotated[
        str,
        Key("how scores are centred: by Tr S or by the mean over samples", "text", theory_md("1")),
    ]
    tokens_law: Annotated[str, Key("law of the tokens' entries", "text", theory_md("1"))]
    eigenvalues: tuple[float, ...] = field(repr=False)
    teacher_eigenvalues: tuple[float, ...] = field(repr=False)
    seconds: Annotated[
        float, Key("wall time: of the run, or by stage of its training", "0 or more")
    ] = 0.0
    iterations: Annotated[
        tuple[Iteration, ...],
        Key("order parameters along message passing, empty for others", "list", theory_md("10")),
    ] = field(default=(), repr=False)
    overlaps: np.ndarray | None = field(default=None, repr=False, compare=False)

    @property
    def converged(
        self,
    ) -> Annotated[
        bool,
        Key("whether the run met its gradient certificate", "true or false", theory_md("10")),
    ]:
        """Whether the gradient certificate holds."""
        return self.certificate.converged

    @property
    def non_zero_eigenvalues(self) -> np.ndarray:
        """Those of the learned map that are told from zero."""
        values = np.array(self.eigenvalues)
        return values[non_zero(values, self.teacher_eigenvalues[0])]

    def deviations(
        self,
    ) -> Annotated[
        dict[str, float],
        Key(
            "relative deviations of the run from its paired theory",
            "{key: number}",
            theory_md("16"),
            Definition("observed/theory − 1", r"\text{observed}/\text{theory}-1"),
        ),
    ]:
        """Relative deviation from the paired theory, key by key: observed/theory - 1."""
        if self.theory is None:
            return {}
        expected = self.theory.present()
        return {
            key: value / expected[key] - 1
            for key, value in self.observables.present().items()
            if expected.get(key)
        }


@dataclass(frozen=True)
class SimulationStats:
    """Runs made, and the wall seconds of all, the paired theory included."""

    runs: int
    seconds: float


@dataclass(frozen=True)
class Simulation(Result):
    """Runs of one problem at one dimension.

    Attributes
    ----------
    problem : Problem
    runs : tuple of Run
        In the order of the seeds.
    mean : Observables
        Average over seeds.
    spread : Observables
        Standard error of that average, from the scatter over seeds; empty for a single seed
        (one run holds no estimate of it).
    status : SimulationStatus
    stats : SimulationStats
    """

    problem: Problem
    runs: Annotated[
        tuple[Run, ...],
        Key("one entry for each trained head; the other keys are their means", "list"),
    ]
    mean: Observables
    spread: Observables
    status: SimulationStatus
    stats: SimulationStats

    def _values(self) -> Observables:
        return self.mean

    @property
    def error(self) -> Observables:
        """The error bars: ``spread``, under the name that every result has for them."""
        return self.spread

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{key}={value:.7g}(±{getattr(self.spread, key) or math.nan:.1g})"
            for key, value in self.mean.present().items()
        )
        count = f"{len(self.runs)} run{'s' if len(self.runs) > 1 else ''}"
        sizes = ", ".join(str(d) for d in sorted({run.d for run in self.runs}))
        return f"Simulation({self.status.name}, {count} at d = {sizes}: {shown})"

    @property
    def paired(
        self,
    ) -> Annotated[
        dict[str, Paired],
        Key(
            "differences from the theory at the runs' own teachers, quantity by quantity",
            "{key: {difference, standard_error, p_value, coefficient}}",
            theory_md("16"),
        ),
    ]:
        """Differences from the paired theory, key by key; empty where a run has none."""
        return paired_differences([run.deviations() for run in self.runs], self.runs[0].d)

    @property
    def promise(self) -> str:
        """What the certificates prove, and what they do not."""
        name = self.problem.channel.name
        if self.problem.channel.convex:
            return f"A certified run is at the global minimum over maps: the {name} loss is convex."
        return (
            f"A certified run is at a stationary point of the loss over maps; the {name} loss is "
            "not convex, so that this is no proof of a global minimum."
        )


class SimulationError(ComputationFailed):
    """A simulation that failed; carries it, and the message says what to do."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        advice = [run.certificate.advice for run in simulation.runs if run.certificate.advice]
        super().__init__(" ".join([simulation.status.value, *advice[:1]]))

    def __reduce__(self) -> tuple[type[SimulationError], tuple[Simulation]]:
        """Its simulation, so that a worker process can hand it back."""
        return type(self), (self.simulation,)


def over_seeds(values: Sequence[Observables]) -> tuple[Observables, Observables]:
    """Means over runs, and their standard errors where there are several."""
    means: dict[str, float] = {}
    spreads: dict[str, float] = {}
    for key in OBSERVABLE_KEYS:
        column = [getattr(value, key) for value in values]
        if any(entry is None for entry in column):
            continue
        means[key] = float(np.mean(column))
        if len(column) > 1:
            spreads[key] = float(np.std(column, ddof=1) / np.sqrt(len(column)))
    return Observables(**means), Observables(**spreads)


def status_of(runs: Sequence[Run], paired: bool) -> SimulationStatus:
    """How a simulation ended, from its runs; paired ones need a theory each."""
    if not all(run.converged for run in runs):
        return SimulationStatus.NOT_CONVERGED
    failing = [run for run in runs if not run.certificate.minimal]
    if any(run.observables.rank_fraction != run.p / run.d for run in failing):
        loose = all(run.certificate.tolerance > KKT_TOLERANCE for run in failing)
        return SimulationStatus.TOO_LOOSE if loose else SimulationStatus.NOT_MINIMAL
    if paired and any(run.theory is None for run in runs):
        return SimulationStatus.NO_THEORY
    return SimulationStatus.WIDTH_LIMITED if failing else SimulationStatus.CONVERGED
