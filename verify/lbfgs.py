"""L-BFGS in float64 to a gradient-norm certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from scipy.optimize import minimize

from verify.certificate import relative_gradient
from verify.losses import Objective

#: Gradient evaluations allowed in all.
DEFAULT_STEPS = 20_000
MEMORY = 20
#: Restarts that do not lower the gradient norm, after which rounding has won.
_PATIENCE = 3


@dataclass(frozen=True, eq=False)
class Polished:
    """Where L-BFGS stopped.

    Attributes
    ----------
    w : Tensor (d, p), float64
    objective : float
        L(W), recomputed at w.
    gradient : float
        Relative gradient norm, recomputed at w (:func:`verify.certificate.relative_gradient`).
    evaluations : int
        Gradient evaluations.
    """

    w: torch.Tensor
    objective: float
    gradient: float
    evaluations: int


class _Run:
    """L-BFGS-B on the flattened W; the value is the objective's, or the gradient's integral."""

    def __init__(self, objective: Objective, start: torch.Tensor, tolerance: float) -> None:
        self.objective = objective
        self.shape = start.shape
        self.tolerance = tolerance
        self.evaluations = 0
        self.w = start.detach().to("cpu", torch.float64).numpy().ravel().copy()
        self.gradient_norm = np.inf
        self.report: Callable[[int], None] | None = None

    def evaluate(self, w: np.ndarray) -> tuple[float, np.ndarray]:
        self.evaluations += 1
        if self.report is not None and self.evaluations % 25 == 0:
            self.report(self.evaluations)
        tensor = torch.from_numpy(w.reshape(self.shape)).to(self.objective.x.device)
        value, gradient = self.objective.value_and_gradient(tensor)
        return float(value), gradient.cpu().numpy().ravel()

    def norm(self, w: np.ndarray, gradient: np.ndarray) -> float:
        return relative_gradient(
            float(np.linalg.norm(gradient)),
            float(np.linalg.norm(w)),
            self.objective.lam,
            self.shape,
        )

    def minimise(self, budget: int, by_gradient: bool) -> None:
        """One L-BFGS-B run from the present w.

        Close to the minimum the objective no longer changes in float64 while the gradient still
        does, and a line search on the objective stops. There (``by_gradient``) the value handed
        to it is (g(w) + g(w0)).(w - w0)/2, the objective's increase since the start up to third
        order, which has no such cancellation; the result is kept only if its gradient is smaller.
        """
        start = self.w.copy()
        _, start_gradient = self.evaluate(start)
        self.gradient_norm = latest = self.norm(start, start_gradient)
        if latest <= self.tolerance:
            return

        def target(w: np.ndarray) -> tuple[float, np.ndarray]:
            nonlocal latest
            value, gradient = self.evaluate(w)
            latest = self.norm(w, gradient)
            if by_gradient:
                value = float((gradient + start_gradient) @ (w - start)) / 2
            return value, gradient

        def stop(_: np.ndarray) -> None:
            if latest <= self.tolerance:
                raise StopIteration

        result = minimize(
            target,
            start,
            jac=True,
            method="L-BFGS-B",
            callback=stop,
            options={
                "maxcor": MEMORY,
                "maxiter": budget,
                "maxfun": budget,
                "ftol": 0.0,
                "gtol": 0.0,
                "maxls": 40,
            },
        )
        final = self.norm(result.x, self.evaluate(result.x)[1])
        if final < self.gradient_norm or not by_gradient:
            self.gradient_norm, self.w = final, result.x


def polish(
    objective: Objective,
    w: torch.Tensor,
    *,
    tolerance: float = 1e-7,
    max_steps: int = DEFAULT_STEPS,
    report: Callable[[int], None] | None = None,
) -> Polished:
    """Minimise L(W) until the relative gradient norm is at most the tolerance.

    Parameters
    ----------
    objective : Objective
        In float64.
    w : Tensor (d, p)
        Start; not changed.
    tolerance : float > 0
        On :func:`verify.certificate.relative_gradient`.
    max_steps : int >= 1
        Gradient evaluations allowed.
    report : callable, optional
        Called with the number of evaluations now and then.

    Notes
    -----
    scipy's L-BFGS-B on the objective until its rounding stops it, then the same on the integral
    of the gradient. Whether the tolerance was met is decided by the gradient recomputed at the
    point returned, never by the optimiser's own message.
    """
    run = _Run(objective, w, tolerance)
    run.report = report
    run.minimise(max_steps, by_gradient=False)
    stalled = 0
    while run.gradient_norm > tolerance and run.evaluations < max_steps and stalled < _PATIENCE:
        before = run.gradient_norm
        run.minimise(max_steps - run.evaluations, by_gradient=True)
        stalled = stalled + 1 if run.gradient_norm > before / 2 else 0
    value, gradient = run.evaluate(run.w)
    final = torch.from_numpy(run.w.reshape(run.shape))
    return Polished(final, value, run.norm(run.w, gradient), run.evaluations)
