"""J and its derivatives over the part of S0 + delta Z that a penalty keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attlas.model.errors import BadInput
from attlas.solver.spectrum.law import UNIT, NoisyLaw, TargetLaw, Truncated

#: Relative error of the average of Re G by quadrature nodes.
_NODES_ERROR = 1e-13
_ERRORS = (
    "j_error",
    "j1_error",
    "j2_error",
    "mass_error",
    "squared_error_part_error",
    "squared_error_error",
)


def kept(
    law: TargetLaw, delta: float, epsilon: float, *, positive: bool, limit: float | None
) -> Truncated:
    """J = int (x - epsilon)_+^2 mu_delta(dx), or of both signs for a symmetric map.

    Parameters
    ----------
    law : TargetLaw
    delta, epsilon : float
        Noise > 0 and threshold >= 0.
    positive : bool
        Whether the map is positive semi-definite.
    limit : float, optional
        Largest share of eigenvalues that a positive map keeps.
    """
    if not positive:
        return _both_sides(law, delta, epsilon) if epsilon else _whole(law, delta)
    noisy = law.noisy(delta)
    integrals = noisy.truncated(epsilon)
    if limit is not None and integrals.mass > limit:
        return _top(law, noisy, epsilon, limit)
    return integrals


def shifted(
    law: TargetLaw,
    delta: float,
    epsilon: float,
    shift: float,
    *,
    positive: bool,
    limit: float | None,
) -> tuple[Truncated, float]:
    """The same of S0 + delta Z - shift, of any sign, and dJ/d(shift).

    The squared error holds what the shift adds to it: Q0 - J + delta J1 + epsilon J2 + shift times
    that derivative. A threshold and a shift of a symmetric map do not go together here.
    """
    if positive or shift == 0:
        found = kept(law, delta, epsilon + shift, positive=positive, limit=limit)
        return found, found.j2
    if epsilon:
        raise BadInput(
            "penalty",
            epsilon,
            "cannot have a threshold for a symmetric map where norms of tokens reveal its trace",
        )
    whole = _whole(law, delta)
    j = whole.j + shift * (shift - 2 * law.mean)
    squared = delta * delta + shift * shift
    bars = ("j_error", "squared_error_part_error", "squared_error_error")
    moved = replace(
        whole,
        j=j,
        squared_error_part=squared - law.q0,
        squared_error=squared,
        **{name: getattr(whole, name) + 4 * UNIT * (whole.j + shift * shift) for name in bars},
    )
    return moved, 2 * (shift - law.mean)


def limited(noisy: NoisyLaw, epsilon: float, limit: float) -> bool:
    """Whether more eigenvalues than a share ``limit`` lie above epsilon."""
    return noisy.truncated(epsilon).mass > limit


def cut(noisy: NoisyLaw, limit: float) -> float:
    """The point with a share ``limit`` of the eigenvalues above it."""
    return float(noisy.quantile(1 - limit))


def _whole(law: TargetLaw, delta: float) -> Truncated:
    """Without a threshold only Q0 and Tr S0/d enter: J = Q0 + delta^2."""
    j = law.q0 + delta * delta
    return Truncated(
        epsilon=0.0,
        j=j,
        j1=2 * delta,
        j2=-2 * law.mean,
        mass=1.0,
        squared_error_part=delta * delta - law.q0,
        squared_error=delta * delta,
        j_error=UNIT * j,
        j1_error=0.0,
        j2_error=UNIT * law.mean,
        mass_error=0.0,
        squared_error_part_error=UNIT * j,
        squared_error_error=UNIT * delta * delta,
    )


def _both_sides(law: TargetLaw, delta: float, epsilon: float) -> Truncated:
    """J = int (|x| - epsilon)_+^2 mu_delta(dx).

    What lies below -epsilon is the exact total moment less what lies above -epsilon.
    """
    noisy = law.noisy(delta)
    if law.even:
        return noisy.both_sides(epsilon)
    above, rest = noisy.truncated(epsilon), noisy.truncated(-epsilon)
    total = law.q0 + delta**2 + 2 * epsilon * law.mean + epsilon**2
    j = total - rest.j
    j1 = 2 * delta - rest.j1
    j2 = 2 * law.mean + 2 * epsilon + rest.j2
    part = delta * j1 + epsilon * j2 - j
    return Truncated(
        epsilon=epsilon,
        j=above.j + j,
        j1=above.j1 + j1,
        j2=above.j2 + j2,
        mass=above.mass + 1 - rest.mass,
        squared_error_part=above.squared_error_part + part,
        squared_error=above.squared_error + part,
        **{name: getattr(above, name) + getattr(rest, name) + UNIT * total for name in _ERRORS},
    )


def _top(law: TargetLaw, noisy: NoisyLaw, epsilon: float, limit: float) -> Truncated:
    """J, J1 and J2 over x > cut, with the integrands of the threshold epsilon < cut."""
    edge = cut(noisy, limit)
    above = noisy.truncated(edge)
    nodes = noisy.nodes(edge)
    drift = float(np.sum(nodes.w * nodes.hilbert))
    drift_error = _NODES_ERROR * float(np.sum(nodes.w * np.abs(nodes.hilbert)))
    gap, delta, first = edge - epsilon, noisy.delta, -above.j2 / 2
    j = above.j + 2 * gap * first + gap * gap * above.mass
    j1 = above.j1 + 4 * delta * gap * drift
    j2 = above.j2 - 2 * gap * above.mass
    j_error = above.j_error + gap * above.j2_error + gap * gap * above.mass_error
    j1_error = above.j1_error + 4 * delta * gap * drift_error
    j2_error = above.j2_error + 2 * gap * above.mass_error
    part = delta * j1 + epsilon * j2 - j
    part_error = j_error + delta * j1_error + abs(epsilon) * j2_error
    return Truncated(
        epsilon=epsilon,
        j=j,
        j1=j1,
        j2=j2,
        mass=above.mass,
        squared_error_part=part,
        squared_error=law.q0 + part,
        j_error=j_error,
        j1_error=j1_error,
        j2_error=j2_error,
        mass_error=above.mass_error,
        squared_error_part_error=part_error,
        squared_error_error=part_error,
    )
