"""What message passing records at each iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from attlas.model.result_key import Definition, Key, theory_md


@dataclass(frozen=True)
class Iteration:
    """Order parameters after one iteration. theory.md section 10.

    Attributes
    ----------
    step : int
        From 1.
    q, m : float
        Tr S^2/d and Tr S S0/d of the new map.
    sigma : float
        The new Onsager variance.
    q_hat, sigma_hat : float
        Conjugates estimated in this iteration.
    change : float
        |new S - old S|_F over the larger of |S|_F and sqrt(d).
    turn : float
        Cosine between this change of S and the last: -1 oscillates, +1 creeps; 0 at first.
    replicon : float
        Empirical stability parameter R; the fixed point is stable below 1.
    """

    step: Annotated[int, Key("number of the iteration", "1 or more", theory_md("10"))]
    q: Annotated[float, Key()]
    m: Annotated[float, Key()]
    sigma: Annotated[float, Key()]
    q_hat: Annotated[float, Key()]
    sigma_hat: Annotated[float, Key()]
    change: Annotated[
        float,
        Key(
            "relative change of the map in the iteration",
            "0 or more",
            theory_md("10"),
            Definition(
                "‖S_new − S‖_F/max(‖S‖_F, √d)", r"\|S_{\mathrm{new}}-S\|_F/\max(\|S\|_F,\sqrt d)"
            ),
        ),
    ]
    turn: Annotated[
        float,
        Key(
            "cosine between this change of the map and the last: -1 oscillates, 1 creeps",
            "-1 to 1",
            theory_md("10"),
        ),
    ]
    replicon: Annotated[float, Key()]
