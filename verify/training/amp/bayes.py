"""Message passing with the posterior mean of the map: the Bayes-optimal estimate, made from data.

Labels show the noisy scores up to what softmax cannot see, a shift of all of them. Given the fields
omega, noisy scores are Gaussian, and so is all that labels say: no integral is left. The map's
posterior mean given S0 + delta Z keeps eigenvectors and moves each eigenvalue x to
x - 2 delta^2 Re G(x). theory.md sections 10 and 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch

from attlas.model import Problem
from attlas.solver.spectrum import Band, TargetLaw, target_law
from attlas.verify.data.sequences import Data
from attlas.verify.training.amp.iteration import Iteration
from attlas.verify.training.amp.metric import Metric, sample_metric
from attlas.verify.training.amp.pairs import Pairs, pairs
from attlas.verify.training.amp.passing import MessagePassing
from attlas.verify.training.amp.steps import Response
from attlas.verify.training.losses import Objective

Array = np.ndarray
#: Iterations allowed, and the relative change of S at which they end.
_STEPS, _SETTLED = 400, 1e-5
#: Weight of the old state: at d below a hundred undamped iterations may swing (section 10).
_DAMPING = 0.3
#: Step of the derivative of the estimate, relative to delta: it enters sums over all eigenvalues.
_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class PosteriorScores:
    """The response to labels that show noisy scores exactly, up to a shift.

    Attributes
    ----------
    label_scores : Tensor (n, P)
        The noisy scores, up to a shift.
    metric : Metric
    tokens : int
    noise : float
        Delta: noisy scores have variance (1 + delta_ab) Delta/2 more than clean ones.
    """

    label_scores: torch.Tensor
    metric: Metric
    tokens: int
    noise: float

    @property
    def layout(self) -> Pairs:
        """The pairs of tokens."""
        return pairs(self.tokens)

    @property
    def seen(self) -> torch.Tensor:
        """The differences of scores that labels show, as rows (D, P); all of them for T = 1."""
        size = self.layout.size
        rows = np.eye(size)
        if self.tokens > 1:
            rows = rows[:-1] - rows[-1]
        return torch.from_numpy(rows).to(self.label_scores)

    def respond(
        self,
        omega: torch.Tensor,
        sigma: float,
        starts: list[torch.Tensor],
    ) -> tuple[Response, list[torch.Tensor]]:
        """g = B^T (B (sigma D + noise/2) B^T)^-1 B (label scores - omega)."""
        seen = self.seen
        weights = torch.from_numpy(self.layout.weights).to(omega)
        spread = sigma * self.metric.covariance + self.noise / 2 * torch.diag(weights)
        pull = seen.T @ torch.linalg.solve(seen @ spread @ seen.T, seen.expand(len(spread), -1, -1))
        g = (pull @ (self.label_scores - omega)[..., None])[..., 0]
        response = pull @ self.metric.covariance
        share = len(omega) / len(response)  # samples that share one metric
        trace = share * float(response.diagonal(dim1=1, dim2=2).sum())
        square = share * float((response * response.mT).sum())
        return Response(g, trace, square), starts


@dataclass(frozen=True, eq=False)
class PosteriorMap:
    """The posterior mean of S0 given S0 + delta Z, eigenvalue by eigenvalue.

    At finite d a few eigenvalues lie outside the bands, where Re G has a vertical tangent that
    would throw the iteration off; they take Re G of the nearest edge. In the limit there are none.

    Attributes
    ----------
    law : TargetLaw
        Of the eigenvalues of S0.
    d : int
    """

    law: TargetLaw
    d: int

    def estimate(self, x: Array, step: float) -> tuple[Array, Array]:
        """x - 2 delta^2 Re G(x) with delta^2 = d step/2, and its central difference."""
        variance = self.d * step / 2
        noisy = self.law.noisy(variance**0.5)
        bands = noisy.bands()

        def mean(at: Array) -> Array:
            return at - 2 * variance * noisy.hilbert(_nearest(at, bands))

        width = _STEP * variance**0.5
        return mean(x), (mean(x + width) - mean(x - width)) / (2 * width)


def _nearest(x: Array, bands: tuple[Band, ...]) -> Array:
    """The nearest points of the bands."""
    within = np.stack([np.clip(x, band.lower, band.upper) for band in bands])
    return np.take_along_axis(within, np.abs(within - x).argmin(axis=0)[None], axis=0)[0]


@dataclass(frozen=True, eq=False)
class Estimate:
    """Where Bayes-optimal message passing ends.

    Attributes
    ----------
    s : ndarray (d, d)
        The posterior mean of the map, in the limit of large d.
    last : Iteration
        Order parameters after the last iteration; its ``sigma`` is the squared error that the
        estimate ascribes to itself.
    """

    s: Array
    last: Iteration

    @property
    def converged(self) -> bool:
        """Whether the map has settled."""
        return self.last.change <= _SETTLED


def posterior_mean(problem: Problem, data: Data, s0: Array) -> Estimate:
    """The posterior mean of the map given a data set, from S = 0.

    Parameters
    ----------
    problem : Problem
        Its target is the prior, its channel the likelihood; the estimator is not used.
    data : Data
    s0 : ndarray (d, d)
        The teacher, for the record of m only.
    """
    objective = Objective.build(problem, data, lam=0.0)
    labels = torch.from_numpy(data.noisy_scores).to(objective.x)
    tokens, law = problem.channel.tokens, target_law(problem.target)
    step = PosteriorScores(
        label_scores=pairs(tokens).pick(labels),
        metric=sample_metric(objective.x),
        tokens=tokens,
        noise=float(problem.channel.noise),
    )
    passing = MessagePassing(objective, step, PosteriorMap(law, len(s0)), step.label_scores, s0)
    iterations = passing.iterate(passing.start(law.q0), lambda: _DAMPING)
    for state, record in islice(iterations, _STEPS):
        found = Estimate(state.s, record)
        if found.converged:
            break
    return found
