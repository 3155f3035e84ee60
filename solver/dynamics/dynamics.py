"""``attlas.dynamics``: the population flow of a problem, with error bars."""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray

from attlas.model import BadInput, Factorised, Problem, require_problem
from attlas.model.estimators import Estimator
from attlas.model.exact import Number, non_negative, positive, several
from attlas.solver.channels import PopulationKernel, channel_kernel
from attlas.solver.dynamics.accuracy import Track, combined
from attlas.solver.dynamics.escape import escapes
from attlas.solver.dynamics.flow import Setting, descent, flow
from attlas.solver.dynamics.modes import target_modes
from attlas.solver.dynamics.result import Dynamics, DynamicsErrors, DynamicsStats, FlowStatus
from attlas.solver.solve import relative_tolerance
from attlas.solver.spectrum import target_law

Array = NDArray[np.floating]

#: Relative accuracy by default, where slopes are exact and where they are averages over samples.
_RTOL, _SAMPLED_RTOL = 1e-8, 1e-2
#: Tolerances of a step, over the accuracy wanted: of the flow itself, and of the one it is
#: compared with.
_FINE, _COARSE = 1e-2, 1e-1
#: Eigenvalues times times that fit into memory.
_LARGEST = 20_000_000
#: Gradient steps of the discrete descent: some minutes.
_MOST_STEPS = 200_000


@singledispatch
def starting_width(estimator: Estimator) -> float:
    """The width over d of what a flow trains; an estimator with a flow registers its own.

    Raises
    ------
    BadInput
        For one that has none.
    """
    raise BadInput(
        "training",
        estimator.name,
        "has no flow in time: it must be factorised",
        "leave `training` out",
    )


@starting_width.register
def _(estimator: Factorised) -> float:
    return float(estimator.kappa)


def dynamics(
    problem: Problem,
    t: Iterable[Number] | Number,
    *,
    sigma0: Number = 0.01,
    decay: Number = 0,
    step: Number | None = None,
    rtol: float | None = None,
) -> Dynamics:
    """Gradient flow of W on the population loss, S = W W^T/sqrt(pd) from S = sigma0 I.

    Parameters
    ----------
    problem : Problem
        Target and channel. Its alpha and lam are not used: the flow is that of infinitely many
        samples. The weight decay of the problem itself is ``decay = lam_tilde/alpha``.
    t : number or sequence of numbers >= 0
        Times, in any order. A step of gradient descent with rate r on the loss that is summed over
        n samples takes 2 r n/(d sqrt(pd)) of this time.
    sigma0 : number > 0
        Eigenvalue of S at t = 0.
    decay : number >= 0
        c: the loss per sample is e(q, m) + c Tr S/d.
    step : number > 0, optional
        Follow gradient descent with this step size, too. Every t is then moved to the nearest
        multiple of it.
    rtol : float > 0, optional
        Relative accuracy, 1e-8 by default; 1e-2 where slopes are averages over random nodes
        (4 tokens and more, or 3 at a large beta0).

    Raises
    ------
    BadInput
        For a number out of range, and for a problem without a flow: another training than
        factorised, or a student narrower than d, which cannot start at a multiple of I.
    ComputationFailed
        If the flow takes too long, or the descent diverges.

    Notes
    -----
    theory.md section 20. At finite alpha training departs from this flow.
    """
    began = time.perf_counter()
    channel = require_problem(problem).channel
    width = starting_width(problem.estimator)
    if width < 1:
        raise BadInput(
            "kappa",
            width,
            "must be 1 or more for a flow in time",
            "a narrower student cannot start at a multiple of the identity",
        )
    kernel = channel_kernel(channel)
    if not isinstance(kernel, PopulationKernel):
        raise BadInput("channel", channel.name, "has no flow in time")
    start = float(positive("sigma0", sigma0))
    shrink = float(non_negative("decay", decay))
    stride = None if step is None else float(positive("step", step))
    times = _times(t, stride)
    losses = kernel.population_losses(target_law(problem.target).q0)
    tolerance = relative_tolerance(rtol) or (_RTOL if len(losses) == 1 else _SAMPLED_RTOL)
    levels = target_modes(problem.target)
    fine = levels[-1]
    if times.size * fine.s.size > _LARGEST:
        raise BadInput(
            "t", f"{times.size} times", f"must be at most {_LARGEST // fine.s.size} of them"
        )
    followed = _Followed(times, stride)
    tracks = [followed(Setting(loss, fine, shrink, start), _FINE * tolerance) for loss in losses]
    rough = levels[0] if len(levels) == 1 else levels[0].and_ghosts(fine)
    rougher = followed(Setting(losses[0], rough, shrink, start), _COARSE * tolerance)
    for key in ("learned_eigenvalues", "escape_times"):
        rougher[key] = rougher[key][..., -fine.s.size :]
    values, bars = combined(tracks, rougher, _FINE * tolerance)
    accurate = all(np.all(bars[key] <= tolerance * np.abs(values[key])) for key in ("q", "m"))
    return Dynamics(
        problem=problem,
        decay=shrink,
        sigma0=start,
        step=stride,
        t=times,
        target_eigenvalues=fine.s,
        weights=fine.weight,
        **values,
        error_bars=DynamicsErrors(**bars),
        status=FlowStatus.CONVERGED if accurate else FlowStatus.INACCURATE,
        stats=DynamicsStats(
            seconds=time.perf_counter() - began,
            evaluations=followed.evaluations,
            modes=fine.s.size,
        ),
    )


def _times(given: Iterable[Number] | Number, stride: float | None) -> Array:
    """The times, moved to whole steps of the descent if there is one."""
    values = [non_negative("t", one) for one in several("t", given)]
    if not values or not max(values) > 0:
        raise BadInput("t", list(map(float, values)), "must hold a time greater than 0")
    times = np.array(values, dtype=float)
    if stride is None:
        return times
    steps = np.rint(times / stride)
    if steps.max() > _MOST_STEPS:
        raise BadInput("step", stride, f"must be at least {times.max() / _MOST_STEPS:.3g}")
    if steps.max() < 1:
        raise BadInput("step", stride, "must be no longer than the last time")
    return steps * stride


class _Followed:
    """Runs a flow, and the descent beside it, at given times.

    Attributes
    ----------
    evaluations : int
        Of the slopes, so far.
    """

    def __init__(self, times: Array, stride: float | None) -> None:
        self._times, self._stride = times, stride
        self.evaluations = 0

    def __call__(self, setting: Setting, tolerance: float) -> Track:
        path = flow(setting, float(self._times.max()), tolerance)
        x = path.at(self._times)
        self.evaluations += path.evaluations
        track = {
            **_observed(x, setting, ""),
            "learned_eigenvalues": x,
            "escape_times": escapes(path),
        }
        if self._stride is None:
            return track
        steps = np.rint(self._times / self._stride).astype(np.int64)
        wanted, back = np.unique(steps, return_inverse=True)
        self.evaluations += int(wanted[-1])
        y = descent(setting, self._stride, wanted)[back]
        return {**track, **_observed(y, setting, "_discrete")}


def _observed(x: Array, setting: Setting, suffix: str) -> Track:
    overlaps = [setting.modes.overlaps(row) for row in x]
    return {
        f"q{suffix}": np.array([q for q, _ in overlaps]),
        f"m{suffix}": np.array([m for _, m in overlaps]),
        f"mse{suffix}": setting.modes.mean((x - setting.modes.s) ** 2),
        f"error{suffix}": np.array([setting.loss.value(q, m) for q, m in overlaps]),
    }
