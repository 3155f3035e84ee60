"""The teacher: one draw of the target at finite dimension."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attlas.model import Atoms, Target
from attlas.model.errors import BadInput
from attlas.solver.spectrum import target_law
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
        float64; symmetric and positive semi-definite unless its target is ``singular``;
        ||S0||_F^2/d is of order one.
    eigenvalues : ndarray (d,)
        Descending, none negative; singular values where it is not symmetric.
    eigenvectors : ndarray (d, d)
        Column i belongs to eigenvalue i, or is the left singular vector.
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


def draw_teacher(target: Target, d: int, seed: int) -> Teacher:
    """Draw S0 on the CPU in float64 from an explicit generator.

    Parameters
    ----------
    target : Target
        Says how: a Gaussian factor, its own ``draw``, eigenvalues with Haar eigenvectors, or the
        quantiles of its law. Isolated spikes take the place of the smallest eigenvalues of a
        background that is for any d.
    d : int
        Token dimension.
    seed : int >= 0

    Raises
    ------
    BadInput
        If d does not fit the target, or what it draws is no teacher.
    """
    if target.dimension not in (None, d):
        raise BadInput("d", d, f"must be the target's dimension, {target.dimension}")
    if target.isolated and target.dimension is None:
        return _spiked(target, d, seed)
    width = target.factor_width(d)
    if target.singular:
        return _untied(target, d, width, seed)
    if width is not None:
        return _factor(d, width, seed)
    rng = generator(seed, "teacher")
    drawn = target.draw(d, rng)
    if drawn is None:
        drawn = target_law(target).quantiles(d)
    return _drawn(target, np.asarray(drawn, dtype=float), d, seed, rng)


def _untied(target: Target, d: int, width: int | None, seed: int) -> Teacher:
    """Of two Gaussian factors, or of singular values with Haar vectors on both sides."""
    require_memory(d, 4 * d * d, "lower `d` or `kappa0`")
    rng = generator(seed, "teacher")
    if width is not None:
        drawn = rng.standard_normal((2, d, width))
        s0 = drawn[0] @ drawn[1].T / np.sqrt(width * d)
    else:
        drawn = rng.standard_normal((2, d, d))
        left, right = (np.linalg.qr(one)[0] for one in drawn)
        s0 = (left * np.asarray(target.draw(d, rng))) @ right.T
    vectors, values, _ = np.linalg.svd(s0)
    if width is not None:
        values[width:] = 0.0  # what rounding leaves of them
    return Teacher(d, s0, values, vectors, seed, digest(drawn))


def _factor(d: int, p0: int, seed: int) -> Teacher:
    require_memory(d, 2 * d * (d + p0), "lower `d` or `kappa0`")
    w0 = generator(seed, "teacher").standard_normal((d, p0))
    # All d left vectors, and never the p0 right ones.
    vectors, values, _ = np.linalg.svd(w0, full_matrices=p0 < d)
    eigenvalues = np.zeros(d)
    eigenvalues[: values.size] = values**2 / np.sqrt(p0 * d)
    return Teacher(d, w0 @ w0.T / np.sqrt(p0 * d), eigenvalues, vectors, seed, digest(w0))


def _spiked(target: Target, d: int, seed: int) -> Teacher:
    spikes, background = target.isolated, target.background
    if d <= len(spikes):
        raise BadInput("d", d, f"must be more than the {len(spikes)} spikes")
    assert background is not None
    drawn = draw_teacher(background, d, seed)
    values = np.concatenate((drawn.eigenvalues[: d - len(spikes)], [float(one) for one in spikes]))
    order = np.argsort(-values, kind="stable")
    vectors = drawn.eigenvectors[:, order]
    s0 = (vectors * values[order]) @ vectors.T
    return Teacher(d, (s0 + s0.T) / 2, values[order], vectors, seed, digest(drawn.s0, values))


def _drawn(
    target: Target, drawn: np.ndarray, d: int, seed: int, rng: np.random.Generator
) -> Teacher:
    """Of a map itself, or of eigenvalues with Haar-distributed eigenvectors."""
    if drawn.shape not in ((d,), (d, d)):
        raise BadInput(
            "target",
            target.name,
            f"must draw {d} eigenvalues or a {d} x {d} map, not {drawn.shape}",
        )
    if drawn.ndim == 2:
        s0 = (drawn + drawn.T) / 2
        values, vectors = np.linalg.eigh(s0)
        eigenvalues, vectors = Atoms(values).eigenvalues, vectors[:, ::-1]
        return Teacher(d, s0, np.asarray(eigenvalues), vectors, seed, digest(drawn))
    eigenvalues = np.asarray(Atoms(drawn).eigenvalues)
    gaussians = rng.standard_normal((d, d))
    vectors, triangle = np.linalg.qr(gaussians)
    vectors = vectors * np.sign(np.diagonal(triangle))  # makes the law Haar
    s0 = (vectors * eigenvalues) @ vectors.T
    return Teacher(d, (s0 + s0.T) / 2, eigenvalues, vectors, seed, digest(eigenvalues, gaussians))
