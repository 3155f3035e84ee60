"""Train heads on data drawn from a problem, and put the theory at each teacher beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from model import Atoms, Factorised, Problem
from model.errors import BadInput, unknown_name
from model.exact import Number, positive, whole
from solver.solution import OBSERVABLE_KEYS, Observables
from verify.algorithms import Training, algorithm
from verify.certificate import Certificate
from verify.data import CENTRINGS, draw_data
from verify.device import resolve_device
from verify.initialisation import SCALES
from verify.progress import Event, Progress
from verify.randomness import generator
from verify.teacher import Teacher, draw_teacher
from verify.tokens import token_law

if TYPE_CHECKING:
    import torch

#: Below this the limit d -> infinity says nothing about a run.
SMALLEST_DIMENSION = 8


class SimulationStatus(Enum):
    """The outcome of a simulation; the value of each member tells the user what to do."""

    CONVERGED = "Every run met its gradient certificate."
    WIDTH_LIMITED = (
        "Every run met its gradient certificate, but the width limits the rank: raise --kappa to "
        "reach the minimum over all maps."
    )
    NOT_MINIMAL = (
        "A run stopped at a point that is stationary in W but not a minimum over maps: try other "
        "seeds or --initialisation large."
    )
    NOT_CONVERGED = (
        "A run did not meet its gradient certificate: raise --max-steps or --gradient-tolerance."
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
        Measured on the run (:func:`verify.measure.measure`).
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
    seconds : float
        Wall time of drawing, training and measuring; without the theory.
    """

    seed: int
    d: int
    n: int
    p: int
    observables: Observables
    sampling_error: Observables
    theory: Observables | None
    theory_error: Observables | None
    lam: float
    certificate: Certificate
    data_hash: str
    algorithm: str
    precision: str
    device: str
    centring: str
    tokens_law: str
    eigenvalues: tuple[float, ...] = field(repr=False)
    teacher_eigenvalues: tuple[float, ...] = field(repr=False)
    seconds: float = 0.0

    @property
    def converged(self) -> bool:
        """Whether the gradient certificate holds."""
        return self.certificate.converged

    def deviations(self) -> dict[str, float]:
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
class Simulation:
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
    runs: tuple[Run, ...]
    mean: Observables
    spread: Observables
    status: SimulationStatus
    stats: SimulationStats


