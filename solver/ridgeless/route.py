"""Which problems have a direct route, without a fixed-point iteration."""

from __future__ import annotations

from dataclasses import replace

from attlas.model import Penalty, Problem
from attlas.model.errors import BadInput
from attlas.solver.branches import Branch
from attlas.solver.denoisers import Denoiser
from attlas.solver.fixed_point import LeftDomain
from attlas.solver.ridgeless.balance import Balance, Regime, Root
from attlas.solver.ridgeless.beyond import follow_from_peak
from attlas.solver.ridgeless.interpolating import interpolating_solution
from attlas.solver.ridgeless.linear import beyond, linear_solution
from attlas.solver.ridgeless.peak import peak_solution
from attlas.solver.ridgeless.recovered import recovered_solution
from attlas.solver.solution import Solution
from attlas.solver.spectrum import TargetLaw, target_law
from attlas.solver.state_evolution import StateEvolution

#: Smaller noise would need noise levels below what double precision resolves.
_SMALLEST_NOISE = 1e-20


def penalised_solution(problem: Problem) -> Solution | None:
    """The solution of a problem with a penalty, or None where the iteration has to be used.

    The linear channel is solved at any penalty by bracketed roots; any channel at lam = 0, which
    is the limit lam -> 0+, wherever the labels are interpolated or the target is recovered
    (theory.md sections 7 and 8).

    Parameters
    ----------
    problem : Problem

    Raises
    ------
    BadInput
        At lam = 0, for noise below 1e-20 (but not 0), or where the squared error is infinite:
        unconstrained training with noise at alpha D = 1/2.
    """
    if problem.channel.linear:
        return _linear(problem)
    return _limit_only(problem) if problem.channel.interpolates else None


def balance_of(problem: Problem, *, own: int, law: TargetLaw | None = None) -> Balance:
    """The two equations of a problem, at its penalty (own = 1) or in the limit of none.

    ``law`` is that of the target, unless another route to it is given.
    """
    law = law or target_law(problem.target)
    penalty = problem.estimator.trained()
    return Balance(
        matrix=Denoiser.of(penalty if own else _direction(problem), law),
        loose=Denoiser.of(replace(penalty, linear=0, quadratic=0), law),
        a=float(problem.alpha * problem.label_rank) / penalty.freedom,
        half_noise=float(problem.channel.noise / 2),
        q0=law.q0,
        own=own * penalty.freedom,
    )


def branch_from_peak(problem: Problem, system: StateEvolution) -> Branch | None:
    """The branch that starts at the interpolation peak, at lam = 0 with noise.

    None at lam > 0, where the peak is infinite, and where the branch cannot be followed.
    """
    if not problem.estimator.trained().vanishes:
        return None
    log_delta = balance_of(problem, own=0).peak()
    if log_delta is None:
        return None
    try:
        return Branch("peak", follow_from_peak(system, log_delta))
    except LeftDomain:
        return None


def _direction(problem: Problem) -> Penalty:
    """In units of what the penalty vanishes with."""
    shape = problem.estimator.shape
    if shape is None or shape.vanishes:
        raise BadInput(
            "training",
            problem.estimator.name,
            "must have a penalty greater than 0, or one in proportion to a parameter lam",
        )
    return shape


def _linear(problem: Problem) -> Solution | None:
    at_penalty = balance_of(problem, own=1)
    if not problem.estimator.trained().vanishes:
        return linear_solution(problem, at_penalty, at_penalty.solve())
    found = _limit(problem)
    if isinstance(found, Root):
        return linear_solution(problem, at_penalty, beyond(at_penalty, found))
    return found


def _limit_only(problem: Problem) -> Solution | None:
    if not problem.estimator.trained().vanishes:
        return None
    found = _limit(problem)
    if not isinstance(found, Root):
        return found
    return peak_solution(problem, balance_of(problem, own=0))


def _limit(problem: Problem) -> Solution | Root:
    """lam -> 0+: the solution, or the root beyond interpolation, where the channel decides."""
    noise = float(problem.channel.noise)
    if 0 < noise < _SMALLEST_NOISE:
        raise BadInput("noise", noise, "must be 0, or 1e-20 and more, at `lam=0`")
    balance = balance_of(problem, own=0)
    root = balance.solve()
    if root.regime is Regime.UNBOUNDED:
        raise BadInput(
            "alpha",
            float(problem.alpha),
            "must not be the interpolation threshold of unconstrained training at `lam=0`",
            "the squared error is infinite there; take lam > 0",
        )
    if root.regime is Regime.RECOVERED:
        return recovered_solution(problem, target_law(problem.target), root.evaluations)
    if root.regime is Regime.BEYOND:
        return root
    return interpolating_solution(problem, balance, root)
