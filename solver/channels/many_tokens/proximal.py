"""The proximal operator of the softmax loss for any number of tokens, many samples at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attlas.solver.channels.many_tokens.elimination import solve_symmetric
from attlas.solver.channels.many_tokens.softmax_loss import Prediction, SoftmaxLoss

Array = NDArray[np.floating]
Selection = NDArray[np.intp] | NDArray[np.bool_]

#: Newton converges quadratically: a step below this, in units of 1/beta, leaves an error of about
#: its square.
_LAST_STEP = 3e-6
#: The same in single precision, which only has to find the basin.
_LAST_ROUGH_STEP = 1e-2
#: Distance from a known minimum, in units of 1/beta, below which an iterate counts as in its basin:
#: the loss has no structure on that scale.
_SAME_BASIN = 0.05
#: sigma beta^2 below which 1 + sigma Hessian is positive for every label and field, at any T: the
#: Hessian in the scores of one row is above -0.4808 beta^2, an extremum reached at labels on the
#: vertices and two live entries, and sum_ab h_ab^2 is at most twice the proximal metric.
_CONVEX_BOUND = 1.0398
#: Longest step, in units of 1/beta, the scale on which the loss changes.
_LONGEST_STEP = 2.0
#: Pivot of 1 + sigma Hessian below which Gauss-Newton's curvature is used instead.
_SAFE_PIVOT = 0.02
_MAX_STEPS = 400
#: Halvings of a step that does not lower the objective.
_HALVINGS = 30


@dataclass(frozen=True)
class ProximalProblem:
    """Minimise sigma loss(zeta) + |zeta - omega|^2 / 2 for each sample.

    Parameters
    ----------
    loss : SoftmaxLoss
    omega : array (D, N)
        Field of each sample, in whitened coordinates.
    sigma : float >= 0
    """

    loss: SoftmaxLoss
    omega: Array
    sigma: float

    @property
    def certainly_convex(self) -> bool:
        """Whether every sample has a single minimum whatever its label and field."""
        return self.sigma * self.loss.beta**2 < _CONVEX_BOUND

    def take(self, index: Selection) -> ProximalProblem:
        """The same problem for some of the samples."""
        return ProximalProblem(self.loss.take(index), self.omega[:, index], self.sigma)

    def objective(self, zeta: Array, prediction: Prediction) -> Array:
        """What is minimised, per sample."""
        step = zeta - self.omega
        return self.sigma * self.loss.value(prediction) + 0.5 * np.einsum("in,in->n", step, step)

    def minima(self, second_start: Array) -> tuple[Array, Array]:
        """The minima found from omega and from a second start, each of shape (D, N).

        Where both starts lead to the same minimum, the two are equal to the last bit. The basins
        are found in single precision, at half the cost.
        """
        if self.sigma == 0:
            return self.omega, self.omega
        rough = ProximalProblem(self.loss.single(), self.omega.astype(np.float32), self.sigma)
        first = self._descend(rough._descend(rough.omega, _LAST_ROUGH_STEP), _LAST_STEP)
        if self.certainly_convex:
            return first, first
        known = first.astype(np.float32)
        other = rough._descend(second_start.astype(np.float32), _LAST_ROUGH_STEP, known)
        apart = np.flatnonzero(np.any(other != known, axis=0))
        second = first.copy()
        if apart.size:
            part = self.take(apart)
            second[:, apart] = part._descend(other[:, apart], _LAST_STEP, first[:, apart])
        return first, second

    def _descend(self, start: Array, last_step: float, known: Array | None = None) -> Array:
        """The minimum that a descending Newton iteration reaches.

        Iterates that enter the basin of a known minimum are replaced by it.
        """
        here = start.astype(self.omega.dtype)
        found = here.copy()
        index = np.arange(here.shape[1])
        problem, prediction = self, self.loss.predict(here)
        value = self.objective(here, prediction)
        for _ in range(_MAX_STEPS):
            step = problem._newton_step(here, prediction)
            here, prediction, value, step = problem._accept(here, value, step)
            going = np.max(np.abs(step), axis=0) * self.loss.beta >= last_step
            if known is not None:
                target = known[:, index]
                near = np.max(np.abs(here - target), axis=0) * self.loss.beta < _SAME_BASIN
                here[:, near] = target[:, near]
                going &= ~near
            if going.all():
                continue
            found[:, index[~going]] = here[:, ~going]
            index, here, value = index[going], here[:, going], value[going]
            if index.size == 0:
                return found
            problem, prediction = problem.take(going), prediction.take(going)
        found[:, index] = here
        return found

    def _newton_step(self, zeta: Array, prediction: Prediction) -> Array:
        gradient = zeta - self.omega + self.sigma * self.loss.gradient(prediction)
        step, pivot = self._solve(self.loss.curvature(prediction), -gradient)
        unsafe = np.flatnonzero(pivot < _SAFE_PIVOT)
        if unsafe.size:
            part = self.loss.take(unsafe)
            positive = part.curvature(prediction.take(unsafe), positive_part=True)
            step[:, unsafe], _ = self._solve(positive, -gradient[:, unsafe])
        longest = np.max(np.abs(step), axis=0) * (self.loss.beta / _LONGEST_STEP)
        return step / np.maximum(longest, 1.0)

    def _solve(self, hessian: Array, right: Array) -> tuple[Array, Array]:
        hessian *= self.sigma
        diagonal = np.arange(hessian.shape[0])
        hessian[diagonal, diagonal] += 1.0
        solution, pivot = solve_symmetric(hessian, right[:, None])
        return solution[:, 0], pivot

    def _accept(
        self, here: Array, value: Array, step: Array
    ) -> tuple[Array, Prediction, Array, Array]:
        """Take the step, halved where it does not lower the objective."""
        moved = here + step
        prediction = self.loss.predict(moved)
        after = self.objective(moved, prediction)
        # Rounding of the objective must not stop the last steps.
        allowed = value + np.finfo(value.dtype).eps * (100 * np.abs(value) + 1)
        worse = np.flatnonzero(after > allowed)
        for _ in range(_HALVINGS):
            if worse.size == 0:
                break
            step[:, worse] *= 0.5
            part = self.take(worse)
            trial = here[:, worse] + step[:, worse]
            tried = part.loss.predict(trial)
            moved[:, worse], after[worse] = trial, part.objective(trial, tried)
            prediction.attention[:, :, worse] = tried.attention
            prediction.miss[:, :, worse] = tried.miss
            worse = worse[after[worse] > allowed[worse]]
        return moved, prediction, after, step
