"""Sequences and labels drawn from a problem and a teacher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from attlas.model import Channel, Problem
from attlas.model.errors import unknown_name
from attlas.solver.channels.functions import Arrays
from attlas.verify.data.moments import Moments
from attlas.verify.data.pool import TokenPool
from attlas.verify.data.randomness import digest, generator
from attlas.verify.data.teacher import Teacher
from attlas.verify.machine.memory import require_memory

#: What is subtracted from x_a^T S x_b/sqrt(d): its mean, A_ab Tr CS/sqrt(d), or the average over
#: the training set, entry by entry, as the paper does (the same in the limit).
CENTRINGS: tuple[str, ...] = ("trace", "average")


@dataclass(frozen=True, eq=False)
class Data:
    """n sequences with their labels, float64.

    Attributes
    ----------
    x : ndarray (n, T, d)
        Tokens.
    scores : ndarray (n, T, T)
        h(S0), centred, without noise.
    noisy_scores : ndarray (n, T, T)
        z0 = h(S0) + sqrt(noise) xi; the same object as ``scores`` when the noise is 0.
    labels : ndarray (n, T, T)
        What the channel makes of ``noisy_scores``.
    offset : ndarray (T, T)
        What was subtracted from x_a^T S0 x_b/sqrt(d).
    moments : Moments
        Second moments of the tokens' law.
    digest : str
        SHA-256 of the teacher's digest, the tokens, the noise and drawn labels: generator output.
    """

    x: np.ndarray
    scores: np.ndarray
    noisy_scores: np.ndarray
    labels: np.ndarray
    offset: np.ndarray
    moments: Moments
    digest: str


def labels_of(channel: Channel, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Labels of teacher scores of shape (n, T, T), drawn where the channel draws them.

    One number of ``rng`` a sample, in order. theory.md sections 1 and 18.
    """
    behind: Any = scores.transpose(1, 2, 0)
    if channel.outcomes:
        chances = np.cumsum(np.array(channel.probabilities(behind, Arrays())), axis=0)
        drawn = (chances[:-1] < rng.random(len(scores))).sum(axis=0)
        return np.array(channel.outcomes, dtype=float)[drawn]
    labels = np.asarray(channel.labels(behind, Arrays()))
    return np.ascontiguousarray(labels.transpose(2, 0, 1))


def raw_scores(x: np.ndarray, s: np.ndarray) -> np.ndarray:
    """x_a^T S x_b/sqrt(d) for every sequence, shape (n, T, T); no n x d x d array is formed."""
    n, tokens, d = x.shape
    images = (x.reshape(n * tokens, d) @ s).reshape(n, tokens, d)
    return np.einsum("nai,nbi->nab", images, x) / np.sqrt(d)


def draw_data(
    problem: Problem,
    teacher: Teacher,
    n: int,
    seed: int,
    purpose: Literal["train", "test"] = "train",
    *,
    part: int = 0,
    centring: str = "trace",
    offset: np.ndarray | None = None,
    pool: TokenPool | None = None,
) -> Data:
    """Draw n sequences and their labels on the CPU in float64. theory.md section 1.

    Parameters
    ----------
    problem : Problem
        Its channel says how scores become labels; alpha is not used.
    teacher : Teacher
    n : int >= 1
    seed : int >= 0
        Fixes tokens, noise and drawn labels whatever n: a longer draw begins with the same
        sequences.
    purpose : {"train", "test"}
    part : int >= 0
        Block of a long draw.
    centring : {"trace", "average"}
        What is subtracted from the teacher's raw scores; "average" is over this draw.
    offset : ndarray (T, T), optional
        Subtract this instead (a test set takes its training set's).
    pool : TokenPool, optional
        Where tokens are taken from, in place of the problem's law.
    """
    if centring not in CENTRINGS:
        raise unknown_name("centring", centring, CENTRINGS)
    tokens = problem.channel.tokens
    require_memory(teacher.d, 2 * n * tokens * teacher.d, "lower `d`, `n` or `alpha`")
    rng = generator(seed, f"{purpose}-tokens", part)
    shape = (n, tokens, teacher.d)
    moments = Moments.of(problem, teacher.d)
    if pool is not None:
        x, moments = pool.draw(rng, n, tokens), pool.moments(tokens)
    else:
        x = problem.tokens.draw(rng, shape)
    scores = raw_scores(x, teacher.s0)
    if offset is not None:
        shift = offset
    elif centring == "average":
        shift = scores.mean(axis=0)
    else:
        shift = moments.offset(teacher.s0)
    scores -= shift
    noisy, hashed = scores, [teacher.digest, x]
    if problem.channel.noise > 0:
        xi = _symmetric_noise(generator(seed, f"{purpose}-noise", part), n, tokens)
        noisy = scores + np.sqrt(float(problem.channel.noise)) * xi
        hashed.append(xi)
    labels = labels_of(problem.channel, noisy, generator(seed, f"{purpose}-labels", part))
    if problem.channel.outcomes:
        hashed.append(labels)
    return Data(x, scores, noisy, labels, shift, moments, digest(*hashed))


def _symmetric_noise(rng: np.random.Generator, n: int, tokens: int) -> np.ndarray:
    """Symmetric, variance 1 on the diagonal and 1/2 off it; one draw a sample, in order."""
    full = rng.standard_normal((n, tokens, tokens))
    upper = np.triu(full, 1) / np.sqrt(2.0)
    return upper + np.swapaxes(upper, 1, 2) + full * np.eye(tokens)
