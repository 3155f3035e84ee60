"""The proximal operator of any smooth loss of a few scores, for many samples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attlas.model.errors import ComputationFailed
from attlas.solver.channels.from_loss.score_loss import ScoreLoss
from attlas.solver.channels.many_tokens.elimination import solve_symmetric

Array = NDArray[np.float64]

#: A step below this, relative, leaves an error near rounding: convergence is quadratic.
_LAST_STEP = 3e-8
_MOST_STEPS = 200
#: Smallest curvature of the objective, over that of the proximal term, that Newton divides by.
_FLATTEST = 1e-3
#: Rise of the objective, relative, that rounding explains.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Point:
    """Stationary points: place (D, N), value of the loss (N,), gradient (D, N), Hessian."""

    zeta: Array
    value: Array
    gradient: Array
    hessian: Array


def proximal_point(
    loss: ScoreLoss, labels: Array, field: Array, sigma: float, start: Array
) -> Point:
    """The local minimum of l(y, zeta) + |zeta - field|^2/(2 sigma) that Newton reaches.

    A step that raises the objective is halved until it does not.

    Raises
    ------
    ComputationFailed
        If the loss is not finite on the way, or steps do not settle.
    """
    if sigma == 0:
        return Point(field, *loss(labels, field))
    here = start.copy()
    value, gradient, hessian = loss(labels, here)
    best = sigma * value + 0.5 * np.sum((here - field) ** 2, axis=0)
    share, going = np.ones(best.size), np.arange(best.size)
    for _ in range(_MOST_STEPS):
        # While all go on, views: picking samples costs as much as the loss itself.
        some: Any = slice(None) if going.size == best.size else going
        y, f, at = labels[:, some], field[:, some], here[:, some]
        pull = sigma * gradient[:, some] + at - f
        step = -share[some] * _solved(sigma * hessian[:, :, some], pull, loss.channel.convex)
        moved = at + step
        new = loss(y, moved)
        objective = sigma * new[0] + 0.5 * np.sum((moved - f) ** 2, axis=0)
        lower = objective <= best[some] + _ROUNDING * (1 + np.abs(best[some]))
        share[some] = np.where(lower, 1.0, 0.5 * share[some])
        if lower.all():
            taken, kept = some, slice(None)
        else:
            taken, kept = going[lower], lower
        here[:, taken], best[taken] = moved[:, kept], objective[kept]
        value[taken], gradient[:, taken] = new[0][kept], new[1][:, kept]
        hessian[:, :, taken] = new[2][:, :, kept]
        size = np.max(np.abs(step), axis=0)
        going = going[~(size <= _LAST_STEP * (1 + np.max(np.abs(moved), axis=0)))]
        if going.size == 0:
            if not np.all(np.isfinite(best)):
                break
            return Point(here, value, gradient, hessian)
    raise ComputationFailed(
        f"Proximal points of the {loss.channel.name} channel were not found at sigma {sigma:.3g}: "
        "its loss must be finite and smooth wherever scores fall."
    )


def response(hessian: Array, sigma: float, convex: bool = False) -> tuple[Array, Array]:
    """Tr A and Tr A^2 with A = H (1 + sigma H)^-1, the derivative of the pull in the field."""
    size = hessian.shape[0]
    if size == 1:
        found = hessian[0] / (1 + sigma * hessian[0])
    elif convex:  # elimination is safe, and faster than eigenvalues
        a, _ = solve_symmetric(np.eye(size)[:, :, None] + sigma * hessian, hessian)
        return np.einsum("iin->n", a), np.einsum("ijn,jin->n", a, a)
    else:
        bend = np.linalg.eigvalsh(np.moveaxis(hessian, 2, 0)).T
        found = bend / (1 + sigma * bend)
    return np.sum(found, axis=0), np.sum(found**2, axis=0)


def _solved(bend: Array, pull: Array, convex: bool) -> Array:
    """(1 + bend)^-1 pull, with the curvature's absolute value where it is not positive."""
    size = pull.shape[0]
    if size == 1:
        return pull / np.maximum(np.abs(1 + bend[0]), _FLATTEST)
    if size == 2:
        a, b, c = 1 + bend[0, 0], bend[0, 1], 1 + bend[1, 1]
        mean, half = 0.5 * (a + c), 0.5 * (a - c)
        radius = np.hypot(half, b)
        large = np.maximum(np.abs(mean + radius), _FLATTEST)
        small = np.maximum(np.abs(mean - radius), _FLATTEST)
        middle = 0.5 * (large + small)
        turn = 0.5 * (large - small) / np.maximum(radius, 1e-300)
        det = large * small
        # The inverse of middle + turn [[half, b], [b, -half]].
        return np.stack(
            [
                ((middle - turn * half) * pull[0] - turn * b * pull[1]) / det,
                ((middle + turn * half) * pull[1] - turn * b * pull[0]) / det,
            ]
        )
    if convex:
        return np.asarray(
            solve_symmetric(bend + np.eye(size)[:, :, None], pull[:, None])[0][:, 0],
            dtype=np.float64,
        )
    matrix = np.moveaxis(bend, 2, 0) + np.eye(size)
    values, vectors = np.linalg.eigh(matrix)
    turned = np.einsum("nij,in->nj", vectors, pull) / np.maximum(np.abs(values), _FLATTEST)
    return np.einsum("nij,nj->in", vectors, turned)
