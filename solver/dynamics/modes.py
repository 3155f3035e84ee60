"""The eigenvalues of the target that training in time follows, with their weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh_tridiagonal

from attlas.model.errors import BadInput
from attlas.model.targets import PowerLaw, Spiked, Target, Wishart
from attlas.solver.spectrum import LARGEST_EXACT, power_modes

Array = NDArray[np.floating]

#: Gauss nodes of a Wishart law, coarse and fine.
_NODES = (64, 128)
#: Eigenvalues of a long power law taken one by one, and bins per decade beyond, coarse and fine.
_ALONE, _PER_DECADE = (60, 120), (14, 28)


@dataclass(frozen=True)
class Modes:
    """Averages over the target's law: <f> = sum weight f(s).

    Attributes
    ----------
    s : array, shape (M,)
        Eigenvalues of S0, descending.
    weight : array, shape (M,)
        Their shares of the d dimensions; 0 for a spike on a background that fills the spectrum.
    """

    s: Array
    weight: Array

    @classmethod
    def of(cls, s: ArrayLike, weight: ArrayLike) -> Modes:
        """Modes in any order."""
        values, shares = np.asarray(s, dtype=float), np.asarray(weight, dtype=float)
        order = np.argsort(-values, kind="stable")
        return cls(values[order], shares[order])

    def mean(self, values: Array) -> Array:
        """<f> of values at the modes, the last axis."""
        return values @ self.weight

    def overlaps(self, x: Array) -> tuple[float, float]:
        """(q, m) = (<x^2>, <x s>) where the eigenvalues of S are x, shape (M,)."""
        return float(self.mean(x * x)), float(self.mean(x * self.s))

    def and_ghosts(self, other: Modes) -> Modes:
        """These, and the other's eigenvalues without weight, to be followed and not counted."""
        return Modes(
            np.concatenate((self.s, other.s)),
            np.concatenate((self.weight, np.zeros(other.s.size))),
        )


@singledispatch
def target_modes(target: Target) -> tuple[Modes, ...]:
    """The modes of a target: one set if they are exact, else a coarse and a fine one.

    A target that is no list of eigenvalues registers its own.

    Raises
    ------
    BadInput
        If it has not.
    """
    if target.eigenvalues is not None:
        return (_listed(target.eigenvalues),)
    raise BadInput("target", target, "must be a target whose eigenvalues are known one by one")


@target_modes.register
def _(target: PowerLaw) -> tuple[Modes, ...]:
    if target.d <= LARGEST_EXACT:
        return (_listed(target.eigenvalues),)
    law = power_modes(target)
    return tuple(Modes.of(*law.groups(*fine)) for fine in zip(_ALONE, _PER_DECADE, strict=True))


@target_modes.register
def _(target: Wishart) -> tuple[Modes, ...]:
    return tuple(_gauss(target.kappa0, count) for count in _NODES)


@target_modes.register
def _(target: Spiked) -> tuple[Modes, ...]:
    if target.eigenvalues is not None:
        return (_listed(target.eigenvalues),)
    assert target.background is not None
    spikes = Modes.of(
        sorted({float(one) for one in target.spikes}), [0.0] * len(set(target.spikes))
    )
    return tuple(
        Modes.of(np.append(spikes.s, one.s), np.append(spikes.weight, one.weight))
        for one in target_modes(target.background)
    )


def _listed(eigenvalues: Sequence[float]) -> Modes:
    values, counts = np.unique(np.asarray(eigenvalues, dtype=float), return_counts=True)
    return Modes.of(values, counts / len(eigenvalues))


def _gauss(kappa0: Fraction, count: int) -> Modes:
    """Gauss nodes of the Marchenko-Pastur law with its atom at 0, from its Jacobi matrix.

    S0 is free Poisson of rate kappa0 and jump 1/sqrt(kappa0): the recurrence of its orthogonal
    polynomials is constant but for its first coefficient.
    """
    jump = float(kappa0) ** -0.5
    diagonal = np.full(count, (1 + float(kappa0)) * jump)
    diagonal[0] = float(kappa0) * jump
    s, vectors = eigh_tridiagonal(diagonal, np.ones(count - 1))
    return Modes.of(np.maximum(s, 0.0), vectors[0] ** 2)
