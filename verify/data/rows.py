"""Queries and keys of a head whose scores are independent, one row of scores at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attlas.model import Channel, Problem
from attlas.solver.channels.functions import Arrays
from attlas.verify.data.randomness import digest, generator
from attlas.verify.data.teacher import Teacher


@dataclass(frozen=True, eq=False)
class Rows:
    """N = n T queries, each with its keys and labels, float64. theory.md section 19.

    Attributes
    ----------
    x : ndarray (N, d)
        Queries.
    keys : ndarray (K, N, d)
    labels, clean : ndarray (1, K, N)
        What the channel makes of the teacher's scores, with and without their noise.
    digest : str
        SHA-256 of the teacher's digest, the tokens and the noise: pure generator output.
    """

    x: np.ndarray
    keys: np.ndarray
    labels: np.ndarray
    clean: np.ndarray
    digest: str


def draw_rows(
    problem: Problem,
    teacher: Teacher,
    n: int,
    seed: int,
    purpose: Literal["train", "test"] = "train",
    *,
    part: int = 0,
) -> Rows:
    """Draw n sequences of queries, with keys of their own or the sequence's other tokens.

    Parameters
    ----------
    problem : Problem
        Of an estimator whose scores are independent.
    teacher : Teacher
    n, seed, purpose, part
        As in :func:`attlas.verify.data.sequences.draw_data`.
    """
    form, d = problem.scores, teacher.d
    masked = getattr(problem.estimator, "masked", False)
    drawn = form.queries if masked else form.queries + form.keys
    tokens = generator(seed, f"{purpose}-tokens", part).standard_normal((n, drawn, d))
    queries = tokens[:, : form.queries].reshape(-1, d)
    if masked:
        others = [[b for b in range(drawn) if b != a] for a in range(drawn)]
        keys = tokens[:, others]  # (n, T, T - 1, d)
    else:
        keys = np.repeat(tokens[:, None, form.queries :], form.queries, axis=1)
    keys = np.ascontiguousarray(keys.reshape(-1, form.keys, d).transpose(1, 0, 2))
    scores = rows_of_scores(queries, keys, teacher.s0)
    noisy, hashed = scores, [teacher.digest, tokens]
    if problem.channel.noise > 0:
        xi = generator(seed, f"{purpose}-noise", part).standard_normal((n, form.queries, form.keys))
        noise = xi.reshape(-1, form.keys).T[None]
        noisy = scores + np.sqrt(float(problem.channel.noise) / 2) * noise
        hashed.append(xi)
    clean = _labels(problem.channel, scores)
    labels = clean if noisy is scores else _labels(problem.channel, noisy)
    return Rows(queries, keys, labels, clean, digest(*hashed))


def rows_of_scores(x: np.ndarray, keys: np.ndarray, s: np.ndarray) -> np.ndarray:
    """x^T S x'/sqrt(d) of every query and key, shape (1, K, N)."""
    return np.einsum("ni,kni->kn", x @ s, keys)[None] / np.sqrt(x.shape[1])


def _labels(channel: Channel, scores: np.ndarray) -> np.ndarray:
    return np.asarray(channel.labels(scores, Arrays))  # type: ignore[arg-type]
