"""Message passing on maps. theory.md section 10."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
import torch

from attlas.verify.training.amp.iteration import Iteration
from attlas.verify.training.amp.metric import mean_metric, sample_metric
from attlas.verify.training.amp.proximal import Proximal
from attlas.verify.training.amp.steps import MapStep, ScoreStep
from attlas.verify.training.losses import Objective
from attlas.verify.training.penalty import SpectralPenalty

#: Onsager variance at the start, of the order of the proximal step that a unit loss allows.
SIGMA_START = 1.0
#: Iterations after which the proximal minima are looked for from scratch again.
_FRESH = 10
#: Eigenvalues closer than this, relatively to the largest, share one slope.
_CLOSE = 1e-9


@dataclass(frozen=True, eq=False)
class State:
    """Where message passing is.

    Attributes
    ----------
    s : ndarray (d, d)
    sigma : float
    g : Tensor (n, P)
    sigma_hat : float
        The last conjugate, kept where an iteration yields none that is positive.
    """

    s: np.ndarray
    sigma: float
    g: torch.Tensor
    sigma_hat: float


@dataclass(frozen=True, eq=False)
class MessagePassing:
    """One problem in S, ready to be iterated. No n x d x d array is ever formed.

    Attributes
    ----------
    objective : Objective
        Centred by the trace.
    score_step : ScoreStep
        Proximal for the minimum of a loss.
    map_step : MapStep
        A penalty's proximal operator for the minimum of a loss.
    label_scores : Tensor (n, P)
        Scores that fit the labels, the second start of the proximal step.
    s0 : ndarray (d, d)
        The teacher, for the record of m only.
    """

    objective: Objective
    score_step: ScoreStep
    map_step: MapStep
    label_scores: torch.Tensor
    s0: np.ndarray

    @classmethod
    def build(
        cls,
        objective: Objective,
        penalty: SpectralPenalty,
        label_scores: np.ndarray,
        s0: np.ndarray,
        *,
        onsager: str,
        beta: float,
    ) -> MessagePassing:
        """Prepare the metric and the proximal step of all samples."""
        tokens, n, _ = objective.x.shape
        metric = (
            sample_metric(objective.x) if onsager == "sample" else mean_metric(tokens, objective.x)
        )
        proximal = Proximal(objective.misfit, metric, tokens, n, beta)
        labels = torch.from_numpy(label_scores).to(objective.x)
        return cls(objective, proximal, penalty, proximal.layout.pick(labels), s0)

    def with_map_step(self, map_step: MapStep) -> MessagePassing:
        """The same data with another estimate of the map."""
        return replace(self, map_step=map_step)

    def start(self, sigma: float = SIGMA_START) -> State:
        """S = 0 and g = 0."""
        d = len(self.s0)
        return State(np.zeros((d, d)), sigma, torch.zeros_like(self.label_scores), 1.0)

    def iterate(
        self, state: State, damping: Callable[[], float]
    ) -> Iterator[tuple[State, Iteration]]:
        """Iterate for ever.

        Parameters
        ----------
        state : State
        damping : callable
            Weight of the old S, sigma and g in the new ones, asked for at each iteration.
        """
        omega = self._fields(state)
        minima = [omega, self.label_scores]
        step, before = 0, np.zeros_like(state.s)
        while True:
            step += 1
            if step % _FRESH == 1:
                minima = [omega, self.label_scores]
            following, record, minima = self._step(state, omega, minima, damping())
            change = following.s - state.s
            size = max(float(np.linalg.norm(following.s)), sqrt(len(change)))
            lengths = float(np.linalg.norm(change)), float(np.linalg.norm(before))
            turn = float(np.vdot(change, before)) / max(lengths[0] * lengths[1], 1e-300)
            state, before = following, change
            yield (
                state,
                Iteration(
                    step=step,
                    q=float(np.vdot(state.s, state.s)) / len(change),
                    m=float(np.vdot(state.s, self.s0)) / len(change),
                    sigma=state.sigma,
                    change=lengths[0] / size,
                    turn=turn,
                    **record,
                ),
            )
            omega = self._fields(state)

    def _fields(self, state: State) -> torch.Tensor:
        """omega = Tr Z S - sigma D g."""
        scores, _ = self.objective.scores_of_map(torch.from_numpy(state.s).to(self.objective.x))
        own = self.score_step.layout.pick(scores.permute(2, 0, 1))
        return own - state.sigma * self.score_step.metric.apply(state.g)

    def _step(
        self, state: State, omega: torch.Tensor, minima: list[torch.Tensor], damping: float
    ) -> tuple[State, dict[str, float], list[torch.Tensor]]:
        d = len(state.s)
        response, minima = self.score_step.respond(omega, state.sigma, minima)
        g = response.g + damping * (state.g - response.g)
        sigma_hat = 2 / d**2 * response.trace
        if sigma_hat <= 0:  # the loss is concave on average: no proximal step belongs to it
            sigma_hat = state.sigma_hat
        q_hat = 2 / d**2 * float((g * self.score_step.metric.apply(g)).sum())
        field = sigma_hat * state.s + 2 / d * self._pull_back(g)
        s, sigma, spread = self._denoised(field, sigma_hat)
        record = {
            "q_hat": q_hat,
            "sigma_hat": sigma_hat,
            "replicon": 2 / d**2 * response.square * spread,
        }
        return (
            State(
                s + damping * (state.s - s),
                sigma + damping * (state.sigma - sigma),
                g,
                sigma_hat,
            ),
            record,
            minima,
        )

    def _pull_back(self, g: torch.Tensor) -> np.ndarray:
        """sum_mu sum_{a<=b} g_ab Z_ab."""
        layout = self.score_step.layout
        halved = g / torch.from_numpy(2.0 / layout.weights).to(g)
        ordered = layout.scores(halved).permute(1, 2, 0).contiguous()
        return self.objective.pull_back(ordered).cpu().numpy()

    def _denoised(self, field: np.ndarray, sigma_hat: float) -> tuple[np.ndarray, float, float]:
        """The new S, its Onsager variance, and the mean squared divided difference."""
        d = len(field)
        step = 2 / (d * sigma_hat)
        values, vectors = np.linalg.eigh(field / sigma_hat)
        shrunk, slopes = self.map_step.estimate(values, step)
        s = (vectors * shrunk) @ vectors.T
        gaps = values[:, None] - values
        close = np.abs(gaps) <= _CLOSE * max(float(np.abs(values).max()), 1e-300)
        quotients = np.where(
            close,
            (slopes[:, None] + slopes) / 2,
            (shrunk[:, None] - shrunk) / np.where(close, 1.0, gaps),
        )
        total = float(quotients.sum()) + float(slopes.sum())
        spread = float(np.square(quotients).sum())
        return (s + s.T) / 2, total / (d**2 * sigma_hat), spread / (d * sigma_hat) ** 2