class SimulationError(RuntimeError):
    """A simulation that failed; carries it, and the message says what to do."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        advice = [run.certificate.advice for run in simulation.runs if run.certificate.advice]
        super().__init__(" ".join([simulation.status.value, *advice[:1]]))


@dataclass(frozen=True)
class _Settings:
    """What all runs of a simulation share."""

    problem: Problem
    estimator: Factorised
    d: int
    n: int
    p: int
    lams: tuple[Fraction, ...]
    algorithm: str
    device: torch.device
    centring: str
    tokens_law: str
    tolerance: float
    adam_steps: int
    max_steps: int
    initialisation: str
    paired: bool


def simulate(
    problem: Problem,
    *,
    d: int,
    seeds: int | Iterable[int] = 1,
    algorithm: str = "adam",
    device: str = "auto",
    centring: str = "trace",
    tokens_law: str = "gaussian",
    paired: bool = True,
    adam_steps: int | None = None,
    max_steps: int | None = None,
    gradient_tolerance: float = 1e-7,
    initialisation: str = "large",
    lam_path: Iterable[Number] | None = None,
    progress: Progress | None = None,
    raise_on_failure: bool = True,
) -> Simulation:
    """Draw teachers and data, train a head on each, measure it, and solve the paired theory.

    Parameters
    ----------
    problem : Problem
        With the factorised estimator; n = alpha d^2 and p = kappa d are rounded.
    d : int >= 8
        Token dimension.
    seeds : int or iterable of int
        A number of seeds (0, 1, ...) or the seeds themselves. A seed fixes teacher, training
        data and test set whatever the algorithm, the device or the number of threads.
    algorithm : str
        A key of :data:`verify.algorithms.ALGORITHMS`.
    device : {"auto", "cpu", "cuda"}
    centring : {"trace", "average"}
        Subtract delta_ab Tr S/sqrt(d) from the scores, or their training-set average.
    tokens_law : str
        A key of :data:`verify.tokens.TOKEN_LAWS`.
    paired : bool
        Solve the theory at each run's own teacher.
    adam_steps, max_steps : int, optional
        Steps of Adam (0 skips it), and gradient evaluations allowed in L-BFGS.
    gradient_tolerance : float in (0, 1)
        On the relative gradient norm (:func:`verify.certificate.relative_gradient`).
    initialisation : {"large", "small"}
    lam_path : iterable of numbers, optional
        Decreasing weight decays, each warm started from the one before. Needed for lam = 0,
        where the last of them is trained, measured and paired; with lam > 0 they lead to lam.
    progress : callable, optional
        Receives :class:`verify.progress.Event`.
    raise_on_failure : bool
        Raise :class:`SimulationError` unless ``status.ok``.

    Raises
    ------
    BadInput
        Naming the parameter as on the command line, its value and the valid range.
    SimulationError
        See ``raise_on_failure``. Runs that did not converge never enter silently.
    """
    clock = perf_counter()
    settings = _validated(
        problem,
        d,
        algorithm,
        device,
        centring,
        tokens_law,
        paired,
        adam_steps,
        max_steps,
        gradient_tolerance,
        initialisation,
        lam_path,
    )
    numbers = _seeds(seeds)
    runs = []
    for index, seed in enumerate(numbers):
        runs.append(_run(settings, seed, _reporter(progress, seed, index, len(numbers))))
    simulation = Simulation(
        problem,
        tuple(runs),
        *_over_seeds([run.observables for run in runs]),
        _status(runs, paired),
        SimulationStats(len(runs), perf_counter() - clock),
    )
    if raise_on_failure and not simulation.status.ok:
        raise SimulationError(simulation)
    return simulation


def paired_problem(problem: Problem, teacher: Teacher, n: int, p: int, lam: Number) -> Problem:
    """The problem whose theory belongs to one run. theory.md section 16.

    Its target is the teacher's own eigenvalues, alpha = n/d^2 and kappa = p/d exactly.
    """
    return problem.with_(
        target=Atoms(teacher.eigenvalues),
        estimator=Factorised(lam=lam, kappa=Fraction(p, teacher.d)),
        alpha=Fraction(n, teacher.d**2),
    )


def _run(settings: _Settings, seed: int, report: Callable[[str, int, int], None] | None) -> Run:
    from verify.measure import measure

    problem, d, n, p = settings.problem, settings.d, settings.n, settings.p
    teacher = draw_teacher(problem.target, d, seed)
    theory, theory_error = None, None
    if settings.paired:  # before training, so that a width it refuses costs no run
        if report is not None:
            report("theory", 0, 1)
        theory, theory_error = _theory(paired_problem(problem, teacher, n, p, settings.lams[-1]))
    clock = perf_counter()
    data = draw_data(
        problem, teacher, n, seed, centring=settings.centring, tokens_law=settings.tokens_law
    )
    trained = algorithm(settings.algorithm)(
        Training(
            problem=problem,
            data=data,
            d=d,
            p=p,
            lams=tuple(float(lam) for lam in settings.lams),
            seed=seed,
            device=settings.device,
            centring=settings.centring,
            tolerance=settings.tolerance,
            adam_steps=settings.adam_steps,
            max_steps=settings.max_steps,
            initialisation=settings.initialisation,
            report=report,
        )
    )
    if report is not None:
        report("measure", 0, 1)
    measured = measure(
        problem,
        teacher,
        data,
        trained,
        seed=seed,
        centring=settings.centring,
        tokens_law=settings.tokens_law,
    )
    seconds = perf_counter() - clock
    if report is not None:
        report("done", 1, 1)
    return Run(
        seed=seed,
        d=d,
        n=n,
        p=p,
        observables=measured.observables,
        sampling_error=measured.sampling_error,
        theory=theory,
        theory_error=theory_error,
        lam=float(settings.lams[-1]),
        certificate=trained.certificate,
        data_hash=data.digest,
        algorithm=settings.algorithm,
        precision=trained.precision,
        device=settings.device.type,
        centring=settings.centring,
        tokens_law=settings.tokens_law,
        eigenvalues=tuple(float(value) for value in trained.eigenvalues),
        teacher_eigenvalues=tuple(float(value) for value in teacher.eigenvalues),
        seconds=seconds,
    )


def _theory(problem: Problem) -> tuple[Observables | None, Observables | None]:
    from solver.solve import solve  # not needed to train

    solution = solve(problem, raise_on_failure=False)
    if not solution.status.ok:
        return None, None
    return Observables(**solution.present()), solution.error


def _over_seeds(values: list[Observables]) -> tuple[Observables, Observables]:
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


def _status(runs: list[Run], paired: bool) -> SimulationStatus:
    if not all(run.converged for run in runs):
        return SimulationStatus.NOT_CONVERGED
    failing = [run for run in runs if not run.certificate.minimal]
    if any(run.observables.rank_fraction != run.p / run.d for run in failing):
        return SimulationStatus.NOT_MINIMAL
    if paired and any(run.theory is None for run in runs):
        return SimulationStatus.NO_THEORY
    return SimulationStatus.WIDTH_LIMITED if failing else SimulationStatus.CONVERGED


def _reporter(
    progress: Progress | None, seed: int, run: int, runs: int
) -> Callable[[str, int, int], None] | None:
    if progress is None:
        return None

    def report(stage: str, step: int, steps: int) -> None:
        progress(Event(seed, stage, step, steps, run, runs))

    return report


def _validated(
    problem: Problem,
    d: int,
    algorithm_name: str,
    device: str,
    centring: str,
    tokens_law: str,
    paired: bool,
    adam_steps: int | None,
    max_steps: int | None,
    gradient_tolerance: float,
    initialisation: str,
    lam_path: Iterable[Number] | None,
) -> _Settings:
    estimator = problem.estimator
    if not isinstance(estimator, Factorised):
        raise BadInput("--training", estimator.name, "only factorised training is simulated")
    d = whole("--d", d, at_least=SMALLEST_DIMENSION)
    if problem.target.dimension not in (None, d):
        raise BadInput("--d", d, f"must be the target's dimension, {problem.target.dimension}")
    n, p = problem.samples(d), round(estimator.kappa * d)
    if n < 1:
        raise BadInput("--alpha", float(problem.alpha), f"must give at least 1 sample at d = {d}")
    if p < 1:
        raise BadInput("--kappa", float(estimator.kappa), f"must give a width of 1 at d = {d}")
    for name, value, known in (
        ("--centring", centring, CENTRINGS),
        ("--initialisation", initialisation, SCALES),
    ):
        if value not in known:
            raise unknown_name(name, value, known)
    token_law(tokens_law)
    algorithm(algorithm_name)
    tolerance = positive("--gradient-tolerance", gradient_tolerance)
    if tolerance >= 1:
        raise BadInput("--gradient-tolerance", gradient_tolerance, "must be below 1")
    draw_teacher(problem.target, d, 0)
    from verify import adam, lbfgs

    return _Settings(
        problem=problem,
        estimator=estimator,
        d=d,
        n=n,
        p=p,
        lams=_lams(estimator, lam_path),
        algorithm=algorithm_name,
        device=resolve_device(device),
        centring=centring,
        tokens_law=tokens_law,
        tolerance=float(tolerance),
        adam_steps=adam.DEFAULT_STEPS
        if adam_steps is None
        else whole("--adam-steps", adam_steps, at_least=0),
        max_steps=lbfgs.DEFAULT_STEPS
        if max_steps is None
        else whole("--max-steps", max_steps, at_least=1),
        initialisation=initialisation,
        paired=paired,
    )


def _lams(estimator: Factorised, lam_path: Iterable[Number] | None) -> tuple[Fraction, ...]:
    lams = [positive("--lam-path", lam) for lam in lam_path] if lam_path is not None else []
    if estimator.lam > 0:
        lams.append(estimator.lam)
    if not lams:
        raise BadInput(
            "--lam",
            0,
            "must be greater than 0 to train",
            "training without a penalty selects another interpolator than the limit lam -> 0+; "
            "approach it with a decreasing --lam-path",
        )
    for larger, smaller in pairwise(lams):
        if smaller >= larger:
            raise BadInput("--lam-path", float(smaller), "must decrease, and stay above --lam")
    return tuple(lams)


def _seeds(seeds: int | Iterable[int]) -> tuple[int, ...]:
    if isinstance(seeds, int | np.integer):
        return tuple(range(whole("--seeds", int(seeds), at_least=1)))
    numbers = tuple(seeds)
    for seed in numbers:
        generator(seed, "teacher")
    if not numbers or len(set(numbers)) < len(numbers):
        raise BadInput("--seeds", numbers, "must be one or more seeds, each once")
    return tuple(int(seed) for seed in numbers)
