"""The two steps of message passing: what is done to scores, and what to the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch

from attlas.verify.training.amp.metric import Metric
from attlas.verify.training.amp.pairs import Pairs


@dataclass(frozen=True, eq=False)
class Response:
    """What the scores of all samples send back to the map.

    Attributes
    ----------
    g : Tensor (n, P)
    trace : float
        -sum_mu tr(D dg/domega).
    square : float
        sum_mu tr(D dg/domega D dg/domega).
    """

    g: torch.Tensor
    trace: float
    square: float


class ScoreStep(Protocol):
    """g as a function of the fields omega, whose errors have covariance sigma D."""

    @property
    def layout(self) -> Pairs:
        """The pairs of tokens."""
        ...

    @property
    def metric(self) -> Metric:
        """D of each sample."""
        ...

    def respond(
        self, omega: torch.Tensor, sigma: float, starts: list[torch.Tensor]
    ) -> tuple[Response, list[torch.Tensor]]:
        """The response at omega, and where to look from at the next iteration."""
        ...


class MapStep(Protocol):
    """A function of the eigenvalues of S0 + delta Z, with delta^2 = d step/2."""

    def estimate(self, x: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
        """The estimate and its derivative in x."""
        ...
