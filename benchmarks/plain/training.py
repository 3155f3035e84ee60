"""A plain PyTorch script: autograd through softmax, full data, Adam with cosine decay, float64."""

from __future__ import annotations

import time
from math import sqrt

import numpy as np
import torch


def adam(
    x: np.ndarray, labels: np.ndarray, lam: float, steps: int, goal: float, seed: int = 0
) -> tuple[float, float, int]:
    """Train a square W; stop as soon as the objective is at most ``goal``.

    Parameters
    ----------
    x : ndarray (n, T, d)
    labels : ndarray (n, T, T)
    lam : float
    steps : int
        Length of the cosine decay.
    goal : float

    Returns
    -------
    seconds, lowest objective, steps made
    """
    d = x.shape[2]
    tokens, y = torch.from_numpy(x), torch.from_numpy(labels)
    torch.manual_seed(seed)
    w = torch.randn(d, d, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([w], lr=0.05)
    decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    identity = torch.eye(tokens.shape[1], dtype=torch.float64)
    lowest, made, began = float("inf"), 0, time.perf_counter()
    while made < steps and lowest > goal:
        optimiser.zero_grad()
        s = w @ w.T / d
        scores = (tokens @ s @ tokens.mT - torch.trace(s) * identity) / sqrt(d)
        loss = (y - torch.softmax(scores, dim=-1)).square().sum() + lam * w.square().sum()
        loss.backward()
        optimiser.step()
        decay.step()
        lowest, made = min(lowest, float(loss.detach())), made + 1
    return time.perf_counter() - began, lowest, made
