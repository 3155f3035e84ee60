"""The limit lam -> 0+ without noise and with enough data: the target itself."""

from __future__ import annotations

from attlas.model import Problem
from attlas.solver.channels import channel_kernel
from attlas.solver.ridgeless.interpolating import with_test_spread
from attlas.solver.solution import Observables, Solution, Stats
from attlas.solver.spectrum import TargetLaw
from attlas.solver.status import Status

_ROUNDING = 1e-15
_ADVICE = (
    "lam = 0 is the limit lam -> 0+. The target is recovered exactly: S = (beta0/beta) S0. The "
    "proximal variance and the conjugates are left out; at small lam > 0 some further eigenvalues, "
    "of order lam, add to the rank."
)


def recovered_solution(problem: Problem, law: TargetLaw, evaluations: int) -> Solution:
    """S = (beta0/beta) S0 and what follows from it (theory.md section 7).

    Parameters
    ----------
    problem : Problem
        Without noise.
    law : TargetLaw
    evaluations : int
        What it took to find that out.
    """
    kernel = channel_kernel(problem.channel, problem.scores)
    scale, q0 = kernel.scale, law.q0
    q, m = scale**2 * q0, scale * q0
    mse = (1 - scale) ** 2 * q0
    tests = kernel.test_errors(q, m, q0, mse)
    here = Observables(
        q=q,
        m=m,
        eta=scale,
        delta=0.0,
        epsilon=0.0,
        rank_fraction=law.rank_fraction,
        train_error=0.0,
        **tests.observed,
        loss=0.0,
        mse=mse,
    )
    bars = {key: 4 * _ROUNDING * abs(value) for key, value in here.present().items()}
    for key in tests.observed:
        bars[key] += _ROUNDING
    return Solution.of(
        here,
        problem=problem,
        error=with_test_spread(Observables(**bars), kernel, here, q0),
        status=Status.CONVERGED,
        stats=Stats(iterations=evaluations, seconds=0.0),
        start="analytic",
        residual=0.0,
        advice=_ADVICE,
    )
