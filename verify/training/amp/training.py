"""Message passing as a way to train: iterate, watch, stop, certify."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from time import perf_counter

import numpy as np

from attlas.model import require_isotropic
from attlas.model.errors import BadInput
from attlas.verify.training.amp.iteration import Iteration
from attlas.verify.training.amp.passing import MessagePassing, State
from attlas.verify.training.fista import smooth_part
from attlas.verify.training.map_certificate import certified
from attlas.verify.training.penalty import SpectralPenalty, penalty_of
from attlas.verify.training.task import Trained, Training

#: Iterations allowed at one penalty.
DEFAULT_STEPS = 600
#: Damping at first, where none is asked for, and the largest that is tried.
FIRST_DAMPING, LARGEST_DAMPING = 0.25, 0.9
#: Iterations over which oscillation is judged, and the mean cosine that counts as one.
_WINDOW, _OSCILLATES = 12, -0.3
#: Tr S^2/d beyond which the iteration has diverged.
_DIVERGED = 1e12
#: Iterations between two computations of the KKT residual.
_CHECK = 5


class _Damping:
    """A damping that grows where the iteration oscillates without coming closer."""

    def __init__(self, fixed: float | None) -> None:
        self.value = FIRST_DAMPING if fixed is None else fixed
        self.adaptive = fixed is None
        self._since = 0

    def __call__(self) -> float:
        return self.value

    def watch(self, iterations: Sequence[Iteration]) -> None:
        """Raise the damping by half of what is left if the last window shows no progress."""
        self._since += 1
        if not self.adaptive or self._since < 2 * _WINDOW:
            return
        early, late = iterations[-2 * _WINDOW : -_WINDOW], iterations[-_WINDOW:]
        slower = np.mean([i.change for i in late]) > 0.5 * np.mean([i.change for i in early])
        if slower and oscillation(iterations) < _OSCILLATES:
            self.value = min(LARGEST_DAMPING, (1 + self.value) / 2)
            self._since = 0


def oscillation(iterations: Sequence[Iteration]) -> float:
    """Mean cosine between successive changes over the last iterations: -1 swings to and fro."""
    return float(np.mean([one.turn for one in iterations[-_WINDOW:]]))


def train(training: Training) -> Trained:
    """Iterate to the tolerance on the KKT residual at each penalty in turn, warm started.

    A fixed point is a stationary point of the loss over maps, whatever the damping and the
    covariance of the scores. theory.md section 10.
    """
    if training.centring != "trace":
        raise BadInput(
            "centring", training.centring, "must be trace for `algorithm=amp`", "use fista"
        )
    require_isotropic(training.problem, "message passing is of isotropic tokens")
    clock = perf_counter()
    damping = _Damping(training.damping)
    iterations: list[Iteration] = []
    passing = message_passing(training, training.lams[0])
    state = passing.start()
    for lam in training.lams:
        penalty = penalty_of(training.problem.estimator, lam, training.d, training.p)
        passing = passing.with_map_step(penalty)
        state = _settle(passing, state, training, penalty, damping, iterations)
    trained = certified(
        training,
        state.s,
        smooth_part(passing.objective)(state.s),
        penalty,
        steps={"amp": len(iterations)},
        seconds={"amp": perf_counter() - clock},
        advice=_advice(iterations, damping.value),
    )
    return replace(trained, iterations=tuple(iterations))


def _advice(iterations: Sequence[Iteration], damping: float) -> str:
    """Why message passing did not converge, and what to do: used only if it did not."""
    last, swing = iterations[-1], oscillation(iterations)
    seen = (
        f"Message passing stopped after {last.step} iterations with changes of {last.change:.1e}, "
        f"replicon {last.replicon:.3f}, oscillation {swing:+.2f} and damping {damping:.2f}: "
    )
    if not last.replicon < 1:
        return seen + (
            "its fixed point is unstable here, so that it cannot converge; use `algorithm=fista` "
            "or `algorithm=adam`."
        )
    if swing < _OSCILLATES:
        return seen + "it oscillates; raise `damping` or `d`, or use `algorithm=fista`."
    return seen + "it approaches slowly; raise `max_steps`."


def message_passing(training: Training, lam: float) -> MessagePassing:
    """The iteration of one training at one penalty."""
    channel = training.problem.channel
    return MessagePassing.build(
        training.objective(),
        penalty_of(training.problem.estimator, lam, training.d, training.p),
        float(channel.scale) * training.data.noisy_scores,
        training.s0,
        onsager=training.onsager,
        beta=float(channel.sharpness),
    )


def _settle(
    passing: MessagePassing,
    state: State,
    training: Training,
    penalty: SpectralPenalty,
    damping: _Damping,
    iterations: list[Iteration],
) -> State:
    """Iterate until the KKT residual meets the tolerance, or the steps are used up."""
    allowed = training.allowed(DEFAULT_STEPS)
    smooth = smooth_part(passing.objective)
    for count, (following, record) in enumerate(
        islice(passing.iterate(state, damping), allowed), start=1
    ):
        state = following
        iterations.append(record)
        damping.watch(iterations)
        if training.report is not None and count % _CHECK == 0:
            training.report("amp", count, allowed)
        if count % _CHECK == 0:
            residual = penalty.residual(state.s, smooth(state.s)[1])
            if residual <= training.tolerance:
                break
        if not record.q < _DIVERGED:
            break
    return state
