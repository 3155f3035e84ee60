"""The joint law of labels and fields, and the integrands of the channel's moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.elimination import solve_symmetric
from attlas.solver.channels.many_tokens.proximal import ProximalProblem
from attlas.solver.channels.many_tokens.scores import ReducedScores
from attlas.solver.channels.many_tokens.softmax_loss import SoftmaxLoss, attention_at
from attlas.solver.order_parameters import Overlaps

Array = NDArray[np.floating]

#: Largest coordinate, in units of 1/beta, of a start that fits the label.
_FARTHEST = 8.0
#: Distance, in units of 1/beta, at which two minima count as different.
_APART = 1e-5


@dataclass(frozen=True)
class FieldModel:
    """z0 = sqrt(Q) a and omega = (m/sqrt(Q)) a + s b, a and b independent white normals.

    s^2 = q - m^2/Q; theory.md section 3, in the reduced coordinates of section 4. Numbers of shape
    (D, 1), one a coordinate, where tokens are not the usual ones (section 17).
    """

    root_signal: Array
    slope: Array
    spread: Array
    sigma: float
    beta: float
    beta0: float
    scores: ReducedScores

    @classmethod
    def at(
        cls,
        overlaps: Overlaps,
        signals: Array,
        beta: float,
        beta0: float,
        scores: ReducedScores,
    ) -> FieldModel:
        """The law at given overlaps.

        ``signals`` are Q of each coordinate, of shape (D, 1).

        At s = 0 the envelope forms of the derivatives are 0/0: s is kept above 1e-4 of the scale
        of the scores. On nodes in pairs (a, b), (a, -b) they are then central differences, with
        an error of 1e-8.
        """
        root = signals**0.5
        own, shared = (one * scores.shares[:, None] for one in overlaps.revealed)
        q, m = overlaps.q + own, overlaps.m + shared
        variance = q - m**2 / signals
        floor = 1e-8 * np.maximum(q, 1 / beta**2)
        return cls(
            root_signal=root,
            slope=m / root,
            spread=np.maximum(variance, floor) ** 0.5,
            sigma=overlaps.sigma,
            beta=beta,
            beta0=beta0,
            scores=scores,
        )

    def integrands(self, label: Array, field: Array) -> Array:
        """The integrands of the moments, in the order of their keys, at samples (a, b).

        Parameters
        ----------
        label, field : array (D, N)

        Returns
        -------
        array (9, N)
        """
        attention = attention_at(self.root_signal * label, self.beta0, self.scores)
        problem = ProximalProblem(
            SoftmaxLoss(attention, self.beta, self.scores),
            self.slope * label + self.spread * field,
            self.sigma,
        )
        zeta, two_minima = self.minimum(problem, label)
        prediction = problem.loss.predict(zeta)
        # At the minimum this is (zeta - omega)/sigma, without the cancellation of that form.
        pull = -problem.loss.gradient(prediction)
        loss = problem.loss.value(prediction)
        stretched = np.einsum("in,in->n", pull, pull)
        along_field = pull * field / self.spread
        along_label = (self.slope * along_field - pull * label) / self.root_signal
        along_field *= -0.5
        shares = self.scores.shares
        return np.stack(
            [
                loss + 0.5 * self.sigma * stretched,
                -0.5 * stretched,
                along_label.sum(axis=0),
                along_field.sum(axis=0),
                loss,
                self._response(problem.loss.curvature(prediction)),
                two_minima,
                shares @ along_field,
                shares @ along_label,
            ]
        )

    def minimum(self, problem: ProximalProblem, label: Array) -> tuple[Array, Array]:
        """The lowest minimum found, and whether the two starts found different ones."""
        fit = (self.beta0 * self.root_signal / self.beta) * label
        # Sharp labels are fitted as well by scores in their direction that are not so far off.
        fit /= np.maximum(1.0, np.max(np.abs(fit), axis=0) * (self.beta / _FARTHEST))
        zeta, other = problem.minima(fit)
        apart = np.max(np.abs(zeta - other), axis=0) * self.beta > _APART
        index = np.flatnonzero(apart)
        if index.size:
            part = problem.take(index)
            here, there = (
                part.objective(point[:, index], part.loss.predict(point[:, index]))
                for point in (zeta, other)
            )
            zeta = zeta.copy()
            zeta[:, index] = np.where(there < here, other[:, index], zeta[:, index])
        return zeta, apart.astype(float)

    def _response(self, hessian: Array) -> Array:
        """Tr (r')^2, r' = -H (1 + sigma H)^-1 the Jacobian of (zeta - omega)/sigma in omega."""
        stiffness = self.sigma * hessian
        diagonal = np.arange(hessian.shape[0])
        stiffness[diagonal, diagonal] += 1.0
        slope, _ = solve_symmetric(stiffness, hessian)
        return np.einsum("ijn,jin->n", slope, slope)
