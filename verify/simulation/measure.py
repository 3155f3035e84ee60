"""The result keys of a trained head, measured on its teacher and on fresh data."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
import torch

from attlas.model import Problem
from attlas.solver.solution import Observables
from attlas.verify.data.pool import TokenPool
from attlas.verify.data.randomness import generator
from attlas.verify.data.sequences import Data, draw_data, labels_of, raw_scores
from attlas.verify.data.teacher import Teacher
from attlas.verify.training.losses import Objective, misfit_of
from attlas.verify.training.rank import non_zero
from attlas.verify.training.task import Trained

#: Tokens in the test set; it is drawn in blocks of this many sequences.
TEST_TOKENS = 60_000
TEST_BLOCK = 5_000


@dataclass(frozen=True)
class Measured:
    """Observables of one run, and the sampling error of its test errors.

    Attributes
    ----------
    observables : Observables
        q, m, mse, rank_fraction, train_error, test_error, test_error_clean, loss; of a
        cross-entropy also test_square and accuracy.
    sampling_error : Observables
        Standard errors of those on fresh data over the finite test set.
    """

    observables: Observables
    sampling_error: Observables


def measure(
    problem: Problem,
    teacher: Teacher,
    data: Data,
    trained: Trained,
    *,
    seed: int,
    centring: str = "trace",
    pool: TokenPool | None = None,
) -> Measured:
    """Measure a trained head. theory.md sections 3 and 6.

    Parameters
    ----------
    problem, teacher, data
        As it was trained.
    trained : Trained
    seed : int
        Fixes the test set, whatever the algorithm.
    centring, pool
        As in :func:`attlas.verify.data.sequences.draw_data`. With ``centring="average"`` test
        scores are centred by the training set's averages.

    Notes
    -----
    q = Tr S^2/d, m = Tr S S0/d, loss = min L/d^2, train_error per sample without the penalty;
    seq2seq errors are in the normalisation of its own loss. Where tokens have a covariance C, q, m
    and mse are those of C^(1/2) S C^(1/2), as in the theory. Errors on fresh data use control
    variates whose expectation is exact for Gaussian tokens (quadratic forms of the scores).
    """
    s, d = trained.s, teacher.d
    seen, truth = data.moments.whitened(s), data.moments.whitened(teacher.s0)
    q, m, q0, mse = (
        float(np.sum(left * right) / d)
        for left, right in (
            (seen, seen),
            (seen, truth),
            (truth, truth),
            (seen - truth, seen - truth),
        )
    )
    objective = Objective.build(problem, data, lam=0.0, centring=centring)
    scores, offset = objective.scores_of_map(torch.from_numpy(s))
    train = float(objective.misfit.per_sample(scores).mean())
    rank = int(np.sum(non_zero(trained.eigenvalues, teacher.eigenvalues[0])))
    gaussian = pool is None and problem.tokens.gaussian
    overlaps = (q0, m, q) if gaussian else None
    fresh = _on_fresh_data(problem, teacher, data, s, offset.numpy(), seed, pool, overlaps)
    return Measured(
        Observables(
            q=q,
            m=m,
            mse=mse,
            rank_fraction=rank / d,
            train_error=train,
            loss=trained.certificate.objective / d**2,
            **{key: mean for key, (mean, _) in fresh.items()},
        ),
        Observables(**{key: bar for key, (_, bar) in fresh.items()}),
    )


def _on_fresh_data(
    problem: Problem,
    teacher: Teacher,
    data: Data,
    s: np.ndarray,
    offset: np.ndarray,
    seed: int,
    pool: TokenPool | None,
    overlaps: tuple[float, float, float] | None,
) -> dict[str, tuple[float, float]]:
    """Mean and standard error of every key that fresh data measure.

    Q0, m and q are given where scores are Gaussian.
    """
    tokens = problem.channel.tokens
    half = float(problem.channel.noise) / 2
    # By key: whether its scores are noisy, and its values of each sample, block by block.
    found: dict[str, tuple[bool, list[np.ndarray]]] = {}
    features: dict[bool, list[np.ndarray]] = {True: [], False: []}
    for part in range(ceil(TEST_TOKENS / tokens / TEST_BLOCK)):
        test = draw_data(
            problem,
            teacher,
            TEST_BLOCK,
            seed,
            "test",
            part=part,
            offset=data.offset,
            pool=pool,
        )
        raw = raw_scores(test.x, s)
        x = _samples_last(test.x.transpose(1, 0, 2))
        student = _samples_last((raw - offset).transpose(1, 2, 0))
        # The control variates need exactly centred scores, whatever centring was trained with.
        exact_student = raw - data.moments.offset(s)
        shift = data.offset - data.moments.offset(teacher.s0)
        for noisy, behind in ((True, test.noisy_scores), (False, test.scores)):
            rng = generator(seed, "test-labels", part)
            labels = _samples_last(labels_of(problem.channel, behind, rng).transpose(1, 2, 0))
            misfit = misfit_of(problem.channel, labels, x, problem.task)
            values = {"test_error" if noisy else "test_error_clean": misfit.per_sample(student)}
            values |= _of_attention(problem, behind, student, x, noisy=noisy)
            for key, value in values.items():
                found.setdefault(key, (noisy, []))[1].append(value.numpy())
            features[noisy].append(_quadratic_forms(behind + shift, exact_student))
    weight = 2.0 if tokens == 1 else float(tokens * tokens - 1)
    results: dict[str, tuple[float, float]] = {}
    for key, (noisy, blocks) in found.items():
        values = np.concatenate(blocks)
        if overlaps is not None:
            q0, m, q = overlaps
            expected = weight * np.array([q0 + noisy * half, m, q])
            values = _controlled(values, np.concatenate(features[noisy]) - expected)
        results[key] = float(values.mean()), float(values.std(ddof=4) / np.sqrt(values.size))
    return results


def _of_attention(
    problem: Problem, behind: np.ndarray, student: torch.Tensor, x: torch.Tensor, *, noisy: bool
) -> dict[str, torch.Tensor]:
    """Of a cross-entropy: the accuracy beside noisy scores, the squared distance beside clean."""
    attention = problem.channel.attention
    if attention is None:
        return {}
    rng = np.random.default_rng(0)  # draws nothing: attention is a function of the scores
    chances = _samples_last(labels_of(attention, behind, rng).transpose(1, 2, 0))
    if noisy:
        best = student.argmax(dim=1, keepdim=True)
        return {"accuracy": chances.gather(1, best).mean(dim=(0, 1))}
    return {"test_square": misfit_of(attention, chances, x, problem.task).per_sample(student)}


def _samples_last(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


def _quadratic_forms(z0: np.ndarray, h: np.ndarray) -> np.ndarray:
    """z0.z0, z0.h and h.h of each sample over what labels see: scores less their row means.

    For Gaussian tokens their expectations are exact at any d: T^2 - 1 times Q, m, q (twice them
    for one token, where there is no row to centre).
    """
    if z0.shape[1] > 1:
        z0 = z0 - z0.mean(axis=2, keepdims=True)
        h = h - h.mean(axis=2, keepdims=True)
    pairs = ((z0, z0), (z0, h), (h, h))
    return np.stack([np.einsum("nab,nab->n", left, right) for left, right in pairs], axis=1)


def _controlled(values: np.ndarray, centred: np.ndarray) -> np.ndarray:
    """Values less the part that the zero-mean features explain; the mean is unchanged."""
    design = np.column_stack([np.ones(len(values)), centred])
    coefficients, *_ = np.linalg.lstsq(design, values, rcond=None)
    return values - centred @ coefficients[1:]
