"""Train heads on data drawn from a problem, and put the theory at each teacher beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from model import Atoms, Estimator, LinearChannel, Problem
from model.errors import BadInput, unknown_name
from model.exact import Number, non_negative, positive, whole
from solver.solution import OBSERVABLE_KEYS, Observables
from verify.algorithms import ONSAGER, Training, algorithm
from verify.certificate import Certificate
from verify.data import CENTRINGS, draw_data
from verify.device import resolve_device
from verify.eigenvectors import squared_overlaps
from verify.initialisation import INITIALISATIONS
from verify.iteration import Iteration
from verify.progress import Event, Progress
from verify.randomness import generator
from verify.student import at_width, width_of
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
    overlaps : ndarray (d, d) or None
        Squared overlaps of the teacher's eigenvectors (rows) with the learned ones (columns), in
        the order of the eigenvalues; only where they are asked for.
    seconds : float
        Wall time of drawing, training and measuring; without the theory.
    iterations : tuple of Iteration
        Order parameters along message passing; empty for other algorithms.
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
    iterations: tuple[Iteration, ...] = field(default=(), repr=False)
    overlaps: np.ndarray | None = field(default=None, repr=False, compare=False)

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

    @property
    def promise(self) -> str:
        """What the certificates prove, and what they do not."""
        if isinstance(self.problem.channel, LinearChannel):
            return "A certified run is at the global minimum over maps: the linear loss is convex."
        return (
            "A certified run is at a stationary point of the loss over maps; the softmax loss is "
            "not convex, so that this is no proof of a global minimum."
        )


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
    max_steps: int | None
    initialisation: str
    onsager: str
    damping: float | None
    paired: bool
    overlaps: bool = False


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
    onsager: str = "sample",
    damping: Number | None = None,
    lam_path: Iterable[Number] | None = None,
    overlaps: bool = False,
    progress: Progress | None = None,
    raise_on_failure: bool = True,
) -> Simulation:
    """Draw teachers and data, train a head on each, measure it, and solve the paired theory.

    Parameters
    ----------
    problem : Problem
        With an estimator that is trained; n = alpha d^2 and p = kappa d are rounded.
    d : int >= 8
        Token dimension.
    seeds : int or iterable of int
        A number of seeds (0, 1, ...) or the seeds themselves. A seed fixes teacher, training
        data and test set whatever the algorithm, the device or the number of threads.
    algorithm : str
        A key of :data:`verify.algorithms.ALGORITHMS`: "adam" (gradients, on the factor where
        there is one), "fista" (proximal gradient on S) or "amp" (message passing). The last two
        drop the limit of the width on the rank.
    device : {"auto", "cpu", "cuda"}
    centring : {"trace", "average"}
        Subtract delta_ab Tr S/sqrt(d) from the scores, or their training-set average.
    tokens_law : str
        A key of :data:`verify.tokens.TOKEN_LAWS`.
    paired : bool
        Solve the theory at each run's own teacher.
    adam_steps, max_steps : int, optional
        Steps of Adam (0 skips it), and the gradient evaluations of L-BFGS or iterations of the
        other algorithms allowed.
    gradient_tolerance : float in (0, 1)
        On the relative gradient norm (:func:`verify.certificate.relative_gradient`), or on the
        KKT residual of an algorithm without factors.
    initialisation : str
        A key of :data:`verify.initialisation.INITIALISATIONS`.
    onsager : {"sample", "mean"}
        Message passing: score covariance of each sample itself, or 1 + delta_ab.
    damping : number in [0, 1), optional
        Message passing; by default it is raised where the iteration oscillates.
    lam_path : iterable of numbers, optional
        Decreasing weight decays, each warm started from the one before. Needed for lam = 0,
        where the last of them is trained, measured and paired; with lam > 0 they lead to lam.
    overlaps : bool
        Keep the squared overlaps of eigenvectors in each run, d^2 numbers.
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
        onsager,
        damping,
        lam_path,
    )
    settings = replace(settings, overlaps=overlaps)
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


def paired_problem(
    problem: Problem, teacher: Teacher, n: int, p: int, lam: Number | None = None
) -> Problem:
    """The problem whose theory belongs to one run. theory.md section 16.

    Its target is the teacher's own eigenvalues, alpha = n/d^2 and kappa = p/d exactly; ``lam``
    replaces the penalty where it is given.
    """
    return problem.with_(
        target=Atoms(teacher.eigenvalues),
        estimator=at_width(problem.estimator, Fraction(p, teacher.d), lam),
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
            s0=teacher.s0,
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
            onsager=settings.onsager,
            damping=settings.damping,
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
        iterations=trained.iterations,
        overlaps=squared_overlaps(trained, teacher) if settings.overlaps else None,
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
    onsager: str,
    damping: Number | None,
    lam_path: Iterable[Number] | None,
) -> _Settings:
    d = whole("--d", d, at_least=SMALLEST_DIMENSION)
    if problem.target.dimension not in (None, d):
        raise BadInput("--d", d, f"must be the target's dimension, {problem.target.dimension}")
    n, p = problem.samples(d), width_of(problem.estimator, d)
    if n < 1:
        raise BadInput("--alpha", float(problem.alpha), f"must give at least 1 sample at d = {d}")
    for name, value, known in (
        ("--centring", centring, CENTRINGS),
        ("--initialisation", initialisation, INITIALISATIONS),
        ("--onsager", onsager, ONSAGER),
    ):
        if value not in known:
            raise unknown_name(name, value, known)
    token_law(tokens_law)
    algorithm(algorithm_name)
    tolerance = positive("--gradient-tolerance", gradient_tolerance)
    if tolerance >= 1:
        raise BadInput("--gradient-tolerance", gradient_tolerance, "must be below 1")
    draw_teacher(problem.target, d, 0)
    from verify import adam

    return _Settings(
        problem=problem,
        d=d,
        n=n,
        p=p,
        lams=_lams(problem.estimator, lam_path),
        algorithm=algorithm_name,
        device=resolve_device(device),
        centring=centring,
        tokens_law=tokens_law,
        tolerance=float(tolerance),
        adam_steps=adam.DEFAULT_STEPS
        if adam_steps is None
        else whole("--adam-steps", adam_steps, at_least=0),
        max_steps=None if max_steps is None else whole("--max-steps", max_steps, at_least=1),
        initialisation=initialisation,
        onsager=onsager,
        damping=None if damping is None else _below_one("--damping", damping),
        paired=paired,
    )


def _below_one(name: str, value: Number) -> float:
    number = float(non_negative(name, value))
    if number >= 1:
        raise BadInput(name, value, "must be at least 0 and below 1")
    return number


def _lams(estimator: Estimator, lam_path: Iterable[Number] | None) -> tuple[Fraction, ...]:
    lams = [positive("--lam-path", lam) for lam in lam_path] if lam_path is not None else []
    own: Fraction = estimator.lam  # type: ignore[attr-defined]  # every trained student has one
    if own > 0:
        lams.append(own)
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
