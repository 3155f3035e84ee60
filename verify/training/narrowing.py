"""The factor W on the columns that carry it: fewer numbers to train, the same map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from attlas.verify.training import lbfgs
from attlas.verify.training.losses import Objective

#: Singular values of W below this fraction of the largest are let go: in S they count its square,
#: and the KKT conditions show whether one of them was needed.
NEGLIGIBLE = 1e-2


@dataclass(frozen=True, eq=False)
class Narrow:
    """A factor of k columns that stands for one of p.

    L(W) depends on W W^T alone: W may be turned so that its columns are orthogonal, and those that
    are next to zero left out. As S = W W^T/sqrt(p d) knows the width, the columns are scaled by
    (k/p)^(1/4) and the penalty by (p/k)^(1/2), which leaves S and L as they were.

    Attributes
    ----------
    objective : Objective
        L as a function of the narrow factor.
    w : Tensor (d, k)
    width : int
        p.
    """

    objective: Objective
    w: torch.Tensor
    width: int

    @classmethod
    def of(cls, objective: Objective, w: torch.Tensor, negligible: float = NEGLIGIBLE) -> Narrow:
        """The narrow factor of W, shape (d, p), in float64.

        ``negligible`` is the fraction of the largest singular value that is let go.
        """
        factor = w.detach().to("cpu", torch.float64).numpy()
        left, singular, _ = np.linalg.svd(factor, full_matrices=False)
        width = factor.shape[1]
        kept = max(1, int(np.count_nonzero(singular > negligible * singular[0])))
        columns = left[:, :kept] * (singular[:kept] * (kept / width) ** 0.25)
        lam = objective.lam * (width / kept) ** 0.5
        return cls(objective.with_lam(lam), torch.from_numpy(columns), width)

    def widened(self, w: torch.Tensor) -> torch.Tensor:
        """The factor of p columns, the last of them zero, that a narrow one stands for."""
        d, kept = w.shape
        wide = w.new_zeros((d, self.width))
        wide[:, :kept] = w * (self.width / kept) ** 0.25
        return wide


def polish_narrow(
    objective: Objective,
    w: torch.Tensor,
    *,
    negligible: float,
    tolerance: float,
    max_steps: int,
    report: Callable[[int], None] | None = None,
) -> tuple[torch.Tensor, int]:
    """L-BFGS on the narrow factor of W: the factor of p columns reached, and the evaluations.

    Parameters
    ----------
    objective, tolerance, max_steps, report
        As of :func:`attlas.verify.training.lbfgs.polish`.
    w : Tensor (d, p)
        Start; not changed.
    negligible : float in [0, 1)
        As of :meth:`Narrow.of`.
    """
    narrow = Narrow.of(objective, w, negligible)
    found = lbfgs.polish(
        narrow.objective, narrow.w, tolerance=tolerance, max_steps=max_steps, report=report
    )
    return narrow.widened(found.w), found.evaluations
