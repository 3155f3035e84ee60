"""The arguments of a simulation, read and checked before anything runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from attlas.model import Estimator, Problem, require_problem
from attlas.model.errors import BadInput, unknown_name
from attlas.model.exact import Number, non_negative, positive, several, whole
from attlas.solver.channels import require_slope
from attlas.verify.data.pool import TokenPool
from attlas.verify.data.randomness import generator
from attlas.verify.data.sequences import CENTRINGS
from attlas.verify.data.teacher import draw_teacher
from attlas.verify.machine.device import resolve_device
from attlas.verify.machine.memory import require_memory
from attlas.verify.simulation.student import width_of
from attlas.verify.training.algorithms import ONSAGER, algorithm
from attlas.verify.training.initialisation import INITIALISATIONS

if TYPE_CHECKING:
    import torch

#: Below this the limit d -> infinity says nothing about a run.
SMALLEST_DIMENSION = 8


@dataclass(frozen=True)
class Settings:
    """What all runs of a simulation share."""

    problem: Problem
    d: int
    n: int
    p: int
    lams: tuple[Fraction, ...]
    algorithm: str
    device: torch.device
    centring: str
    pool: TokenPool | None
    tolerance: float
    adam_steps: int
    max_steps: int | None
    initialisation: str
    onsager: str
    damping: float | None
    paired: bool
    overlaps: bool


def validated(
    problem: Problem,
    d: int,
    algorithm_name: str,
    device: str,
    centring: str,
    pool: TokenPool | None,
    paired: bool,
    adam_steps: int | None,
    max_steps: int | None,
    gradient_tolerance: float,
    initialisation: str,
    onsager: str,
    damping: Number | None,
    lam_path: Iterable[Number] | None,
    overlaps: bool,
) -> Settings:
    """Read the arguments of :func:`attlas.verify.simulation.simulate.simulate`.

    Raises
    ------
    BadInput
        Naming the parameter as on the command line, its value and the valid range.
    """
    problem = require_problem(problem, any_tokens=True)
    if pool is not None:
        problem, centring = _of_pool(problem, d, pool, centring)
    d = whole("d", d, at_least=SMALLEST_DIMENSION)
    if problem.target.dimension not in (None, d):
        raise BadInput("d", d, f"must be the target's dimension, {problem.target.dimension}")
    n, p = problem.samples(d), width_of(problem.estimator, d)
    if n < 1:
        raise BadInput("alpha", float(problem.alpha), f"must give at least 1 sample at d = {d}")
    for name, value, known in (
        ("centring", centring, CENTRINGS),
        ("initialisation", initialisation, INITIALISATIONS),
        ("onsager", onsager, ONSAGER),
    ):
        if value not in known:
            raise unknown_name(name, value, known)
    require_slope(problem.channel)
    algorithm(algorithm_name)
    for name, value, takes in (
        ("adam_steps", adam_steps, "adam"),
        ("damping", damping, "amp"),
        ("onsager", None if onsager == ONSAGER[0] else onsager, "amp"),
    ):
        if value is not None and algorithm_name != takes:
            raise BadInput(name, value, f"has no meaning for `algorithm={algorithm_name}`")
    if not problem.scores.symmetric:
        _require_rows(problem, algorithm_name, centring, overlaps or pool is not None)
    tolerance = positive("gradient_tolerance", gradient_tolerance)
    if tolerance >= 1:
        raise BadInput("gradient_tolerance", gradient_tolerance, "must be below 1")
    # Three copies of the tokens, the teacher with its eigenvectors, and the factor with the steps
    # that L-BFGS remembers.
    held = 3 * n * problem.channel.tokens * d + 4 * d * d + 20 * d * p
    require_memory(d, held, "lower `d`, `alpha` or `kappa`")
    draw_teacher(problem.target, d, 0)
    from attlas.verify.training import adam

    return Settings(
        problem=problem,
        d=d,
        n=n,
        p=p,
        lams=_lams(problem.estimator, lam_path),
        algorithm=algorithm_name,
        device=resolve_device(device),
        centring=centring,
        pool=pool,
        tolerance=float(tolerance),
        adam_steps=adam.DEFAULT_STEPS
        if adam_steps is None
        else whole("adam_steps", adam_steps, at_least=0),
        max_steps=None if max_steps is None else whole("max_steps", max_steps, at_least=1),
        initialisation=initialisation,
        onsager=onsager,
        damping=None if damping is None else _below_one("damping", damping),
        paired=paired,
        overlaps=overlaps,
    )


def _of_pool(problem: Problem, d: int, pool: TokenPool, centring: str) -> tuple[Problem, str]:
    """The problem with the pool's tokens, and how scores are centred.

    Neighbours are correlated in ways that second moments of single tokens do not say: their scores
    are centred by the average.
    """
    if not problem.tokens.is_default:
        name, text = next(iter(problem.tokens.flat().items()))
        raise BadInput(name, text, "is measured on the `token_data`", "leave it out")
    if pool.x.shape[1] != d:
        raise BadInput("d", d, f"must be {pool.x.shape[1]}, the dimension of the `token_data`")
    return problem.with_(tokens=pool.tokens), centring if pool.order == "pairs" else "average"


def _require_rows(problem: Problem, algorithm_name: str, centring: str, more: bool) -> None:
    """Refuse what is not known of queries and keys from different tokens."""
    fixed = (
        ("algorithm", algorithm_name, ("adam", "fista")),
        ("centring", centring, CENTRINGS[:1]),
        ("task", problem.task, ("seq2lab",)),
    )
    for name, value, known in fixed:
        if value not in known:
            valid = f"must be {' or '.join(known)} for untied queries and keys"
            raise BadInput(name, value, valid)
    if more or not problem.tokens.gaussian:
        valid = "has Gaussian tokens alone, and no eigenvectors"
        raise BadInput("training", problem.estimator.name, valid)


def _below_one(name: str, value: Number) -> float:
    number = float(non_negative(name, value))
    if number >= 1:
        raise BadInput(name, value, "must be at least 0 and below 1")
    return number


def _lams(estimator: Estimator, lam_path: Iterable[Number] | None) -> tuple[Fraction, ...]:
    path = [] if lam_path is None else several("lam_path", lam_path)
    lams = [positive("lam_path", lam) for lam in path]
    # A penalty without a strength is taken as it is.
    own: Fraction = getattr(estimator, "lam", Fraction(1))
    if not estimator.trained().vanishes:
        lams.append(own)
    if not lams:
        raise BadInput(
            "lam",
            0,
            "must be greater than 0 to train",
            "training without a penalty selects another interpolator than the limit lam -> 0+; "
            "approach it with a decreasing `lam_path`",
        )
    for larger, smaller in pairwise(lams):
        if smaller >= larger:
            raise BadInput("lam_path", float(smaller), "must decrease, and stay above `lam`")
    return tuple(lams)


def seed_numbers(seeds: int | Iterable[int]) -> tuple[int, ...]:
    """The seeds 0, 1, ... of a number of them, or the seeds given.

    Raises
    ------
    BadInput
        If there is none, or one twice.
    """
    if isinstance(seeds, int | np.integer):
        return tuple(range(whole("seeds", int(seeds), at_least=1)))
    numbers = tuple(several("seeds", seeds))
    for seed in numbers:
        generator(seed, "teacher")
    if not numbers or len(set(numbers)) < len(numbers):
        raise BadInput("seeds", numbers, "must be one or more seeds, each once")
    return tuple(int(seed) for seed in numbers)
