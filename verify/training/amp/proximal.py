"""The proximal step of message passing: the global minimum over the scores of each sample."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from attlas.verify.training.amp.curvature import Expansion, expand
from attlas.verify.training.amp.metric import Metric
from attlas.verify.training.amp.pairs import Pairs, pairs
from attlas.verify.training.amp.steps import Response
from attlas.verify.training.losses import Misfit

#: Newton converges quadratically: a step below this leaves an error below rounding.
_LAST_STEP = 1e-9
_MAX_STEPS, _HALVINGS = 100, 20
#: Smallest pivot of 1 + sigma Hessian at which the full Newton step is used.
_SAFE_PIVOT = 0.02
#: Longest step in whitened scores, in units of 1/beta.
_LONGEST_STEP = 2.0


@dataclass(frozen=True, eq=False)
class Proximal:
    """Minimise l(y, h) + (h - omega)^T D^-1 (h - omega)/(2 sigma) for each sample.

    Attributes
    ----------
    misfit : Misfit
    metric : Metric
    tokens, samples : int
    scale : float
        beta of the student: the loss changes on the scale 1/beta.
    """

    misfit: Misfit
    metric: Metric
    tokens: int
    samples: int
    scale: float

    @property
    def layout(self) -> Pairs:
        """The pairs of tokens."""
        return pairs(self.tokens)

    def best(
        self, omega: torch.Tensor, sigma: float, starts: list[torch.Tensor]
    ) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The lowest of the minima that the starts lead to, and all of them.

        Parameters
        ----------
        omega : Tensor (n, P)
        sigma : float >= 0
        starts : list of Tensor (n, P)

        Returns
        -------
        h : Tensor (n, P)
        minima : list of Tensor (n, P)
            One a start; they serve as starts of a neighbouring problem.
        """
        if sigma == 0:
            return omega, [omega for _ in starts]
        field = self._whiten(omega)
        minima = [self._descend(field, sigma, self._whiten(start)) for start in starts]
        lowest, lowest_value = minima[0], self._objective(minima[0], field, sigma)
        for other in minima[1:]:
            value = self._objective(other, field, sigma)
            lowest = torch.where((value < lowest_value)[:, None], other, lowest)
            lowest_value = torch.minimum(value, lowest_value)
        every = torch.arange(self.samples, device=omega.device)
        return self._unwhiten(lowest, every), [self._unwhiten(one, every) for one in minima]

    def respond(
        self, omega: torch.Tensor, sigma: float, starts: list[torch.Tensor]
    ) -> tuple[Response, list[torch.Tensor]]:
        """g = D^-1 (h - omega)/sigma at the global minimum h, and the minima found.

        g is minus the gradient of the loss there, which is the same without dividing by sigma.
        """
        h, minima = self.best(omega, sigma, starts)
        return self.response(h, sigma), minima

    def response(self, h: torch.Tensor, sigma: float) -> Response:
        """How the field of the loss answers to omega at a minimum h."""
        every = torch.arange(self.samples, device=h.device)
        about = expand(self.misfit, self.layout.scores(h), every)
        root = self.metric.take(every)
        hessian = root.mT @ about.hessian @ root
        stiff = sigma * hessian + torch.eye(h.shape[1], dtype=h.dtype, device=h.device)
        response = torch.linalg.solve(stiff, hessian)
        trace = float(response.diagonal(dim1=1, dim2=2).sum())
        square = float((response * response.mT).sum())
        return Response(-about.gradient, trace, square)

    def _descend(self, field: torch.Tensor, sigma: float, start: torch.Tensor) -> torch.Tensor:
        """The minimum that a descending Newton iteration reaches, in whitened scores."""
        found = start.clone()
        index = torch.arange(self.samples, device=start.device)
        here = start
        for _ in range(_MAX_STEPS):
            about, root = self._expand(here, index), self.metric.take(index)
            step = self._newton(here - field[index], about, root, sigma)
            step = self._shortened(here, step, field[index], about, index, sigma)
            here = here + step
            going = step.abs().amax(dim=1) * self.scale >= _LAST_STEP
            found[index] = here
            if not bool(going.any()):
                break
            index, here = index[going], here[going]
        return found

    def _newton(
        self, displaced: torch.Tensor, about: Expansion, root: torch.Tensor, sigma: float
    ) -> torch.Tensor:
        gradient = displaced + sigma * (root.mT @ about.gradient[..., None])[..., 0]
        identity = torch.eye(displaced.shape[1], dtype=root.dtype, device=root.device)
        factor, info = torch.linalg.cholesky_ex(sigma * (root.mT @ about.hessian @ root) + identity)
        pivots = factor.diagonal(dim1=1, dim2=2).amin(dim=1)
        unsafe = (info != 0) | (pivots < _SAFE_PIVOT**0.5)
        if bool(unsafe.any()):
            safe_root = root if len(root) == 1 else root[unsafe]
            positive = sigma * (safe_root.mT @ about.positive[unsafe] @ safe_root) + identity
            factor[unsafe] = torch.linalg.cholesky(positive)
        step = -torch.cholesky_solve(gradient[..., None], factor)[..., 0]
        longest = step.abs().amax(dim=1, keepdim=True) * (self.scale / _LONGEST_STEP)
        return step / longest.clamp(min=1.0)

    def _shortened(
        self,
        here: torch.Tensor,
        step: torch.Tensor,
        field: torch.Tensor,
        about: Expansion,
        index: torch.Tensor,
        sigma: float,
    ) -> torch.Tensor:
        """The step, halved where it does not lower the objective (rounding apart)."""
        before = about.value * sigma + (here - field).square().sum(dim=1) / 2
        allowed = before + 1e-13 * (before.abs() + 1)
        step = step.clone()
        worse = torch.arange(len(here), device=here.device)
        for _ in range(_HALVINGS):
            moved = here[worse] + step[worse]
            value = self._value(moved, index[worse]) * sigma
            after = value + (moved - field[worse]).square().sum(dim=1) / 2
            worse = worse[after > allowed[worse]]
            if len(worse) == 0:
                break
            step[worse] *= 0.5
        return step

    def _objective(self, zeta: torch.Tensor, field: torch.Tensor, sigma: float) -> torch.Tensor:
        every = torch.arange(self.samples, device=zeta.device)
        return sigma * self._value(zeta, every) + (zeta - field).square().sum(dim=1) / 2

    def _value(self, zeta: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return self._expand(zeta, index).value

    def _expand(self, zeta: torch.Tensor, index: torch.Tensor) -> Expansion:
        return expand(self.misfit, self.layout.scores(self._unwhiten(zeta, index)), index)

    def _whiten(self, h: torch.Tensor) -> torch.Tensor:
        solved = torch.linalg.solve_triangular(self.metric.root, h[..., None], upper=False)
        return solved[..., 0]

    def _unwhiten(self, zeta: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return (self.metric.take(index) @ zeta[..., None])[..., 0]
