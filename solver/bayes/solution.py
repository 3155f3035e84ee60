"""The Bayes-optimal reference as a solution like any other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attlas.model import Problem
from attlas.model.errors import BadInput
from attlas.solver.bayes.potential import BayesPoint, BayesProblem
from attlas.solver.channels import TEST_ACCURACY, ChannelKernel, ReplicatedKernel, channel_kernel
from attlas.solver.solution import Observables, Solution, Stats
from attlas.solver.spectrum import TargetLaw, target_law
from attlas.solver.status import Status

_TEST_KEYS = ("test_error", "test_error_clean", "test_error_plugin")
#: Largest difference of both sides of the equations, as a logarithm, that counts as solved.
_RESIDUAL = 1e-9


def bayes_solution(problem: Problem) -> Solution:
    """The estimate that knows the law of S0, and its errors (theory.md section 12).

    Parameters
    ----------
    problem : Problem
        Its estimator is not used, nor is the student's inverse temperature.

    Returns
    -------
    Solution
        q = m, q_hat, mse; ``test_error`` and ``test_error_clean`` of the posterior mean of noisy
        and of clean labels, which no estimator undercuts; ``test_error_plugin``, on noisy labels,
        of the softmax of the mean scores. All stationary points are in ``branches``, lowest free
        energy first.

    Raises
    ------
    BadInput
        For a cross-entropy.
    """
    if problem.channel.attention is not None:
        raise BadInput(
            "training",
            problem.estimator.name,
            f"has no theory for the {problem.channel.name} channel: the reference is derived for "
            "squared losses",
            "take `channel=softmax`, or train with a penalty",
        )
    law, kernel = target_law(problem.target), channel_kernel(problem.channel)
    equations = BayesProblem(
        law=law,
        a=float(problem.alpha * problem.channel.label_rank),
        half_noise=float(problem.channel.noise / 2),
    )
    found = tuple(
        _solution(problem, law, kernel, equations.half_noise, point) for point in equations.solve()
    )
    return replace(found[0], branches=found)


def _solution(
    problem: Problem, law: TargetLaw, kernel: ChannelKernel, half_noise: float, point: BayesPoint
) -> Solution:
    here = _observe(law.q0, kernel, half_noise, point.mse, point.delta)
    step = max(point.mse_error, 1e-7 * point.mse)
    moved = _observe(law.q0, kernel, half_noise, point.mse + step, point.delta)
    share = point.mse_error / step if step else 0.0
    bars = {key: 4e-16 * abs(value) for key, value in here.present().items()}
    bars["mse"] = point.mse_error
    bars["q"] = bars["m"] = point.mse_error + 4e-16 * law.q0
    if point.delta:
        bars["q_hat"] = here.q_hat * point.mse_error / (point.mse + half_noise)
        bars["delta"] = point.delta * point.mse_error / (point.mse + half_noise)
    for key in _TEST_KEYS:
        change = abs(getattr(moved, key) - getattr(here, key)) * share
        bars[key] = change + TEST_ACCURACY + _spread(law.q0, kernel, half_noise, point, key)
    return Solution.of(
        here,
        problem=problem,
        error=Observables(**bars),
        status=Status.CONVERGED if point.residual < _RESIDUAL else Status.NOT_CONVERGED,
        stats=Stats(iterations=1, seconds=0.0),
        start="analytic",
        residual=point.residual,
        advice="" if point.delta else "The target is recovered exactly: q_hat is infinite.",
    )


def _observe(
    q0: float, kernel: ChannelKernel, half_noise: float, mse: float, delta: float
) -> Observables:
    """Result keys at a given squared error.

    Two independent draws from the posterior differ by twice the error of its mean: the error of
    the posterior mean is half the test error of a student whose scores are such a draw.
    """
    scale, q = kernel.scale, max(q0 - mse, 0.0)

    def twice(of_scores: float) -> tuple[float, float]:
        tests = kernel.test_errors(scale**2 * of_scores, scale * q, q0)
        return tests.noisy, tests.clean

    noisy, _ = twice(q0 + half_noise)
    _, clean = twice(q0)
    infinite = {} if delta == 0 else {"q_hat": delta**-2}
    return Observables(
        q=q,
        m=q,
        **infinite,
        delta=delta,
        test_error=noisy / 2,
        test_error_clean=clean / 2,
        test_error_plugin=kernel.test_errors(scale**2 * q, scale * q, q0).noisy,
        mse=mse,
    )


def _spread(
    q0: float, kernel: ChannelKernel, half_noise: float, point: BayesPoint, key: str
) -> float:
    """Four standard errors between the replicates of a randomised kernel."""
    if not isinstance(kernel, ReplicatedKernel):
        return 0.0
    values = [
        getattr(_observe(q0, kernel.replicate(i), half_noise, point.mse, point.delta), key)
        for i in range(kernel.replicates)
    ]
    return 4 * float(np.std(values, ddof=1)) / kernel.replicates**0.5
