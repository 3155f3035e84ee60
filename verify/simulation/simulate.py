"""Train heads on data drawn from a problem, and put the theory at each teacher beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING

from attlas.model import Problem
from attlas.model.exact import Number
from attlas.model.names import names_checked
from attlas.solver.double_precision import within_double_precision
from attlas.verify.data.pool import TokenPool
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import Teacher, draw_teacher
from attlas.verify.simulation.eigenvectors import squared_overlaps
from attlas.verify.simulation.pairing import paired_problem, theory_of
from attlas.verify.simulation.progress import Event, Progress
from attlas.verify.simulation.result import (
    Run,
    Simulation,
    SimulationError,
    SimulationStats,
    over_seeds,
    status_of,
)
from attlas.verify.simulation.settings import Settings, seed_numbers, validated
from attlas.verify.training.algorithms import algorithm
from attlas.verify.training.task import Trained, Training

if TYPE_CHECKING:
    from attlas.verify.simulation.measure import Measured


@names_checked
def simulate(
    problem: Problem,
    *,
    d: int,
    seeds: int | Iterable[int] = 1,
    algorithm: str = "adam",
    device: str = "auto",
    centring: str = "trace",
    token_data: TokenPool | None = None,
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
        A key of :data:`attlas.verify.training.algorithms.ALGORITHMS`: "adam" (gradients, on the
        factor where there is one), "fista" (proximal gradient on S), "staged" (the same on growing
        parts of the data, in single precision first) or "amp" (message passing). All but the first
        drop the limit of the width on the rank.
    device : {"auto", "cpu", "cuda"}
    centring : {"trace", "average"}
        Subtract delta_ab Tr S/sqrt(d) from the scores, or their training-set average.
    token_data : TokenPool, optional
        :meth:`attlas.verify.data.pool.TokenPool.of` a file: heads are trained on these very tokens,
        and paired with the theory of tokens measured as they are.
    paired : bool
        Solve the theory at each run's own teacher.
    adam_steps, max_steps : int, optional
        Steps of Adam (0 skips it), and the gradient evaluations of L-BFGS or iterations of the
        other algorithms allowed.
    gradient_tolerance : float in (0, 1)
        On the relative gradient norm
        (:func:`attlas.verify.training.certificate.relative_gradient`), or on the KKT residual of
        an algorithm without factors.
    initialisation : str
        A key of :data:`attlas.verify.training.initialisation.INITIALISATIONS`.
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
        Receives :class:`attlas.verify.simulation.progress.Event`.
    raise_on_failure : bool
        Raise :class:`SimulationError` unless ``status.ok``.

    Raises
    ------
    BadInput
        Naming the parameter as on the command line, its value and the valid range.
    ComputationFailed
        If numbers of a run leave the range of double precision.
    SimulationError
        See ``raise_on_failure``. Runs that did not converge never enter silently.
    """
    clock = perf_counter()
    settings = validated(
        problem,
        d,
        algorithm,
        device,
        centring,
        token_data,
        paired,
        adam_steps,
        max_steps,
        gradient_tolerance,
        initialisation,
        onsager,
        damping,
        lam_path,
        overlaps,
    )
    numbers = seed_numbers(seeds)
    runs = []
    for index, seed in enumerate(numbers):
        with within_double_precision():
            runs.append(_run(settings, seed, _reporter(progress, seed, index, len(numbers))))
    simulation = Simulation(
        settings.problem,
        tuple(runs),
        *over_seeds([run.observables for run in runs]),
        status_of(runs, paired),
        SimulationStats(len(runs), perf_counter() - clock),
    )
    if raise_on_failure and not simulation.status.ok:
        raise SimulationError(simulation)
    return simulation


def _run(settings: Settings, seed: int, report: Callable[[str, int, int], None] | None) -> Run:
    problem, d, n, p = settings.problem, settings.d, settings.n, settings.p
    teacher = draw_teacher(problem.target, d, seed)
    theory, theory_error = None, None
    if settings.paired:  # before training, so that a width it refuses costs no run
        if report is not None:
            report("theory", 0, 1)
        theory, theory_error = theory_of(paired_problem(problem, teacher, n, p, settings.lams[-1]))
    clock = perf_counter()
    trained, measured, data_hash = _trained(settings, teacher, seed, report)
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
        data_hash=data_hash,
        algorithm=settings.algorithm,
        precision=trained.precision,
        device=settings.device.type,
        centring=settings.centring,
        tokens_law=_law_of(settings),
        eigenvalues=tuple(float(value) for value in trained.eigenvalues),
        teacher_eigenvalues=tuple(float(value) for value in teacher.eigenvalues),
        seconds=seconds,
        iterations=trained.iterations,
        overlaps=squared_overlaps(trained, teacher) if settings.overlaps else None,
    )


def _trained(
    settings: Settings,
    teacher: Teacher,
    seed: int,
    report: Callable[[str, int, int], None] | None,
) -> tuple[Trained, Measured, str]:
    """The trained map, what is measured of it, and the digest of its data."""
    # All need torch, which naming a simulation does not.
    from attlas.verify.machine.threads import training_threads
    from attlas.verify.simulation.measure import measure

    problem, d, n, p = settings.problem, settings.d, settings.n, settings.p
    if not problem.scores.symmetric:
        from attlas.verify.simulation.untied import train_and_measure

        with training_threads(4 * n * problem.channel.tokens * d * p):
            return train_and_measure(settings, teacher, seed)
    pool = settings.pool
    data = draw_data(problem, teacher, n, seed, centring=settings.centring, pool=pool)
    train = algorithm(settings.algorithm)
    with training_threads(2 * data.x.size * p):
        trained = train(
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
        pool=pool,
    )
    return trained, measured, data.digest


def _law_of(settings: Settings) -> str:
    """What a run's tokens were drawn from, in words."""
    if settings.pool is not None:
        return f"file, {settings.pool.order}"
    return settings.problem.tokens.law.grammar()


def _reporter(
    progress: Progress | None, seed: int, run: int, runs: int
) -> Callable[[str, int, int], None] | None:
    if progress is None:
        return None

    def report(stage: str, step: int, steps: int) -> None:
        progress(Event(seed, stage, step, steps, run, runs))

    return report
