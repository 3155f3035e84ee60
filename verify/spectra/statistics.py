"""What a spectrum is compared by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attlas.verify.spectra.draws import Draw
from attlas.verify.training.rank import non_zero

#: The statistics, in words.
NAMES: dict[str, str] = {
    "rank_fraction": "share of non-zero eigenvalues",
    "mean": "mean eigenvalue, Tr S/d",
    "top": "largest eigenvalue",
    "signal_edge": "smallest of as many eigenvalues as the target has",
    "overlap_top": "squared overlap of the first direction",
    "overlap_signal": "share of the target's directions within as many learned ones",
    "wasserstein": "Wasserstein-1 distance of the non-zero quantiles from their mean",
}


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Mean learned eigenvalues of the predicted law, largest first."""

    mean: np.ndarray

    @classmethod
    def of(cls, draws: Sequence[Draw]) -> Quantiles:
        """Of some draws at one teacher."""
        return cls(np.mean([one.eigenvalues for one in draws], axis=0))

    def distance(self, eigenvalues: np.ndarray) -> float:
        """Wasserstein-1: the mean over all d of |eigenvalue - mean eigenvalue of its rank|."""
        return float(np.mean(np.abs(eigenvalues - self.mean)))


def statistics(draw: Draw, teacher: Sequence[float], quantiles: Quantiles) -> dict[str, float]:
    """The statistics of a learned map.

    Parameters
    ----------
    draw : Draw
    teacher : sequence of float
        The teacher's eigenvalues, descending.
    quantiles : Quantiles
        Of the predicted law at this teacher.

    Notes
    -----
    The atom at zero enters through ``rank_fraction`` alone: where a learned and a predicted
    eigenvalue are both zero they add nothing to the distance. Eigenvalues repel, so their joint
    law is far from that of independent samples; every statistic has to be compared with its own
    law, drawn at the same d.
    """
    values, targets = draw.eigenvalues, np.asarray(teacher, dtype=float)
    directions = int(np.sum(non_zero(targets)))
    alive = non_zero(values, targets[0])
    return {
        "rank_fraction": float(np.mean(alive)),
        "mean": float(np.mean(values)),
        "top": float(values[0]),
        "signal_edge": float(values[directions - 1]),
        "overlap_top": float(draw.overlaps[0, 0]),
        "overlap_signal": float(draw.overlaps[:directions, :directions].sum() / directions),
        "wasserstein": quantiles.distance(np.where(alive, values, 0.0)),
    }
