"""Modes in time: amplitudes along gradient descent and Adam, and the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from attlas.model import PowerLaw
from attlas.reports.figures.sheet import BLUE, GREEN, OLIVE, ORANGE, PURPLE, VIOLET, sheet
from attlas.verify.training.descent import Path as Descent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = (BLUE, ORANGE, GREEN, PURPLE, OLIVE, VIOLET)


def time_figure(
    target: PowerLaw, noise: float, n: int, modes: int, found: Mapping[str, Descent]
) -> Figure:
    """Draw recorded trainings.

    Parameters
    ----------
    target, noise, n
        The problem, for the title.
    modes : int
        How many modes are drawn; 6 at most.
    found : mapping from the way of training to its record
        Two of them.
    """
    with sheet(13.2, 4.2, widths=(1.0, 1.0, 1.0)) as (figure, (*amplitudes, right)):
        for axes, (name, one) in zip(amplitudes, found.items(), strict=True):
            for i, colour in enumerate(_COLOURS[:modes]):
                share = one.amplitudes[:, i] / one.amplitudes[-1, i]
                axes.plot(one.steps[1:], share[1:], color=colour, label=f"mode {i + 1}")
            axes.set(xscale="log", ylim=(0, 1.3), xlabel="step")
            axes.set_title(f"{name}: vᵢᵀ S vᵢ over its last value", fontsize=9.5, loc="left")
        amplitudes[0].legend(fontsize=8, loc="upper left")
        for (name, one), colour in zip(found.items(), (BLUE, ORANGE), strict=True):
            excess = one.loss - one.loss.min()
            right.plot(one.steps[1:], np.maximum(excess[1:], 0), color=colour, label=name)
        right.set(xscale="log", yscale="log", xlabel="step")
        right.set_title("training loss above its least value", fontsize=9.5, loc="left")
        right.legend(fontsize=8)
        figure.suptitle(
            f"{target.grammar()}, Δ = {noise:g}, n = {n}, λ = λ_c, T = 1, small start: "
            "simulation only",
            x=0.01,
            ha="left",
            fontsize=10,
        )
    return figure
