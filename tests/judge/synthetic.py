"""Synthetic runs with a known truth."""

from __future__ import annotations

import numpy as np

from attlas.verify.judgement import Question, Sample


def question(
    rng: np.random.Generator,
    truth: float,
    *,
    name: str = "q",
    sizes: tuple[int, ...] = (24, 36, 60),
    seeds: int = 6,
    spread: float = 0.5,
    slope: float = 1.0,
    margin: float = 0.02,
    departure: str = "",
    band: tuple[float, float] | None = None,
    theory_error: float = 0.0,
    failed: int = 0,
) -> Question:
    """A question whose deviation tends to ``truth`` as d -> infinity.

    ``spread`` is the standard deviation of one run's deviation times d.
    """
    samples = tuple(
        Sample(
            d=d,
            seed=seed,
            measured={"q": 2.0 * (1 + truth + (slope + spread * rng.standard_normal()) / d)},
            theory={"q": 2.0},
            theory_error={"q": 2.0 * theory_error},
            converged=not (d == sizes[0] and seed < failed),
        )
        for d in sizes
        for seed in range(seeds)
    )
    low, high = band or (-margin, margin)
    return Question("claim", name, "q", low, high, samples, departure)
