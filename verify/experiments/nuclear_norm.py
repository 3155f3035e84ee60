"""Weight decay on the factor beside a nuclear norm on the map: two programs, one minimum."""

from __future__ import annotations

import numpy as np
import torch

from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.store.case import Case
from attlas.verify.training import factorised, fista
from attlas.verify.training.fista import minimise, smooth_part
from attlas.verify.training.losses import Objective
from attlas.verify.training.penalty import SpectralPenalty
from attlas.verify.training.rank import non_zero
from attlas.verify.training.task import Trained, Training

#: A direction of W of this size or less, beside the largest, is dead.
_DEAD = 1e-5
#: Allowance for what a bound to first order leaves out.
_SECOND_ORDER = 2.0
#: Largest width times dimension at which the Hessian in W is formed.
_LARGEST_HESSIAN = 900


def measure(case: Case) -> Measurement:
    """Objective and map from Adam and L-BFGS on W, beside those from FISTA on S.

    ``distance`` is 1, or |S_W - S_S|_F over the bound that the two certificates imply where it
    exceeds it; it is measured where the Hessian is small enough to be formed.
    """
    _, training = training_of(case)
    factor, convex = factorised.train(training), fista.train(training)
    measured = {"objective": factor.certificate.objective, "rank": _rank(factor.eigenvalues)}
    reference = {"objective": convex.certificate.objective, "rank": _rank(convex.eigenvalues)}
    if training.d * training.p <= _LARGEST_HESSIAN:
        ratio = np.linalg.norm(factor.s - convex.s) / certified_distance(training, factor, convex)
        measured["distance"], reference["distance"] = max(1.0, float(ratio)), 1.0
    certificates = (factor.certificate, convex.certificate)
    return Measurement(
        measured=measured,
        reference=reference,
        converged=all(c.converged and c.minimal for c in certificates),
        certificate=max(c.gradient for c in certificates),
        data_hash=training.data.digest,
    )


def _rank(eigenvalues: np.ndarray) -> float:
    return float(np.mean(non_zero(eigenvalues)))


def certified_distance(training: Training, factor: Trained, convex: Trained) -> float:
    """How far apart two certified minima can be: both gradients over the least curvature.

    The curvature is the smallest eigenvalue of the Hessian in W transverse to W -> W O, whose
    directions cost nothing: r p - r (r + 1)/2 of them for a factor of rank r. It bounds the
    distance of the factors, and so that of the maps. A bound to first order in the distance,
    given a factor 2 of allowance; beyond it the two are different minima.
    """
    assert factor.w is not None
    objective = training.objective()
    roots = (factor.w, _root(convex.s, training.p))
    gradients = [float(objective.value_and_gradient(torch.from_numpy(w))[1].norm()) for w in roots]
    curvature = _least_curvature(objective, factor.w)
    apart = sum(gradients) / curvature
    top = sum(float(np.linalg.norm(w, 2)) for w in roots)
    return _SECOND_ORDER * apart * top / float(np.sqrt(training.p * training.d))


def _root(s: np.ndarray, p: int) -> np.ndarray:
    """W of width p with W W^T/sqrt(p d) = S, for S >= 0 of rank at most p."""
    values, vectors = np.linalg.eigh(s)
    top = np.argsort(values)[::-1][:p]
    return vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0) * np.sqrt(p * len(s)))


def _least_curvature(objective: Objective, w: np.ndarray) -> float:
    """Smallest eigenvalue of the Hessian of L(W) that no rotation of W explains."""
    width = 1e-5 * max(float(np.abs(w).max()), 1.0)
    columns = []
    for index in range(w.size):
        shift = np.zeros(w.size)
        shift[index] = width
        sides = [
            objective.value_and_gradient(torch.from_numpy(w + sign * shift.reshape(w.shape)))[1]
            for sign in (1, -1)
        ]
        columns.append((sides[0] - sides[1]).numpy().ravel() / (2 * width))
    hessian = np.stack(columns)
    singular = np.linalg.svd(w, compute_uv=False)
    rank = int(np.sum(singular > _DEAD * singular[0]))
    free = rank * w.shape[1] - rank * (rank + 1) // 2
    return float(np.linalg.eigvalsh((hessian + hessian.T) / 2)[free])


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The objective of another penalty on S than the nuclear norm of weight sqrt(kappa) lam d."""
    _, training = training_of(case)
    lam, d = training.lams[0], training.d
    penalties = {
        "weight-decay-is-ridge": SpectralPenalty(0.0, lam * d, True),
        "sqrt-kappa-dropped": SpectralPenalty(lam * d, 0.0, True),
    }
    penalty = penalties[control.id]
    found = minimise(
        smooth_part(training.objective()),
        penalty.prox,
        penalty.residual,
        np.eye(d),
        tolerance=1e-6,
    )
    rank = _rank(np.linalg.eigvalsh(found.s))
    return {"objective": found.objective, "rank": rank, "distance": 1.0}


NUCLEAR_NORM = Experiment(measure, wrong)
