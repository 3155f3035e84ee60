"""Squared error and local exponents of the numerical solution of a power-law target."""

from __future__ import annotations

import math
from dataclasses import dataclass

from attlas.model import PowerLaw
from attlas.solver.measured import Measured
from attlas.solver.ridgeless.balance import Regime
from attlas.solver.ridgeless.linear import beyond
from attlas.solver.ridgeless.route import balance_of
from attlas.solver.scaling.problem import problem_at
from attlas.solver.spectrum import TargetLaw

#: Half step in log n of the slopes; a second step of half this size gives their error.
STEP = 0.2


@dataclass(frozen=True)
class Level:
    """Squared error, noise level and threshold at one point."""

    mse: Measured
    delta: float
    epsilon: float


def level(
    target: PowerLaw, n: float, lam: float, noise: float, law: TargetLaw | None = None
) -> Level:
    """Solve one token, factorised training at a real number of samples.

    Parameters
    ----------
    target : PowerLaw
    n : float
        Samples, > 0.
    lam : float
        Penalty, >= 0; 0 is the limit lam -> 0+.
    noise : float
        Variance of the label noise, >= 0.
    law : TargetLaw, optional
        Another route to the target's spectral law than the one that its dimension selects.

    Raises
    ------
    BadInput
        If n is not positive.
    """
    problem = problem_at(target, n, noise, lam)
    balance = balance_of(problem, own=1, law=law)
    if lam > 0:
        root = balance.solve()
    else:
        limit = balance_of(problem, own=0, law=law)
        root = limit.solve()
        if root.regime is Regime.RECOVERED:
            return Level(Measured(0.0, 0.0), 0.0, 0.0)
        if root.regime is Regime.BEYOND:
            root = beyond(balance, root)
        else:
            balance = limit
    state = balance.state(root.x)
    # d log mse <= 2 d log delta where the noise does not hide it: 2 alpha delta^2 = mse + noise/2
    floor = balance.half_noise / state.mse if state.mse > 0 else 0.0
    relative = 2 * float(root.x_error[0]) * min(1 + floor, 1e3) + 4 * state.error + 1e-12
    bar = min(relative, 4 * state.error + 4 * float(root.x_error.sum()) + 1e-12)
    return Level(Measured(state.mse, state.mse * bar), state.delta, state.epsilon)


def slope(
    target: PowerLaw,
    n: float,
    lam: float,
    noise: float,
    follow: float = 0.0,
    along: str = "n",
    half: float = STEP,
) -> Measured:
    """Local exponent d log mse/d log n with lam ~ n^follow, or d log mse/d log lam at fixed n.

    ``half`` is the half step in the logarithm: a longer one divides the errors of the solutions.
    The error bar holds what half the step changes, and the errors of the solutions.
    """
    found, noise_of = [], 0.0
    for step in (half, half / 2):
        more, stronger = (step, step * follow) if along == "n" else (0.0, step)
        ends = [
            level(target, n * math.exp(side * more), lam * math.exp(side * stronger), noise).mse
            for side in (1, -1)
        ]
        found.append(math.log(ends[0].value / ends[1].value) / (2 * step))
        noise_of = sum(end.error / end.value for end in ends) / (2 * step)
    value = (4 * found[1] - found[0]) / 3
    return Measured(value, abs(found[1] - found[0]) + 2 * noise_of)
