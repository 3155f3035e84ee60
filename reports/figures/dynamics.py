"""Training in time: the loss with its steps, and the spectrum as it is learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from attlas.reports.figures.sheet import BLUE, INK, MUTED, ORANGE, sheet
from attlas.solver.dynamics import Dynamics

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Modes that are told apart in the picture.
_ROWS = 240
#: Escapes that are marked at the loss, at most.
_MARKS = 12


def dynamics_figure(found: Dynamics) -> Figure:
    """A flow's loss and the spectrum that it learns; see `Dynamics.plot`."""
    order = np.argsort(found.t)
    t = found.t[order]
    with sheet(10.4, 3.8, widths=(1.0, 1.15)) as (figure, (left, right)):
        _loss(left, found, t, order)
        _spectrum(right, figure, found, t, order)
        for axes in (left, right):
            axes.set_xlabel("t")
            if _logarithmic(t):
                axes.set_xscale("log")
        decay = f", c = {found.decay:g}" if found.decay else ""
        figure.suptitle(
            f"gradient flow from S = {found.sigma0:g} I{decay}, infinitely many samples",
            x=0.01,
            ha="left",
            fontsize=10,
        )
    return figure


def _loss(axes: Any, found: Dynamics, t: np.ndarray, order: np.ndarray) -> None:
    axes.plot(t, found.error[order], color=INK, label="population loss")
    axes.plot(t, found.mse[order], color=BLUE, linewidth=1.2, label="‖S − S₀‖²/d")
    if found.error_discrete is not None:
        label = f"gradient descent, step {found.step:g}"
        axes.plot(t, found.error_discrete[order], "--", color=ORANGE, label=label)
    times = np.unique(found.escape_times[np.isfinite(found.escape_times)])
    for time in times[
        np.unique(np.linspace(0, max(times.size - 1, 0), _MARKS).astype(int))[: times.size]
    ]:
        if t[0] <= time <= t[-1]:
            axes.axvline(time, color=MUTED, linewidth=0.5, ls=":", zorder=0)
    axes.set_yscale("log")
    axes.set_title("dotted: times at which modes escape", fontsize=9, loc="left")
    axes.legend(fontsize=8, loc="lower left")


def _spectrum(axes: Any, figure: Any, found: Dynamics, t: np.ndarray, order: np.ndarray) -> None:
    """Share of each target eigenvalue that is learned, against t and the eigenvalue."""
    seen = found.target_eigenvalues > 1e-9 * found.target_eigenvalues.max()
    s = found.target_eigenvalues[seen]
    kept = np.unique(np.linspace(0, s.size - 1, min(_ROWS, s.size)).astype(int))
    share = (found.learned_eigenvalues[order][:, seen] / s)[:, kept]
    colours = axes.pcolormesh(
        t, s[kept], share.T, shading="nearest", vmin=0, vmax=1, rasterized=True
    )
    escape = found.escape_times[seen]
    axes.plot(escape, s, color=ORANGE, linewidth=1.2, label="escapes")
    axes.set(xlim=(t[0], t[-1]), ylabel="eigenvalue of S₀")
    if s.size > 1 and s[0] / s[-1] > 50:
        axes.set_yscale("log")
    figure.colorbar(colours, ax=axes, label="learned eigenvalue / target's")
    axes.legend(fontsize=8, loc="upper right", labelcolor="white")


def _logarithmic(t: np.ndarray) -> bool:
    """Whether the times are further apart at the end, by a factor."""
    return t.size > 2 and t[0] > 0 and t[-1] / t[0] > 50
