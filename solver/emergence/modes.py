"""What is learned of each mode of the target: its capture, and its share of the squared error.

The squared overlap of the target's direction i with learned eigenvalues at x has the density
rho(x) delta^2/|w - s_i|^2, w = x - delta^2 G(x) (theory.md section 13). All of it above the
threshold is the mode's capture v_i^T P v_i, P the projector on the range of the trained map.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attlas.model import PowerLaw
from attlas.model.errors import BadInput
from attlas.solver.emergence.state import state_at
from attlas.solver.measured import Measured
from attlas.solver.scaling.penalty import penalty_of
from attlas.solver.spectrum import target_law

Array = NDArray[np.float64]

#: Quadrature nodes a panel; the difference of the two is the error bar.
_NODES = (16, 24)
#: Beyond this many modes they are not listed one by one.
LARGEST_D = 2000


@dataclass(frozen=True, eq=False)
class Modes:
    """The modes at one point, largest eigenvalue first.

    Attributes
    ----------
    n, lam, delta, epsilon : float
    mse : Measured
        Squared error of the map, from the equations.
    captured : array (d,)
        v_i^T P v_i, in [0, 1]: the share of the direction within the range of the map.
    error : array (d,)
        Contribution of the mode to the squared error; they sum to it.
    bar : float
        Absolute error bar of ``captured``.
    """

    n: float
    lam: float
    delta: float
    epsilon: float
    mse: Measured
    captured: Array
    error: Array
    bar: float


def modes_at(
    target: PowerLaw, n: float, noise: float, lam: float | None = None, tokens: int = 1
) -> Modes:
    """Every mode at n samples, factorised training.

    Parameters
    ----------
    target : PowerLaw
        With d <= 2000.
    n : float
        Samples, > 0.
    noise : float
        Variance of the label noise, >= 0.
    lam : float, optional
        Penalty; lam_c(n) by default.
    tokens : int
        1 is the linear channel, more are softmax.

    Raises
    ------
    BadInput
        For n not positive or d larger than 2000.
    """
    if target.d > LARGEST_D:
        raise BadInput("target power-law: d", target.d, f"must be {LARGEST_D} or less mode by mode")
    penalty = penalty_of(target, n, noise, lam, tokens)
    found = state_at(target, n, noise, penalty, tokens)
    if found.delta == 0:  # exact recovery
        whole = np.ones(target.d)
        return Modes(n, penalty, 0.0, found.epsilon, found.mse, whole, 0 * whole, 0.0)
    s = np.asarray(target.eigenvalues)

    def captured_at(delta: float, epsilon: float, count: int = _NODES[1]) -> tuple[Array, Array]:
        return shares(target_law(target).noisy(delta), s, epsilon, found.eta, count)

    delta, epsilon, more = found.delta, found.epsilon, 1 + found.relative
    (rough, _), (captured, error) = (captured_at(delta, epsilon, count) for count in _NODES)
    moved = [captured_at(delta, epsilon * more)[0]]
    if tokens > 1:  # whose noise level is not fixed by the error alone
        moved.append(captured_at(delta * more, epsilon)[0])
    bars = [np.max(np.abs(other - captured)) for other in (rough, *moved)]
    bar = float(sum(bars)) + 1e-12
    return Modes(n, penalty, delta, epsilon, found.mse, captured, error / target.d, bar)


def shares(
    law: Any,
    s: Array,
    epsilon: float,
    eta: float = 1.0,
    count: int = _NODES[1],
    cut: float | None = None,
) -> tuple[Array, Array]:
    """Capture of each target eigenvalue and its part of the squared error, times d.

    Parameters
    ----------
    law : NoisyLaw
        Of S0 + delta Z.
    s : array
        Target eigenvalues.
    epsilon, eta : float
        The map is eta ReLU(S0 + delta Z - epsilon).
    count : int
        Quadrature nodes a panel.
    cut : float, optional
        Only eigenvalues of S0 + delta Z above it are kept; epsilon by default.
    """
    nodes = law.nodes(epsilon if cut is None else cut, count)
    pull = law.delta**2
    real, imaginary = nodes.x - pull * nodes.hilbert, np.pi * pull * nodes.rho
    kernel = pull / ((real[:, None] - s) ** 2 + imaginary[:, None] ** 2)
    learned = eta * (nodes.x - epsilon)
    cross, square = (nodes.w * learned) @ kernel, (nodes.w * learned**2) @ kernel
    return nodes.w @ kernel, s**2 - 2 * s * cross + square
