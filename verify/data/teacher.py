"""The teacher: one draw of the target at finite dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from attlas.model import Atoms, PowerLaw, Spiked, Target, Wishart
from attlas.model.errors import BadInput
from attlas.verify.data.randomness import digest, generator
from attlas.verify.machine.memory import require_memory


@dataclass(frozen=True, eq=False)
class Teacher:
    """A teacher map S0 drawn at dimension d. theory.md section 1.

    Attributes
    ----------
    d : int
        Token dimension.
    s0 : ndarray (d, d)
        Symmetric, positive semi-definite, float64; Tr S0^2/d is of order one.
    eigenvalues : ndarray (d,)
        Descending, none negative.
    eigenvectors : ndarray (d, d)
        Column i belongs to eigenvalue i.
    seed : int
    digest : str
        SHA-256 of the generator output it was made from.
    """

    d: int
    s0: np.ndarray
    eigenvalues: np.ndarray
    eigenvectors: np.ndarray
    seed: int
    digest: str

    @property
    def trace(self) -> float:
        """Tr S0."""
        return float(self.eigenvalues.sum())

    @property
    def q0(self) -> float:
        """Q0 = Tr S0^2/d of this draw."""
        return float(np.square(self.eigenvalues).sum() / self.d)


@singledispatch
def draw_teacher(target: Target, d: int, seed: int) -> Teacher:  # noqa: ARG001
    """Draw S0 on the CPU in float64 from an explicit generator.

    Parameters
    ----------
    target : Target
        Registered: Wishart (p0 = kappa0 d rounded), Atoms and PowerLaw (Haar eigenvectors, d
        their dimension), Spiked (the same of its background; on a Wishart background spikes take
        the place of its smallest eigenvalues).
    d : int
        Token dimension.
    seed : int >= 0

    Raises
    ------
    BadInput
        If d does not fit the target.
    """
    raise TypeError(f"no teacher can be drawn for a target of type {type(target).__name__}")


@draw_teacher.register
def _(target: Wishart, d: int, seed: int) -> Teacher:
    p0 = round(target.kappa0 * d)
    if p0 < 1:
        raise BadInput(
            "d", d, f"must be {int(1 / target.kappa0)} or more so that kappa0 d rounds to 1"
        )
    require_memory(d, 2 * d * (d + p0), "lower `d` or `kappa0`")
    w0 = generator(seed, "teacher").standard_normal((d, p0))
    # All d left vectors, and never the p0 right ones.
    vectors, values, _ = np.linalg.svd(w0, full_matrices=p0 < d)
    eigenvalues = np.zeros(d)
    eigenvalues[: values.size] = values**2 / np.sqrt(p0 * d)
    return Teacher(d, w0 @ w0.T / np.sqrt(p0 * d), eigenvalues, vectors, seed, digest(w0))


@draw_teacher.register(Atoms)
@draw_teacher.register(PowerLaw)
def _(target: Atoms | PowerLaw, d: int, seed: int) -> Teacher:
    return _haar(target.eigenvalues, d, seed)


@draw_teacher.register
def _(target: Spiked, d: int, seed: int) -> Teacher:
    if target.eigenvalues is not None:
        return _haar(target.eigenvalues, d, seed)
    if d <= len(target.spikes):
        raise BadInput("d", d, f"must be more than the {len(target.spikes)} spikes")
    assert target.background is not None
    background = draw_teacher(target.background, d, seed)
    kept = background.eigenvalues[: d - len(target.spikes)]
    values = np.concatenate((kept, [float(spike) for spike in target.spikes]))
    order = np.argsort(-values, kind="stable")
    vectors = background.eigenvectors[:, order]
    s0 = (vectors * values[order]) @ vectors.T
    return Teacher(d, (s0 + s0.T) / 2, values[order], vectors, seed, digest(background.s0, values))


def _haar(listed: Sequence[float], d: int, seed: int) -> Teacher:
    """Given eigenvalues, largest first, with Haar-distributed eigenvectors."""
    if d != len(listed):
        raise BadInput("d", d, f"must be the target's dimension, {len(listed)}")
    eigenvalues = np.asarray(listed)
    gaussians = generator(seed, "teacher").standard_normal((d, d))
    vectors, triangle = np.linalg.qr(gaussians)
    vectors = vectors * np.sign(np.diagonal(triangle))  # makes the law Haar
    s0 = (vectors * eigenvalues) @ vectors.T
    return Teacher(d, (s0 + s0.T) / 2, eigenvalues, vectors, seed, digest(eigenvalues, gaussians))
