"""Growing parts of the data: the minimum of one is a start for the next, in single precision."""

from __future__ import annotations

from dataclasses import replace

import torch

from attlas.verify.training.losses import Objective
from attlas.verify.training.task import Training

#: A part is this many times the one before.
GROWTH = 4
#: Least samples over d^2 of a part: with fewer the map is far from what all data give, and
#: finding it takes more iterations than it saves.
LEAST_ALPHA = 0.5


def shares(n: int, d: int) -> list[int]:
    """Numbers of samples of the parts, increasing; the last is all n."""
    found = [n]
    while (share := found[-1] // GROWTH) >= LEAST_ALPHA * d**2:
        found.append(share)
    return found[::-1]


def part_of(training: Training, share: int, lam: float) -> Objective:
    """The objective of the first samples with their share of the penalty, in float32."""
    data = training.data
    first = replace(
        data,
        x=data.x[:share],
        scores=data.scores[:share],
        noisy_scores=data.noisy_scores[:share],
        labels=data.labels[:share],
    )
    return Objective.build(
        training.problem,
        first,
        lam=lam * share / len(data.x),
        centring=training.centring,
        device=training.device,
        dtype=torch.float32,
    )
