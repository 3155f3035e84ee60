"""Singular values of the heads of a trained model, beside their shuffled weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from attlas.reports.figures.sheet import BLUE, MUTED, ORANGE, sheet
from attlas.solver.weights import WeightsDescription

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Layers that are drawn.
_MOST = 6


def weights_figure(found: WeightsDescription) -> Figure:
    """Singular values against their rank, one panel a layer; see `WeightsDescription.plot`."""
    layers = list(dict.fromkeys(head.layer for head in found.heads))
    shown = layers[:: math.ceil(len(layers) / _MOST)]
    with sheet(2.2 + 2.4 * len(shown), 3.4, widths=(1.0,) * len(shown)) as (figure, panels):
        for axes, layer in zip(panels, shown, strict=True):
            heads = [head for head in found.heads if head.layer == layer]
            for head in heads:
                values = np.array(head.singular_values[: head.rank])
                rank = np.arange(1, values.size + 1)
                beyond = values > head.edge
                axes.plot(rank, values, color=BLUE, linewidth=0.8, alpha=0.6)
                axes.plot(rank[beyond], values[beyond], "o", color=ORANGE, markersize=2.5)
            reference = np.mean([head.reference for head in heads], axis=0)
            axes.plot(np.arange(1, reference.size + 1), reference, "--", color=MUTED)
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_title(layer.removesuffix(".weight")[-34:], fontsize=7)
            axes.set_xlabel("rank")
        panels[0].set_ylabel("singular value of W_Q W_Kᵀ/√p")
        figure.suptitle(
            "each line a head; orange: beyond the same weights shuffled (dashed, mean)",
            fontsize=9,
            x=0.01,
            ha="left",
        )
    return figure
