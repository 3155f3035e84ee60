"""How far a trained head is from a minimum, recomputed from the gradient alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Annotated

import numpy as np

from attlas.model.result_key import Definition, Key, theory_md

if TYPE_CHECKING:
    from attlas.verify.training.losses import Objective

#: Below this the map is taken as a stationary point of the problem in S.
KKT_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Certificate:
    """Evidence that training ended at a stationary point.

    Attributes
    ----------
    gradient : float
        Relative gradient norm in W (:func:`relative_gradient`), recomputed at the end, in float64;
        of a map trained without factors, the larger of the two KKT residuals.
    tolerance : float
        What was asked of it.
    slackness, dual_violation : float
        KKT residuals of min over S >= 0 of sum l + d lam_tilde Tr S (:func:`kkt_residuals`).
    objective : float
        L(W), the sum over samples plus the penalty.
    steps : dict
        Steps by stage, e.g. ``{"adam": 150, "l-bfgs float32": 85, "l-bfgs": 113}``.
    seconds : dict
        Wall seconds by stage.
    advice : str
        What to do where the certificate fails; empty otherwise.
    complement : float or None
        Of a map trained without factors under a nuclear norm: largest eigenvalue of minus the
        data's gradient on the null space of S, over d lam_tilde. At most 1 where S is stationary.
    """

    gradient: Annotated[
        float,
        Key(
            "relative gradient norm in W, recomputed at the end in float64; of a map trained "
            "without factors the larger of slackness and dual_violation",
            "0 or more",
            theory_md("10"),
        ),
    ]
    tolerance: Annotated[
        float, Key("what was asked of gradient", "greater than 0", theory_md("10"))
    ]
    slackness: Annotated[
        float,
        Key(
            "KKT residual of the problem in S: what complementary slackness leaves",
            "0 or more",
            theory_md("10"),
            Definition(
                "‖H S‖_F/(d λ̃ max(‖S‖_F, √d)), H the loss's gradient in S, penalty included",
                r"\|HS\|_F/(d\tilde\lambda\max(\|S\|_F,\sqrt d))",
            ),
        ),
    ]
    dual_violation: Annotated[
        float,
        Key(
            "KKT residual of the problem in S: a direction outside S that would still lower "
            "the loss",
            "0 or more",
            theory_md("10"),
            Definition(
                "max(0, −least eigenvalue of H)/(d λ̃), H the loss's gradient in S, penalty "
                "included",
                r"\max(0,-\lambda_{\min}(H))/(d\tilde\lambda)",
            ),
        ),
    ]
    objective: Annotated[
        float,
        Key(
            "the loss that was minimised, a sum over samples plus the penalty",
            "0 or more",
            theory_md("1"),
            Definition("L(W), or Σℓ + d λ̃ Tr S", "L(W)"),
        ),
    ]
    steps: Annotated[dict[str, int], Key("steps by stage of the training", "{stage: number}")]
    seconds: Annotated[dict[str, float], Key()]
    advice: Annotated[
        str, Key("what to do where the certificate fails; empty otherwise", "text")
    ] = ""
    complement: Annotated[
        float | None,
        Key(
            "of a map trained without factors under a nuclear norm: the largest eigenvalue of "
            "minus the data's gradient on the null space of S, over d lam_tilde; at most 1 "
            "where S is stationary",
            "real or null",
            theory_md("10"),
        ),
    ] = None

    @property
    def converged(self) -> bool:
        """Whether the gradient certificate holds."""
        return self.gradient <= self.tolerance

    @property
    def minimal(self) -> bool:
        """Whether the map also satisfies the KKT conditions of the problem in S.

        They fail at a saddle of L(W), and where the width p is below the rank the minimiser
        wants (theory.md section 2). The softmax loss is not convex in S, so they say stationary,
        not globally minimal.
        """
        return max(self.slackness, self.dual_violation) <= KKT_TOLERANCE


def relative_gradient(gradient: float, w: float, lam: float, shape: tuple[int, ...]) -> float:
    """|dL/dW|_F over 2 lam max(|W|_F, sqrt(p d)).

    At a stationary point the gradients of data and penalty cancel; the denominator is the norm
    of the penalty's gradient 2 lam W. The floor sqrt(p d), the norm of a W of entries of order
    one, keeps it meaningful where W shrinks to 0 (full collapse).

    Parameters
    ----------
    gradient, w : float
        Frobenius norms of the gradient and of W.
    lam : float > 0
    shape : (d, p)
    """
    return gradient / (2 * lam * max(w, sqrt(shape[0] * shape[1])))


@dataclass(frozen=True, eq=False)
class KKT:
    """Residuals of the KKT conditions H S = 0, H >= 0 of min over S >= 0 of sum l + penalty Tr S.

    Attributes
    ----------
    slackness : float
        |H S|_F/(penalty max(|S|_F, sqrt(d))).
    dual_violation : float
        max(0, -smallest eigenvalue of H)/penalty.
    h : ndarray (d, d)
        The gradient in S, penalty included.
    """

    slackness: float
    dual_violation: float
    h: np.ndarray

    @property
    def residual(self) -> float:
        """The larger of the two."""
        return max(self.slackness, self.dual_violation)


def kkt_residuals(objective: Objective, s: np.ndarray, penalty: float) -> KKT:
    """The KKT residuals at S, with penalty = d lam_tilde. theory.md section 10."""
    import torch

    tensor = torch.from_numpy(s).to(objective.x.device)
    _, gradient = objective.value_and_gradient_of_map(tensor, penalty)
    return kkt_of(s, gradient.cpu().numpy(), penalty)


def kkt_of(s: np.ndarray, h: np.ndarray, penalty: float) -> KKT:
    """The KKT residuals at S >= 0 where the gradient, penalty included, is h."""
    scale = penalty * max(float(np.linalg.norm(s)), sqrt(s.shape[0]))
    smallest = float(np.linalg.eigvalsh(h)[0])
    return KKT(float(np.linalg.norm(h @ s)) / scale, max(0.0, -smallest) / penalty, h)
