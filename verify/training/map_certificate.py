"""The certificate of a map that was trained without factors."""

from __future__ import annotations

import numpy as np

from attlas.verify.training.certificate import Certificate
from attlas.verify.training.penalty import SpectralPenalty
from attlas.verify.training.task import Trained, Training

PRECISION = "float64"


def certified(
    training: Training,
    s: np.ndarray,
    smooth: tuple[float, np.ndarray],
    penalty: SpectralPenalty,
    *,
    steps: dict[str, int],
    seconds: dict[str, float],
    advice: str = "",
) -> Trained:
    """A trained map with the KKT residuals recomputed at it.

    Parameters
    ----------
    training : Training
    s : ndarray (d, d)
        Symmetric.
    smooth : (float, ndarray (d, d))
        Value and gradient of the data term at s.
    penalty : SpectralPenalty
    steps, seconds : dict
        By stage.
    advice : str
        What to do if the residual exceeds the tolerance; a general sentence if empty.

    Notes
    -----
    ``Certificate.gradient`` is the larger KKT residual here, the counterpart of the gradient in W.
    """
    value, gradient = smooth
    kkt = penalty.kkt(s, gradient)
    eigenvalues, vectors = np.linalg.eigh(s)
    residual = kkt.residual
    if residual <= training.tolerance:
        advice = ""
    elif not advice:
        advice = (
            f"The KKT residual stopped at {residual:.1e}, above {training.tolerance:.1e}: raise "
            "`max_steps` or `gradient_tolerance`."
        )
    certificate = Certificate(
        gradient=residual,
        tolerance=training.tolerance,
        slackness=kkt.slackness,
        dual_violation=kkt.dual_violation,
        objective=value + penalty.value(eigenvalues),
        steps=steps,
        seconds=seconds,
        advice=advice,
        complement=penalty.complement(eigenvalues, vectors, gradient),
    )
    return Trained(s, eigenvalues[::-1].copy(), certificate, PRECISION)
