"""Power-law targets whose modes are recovered one after another."""

from __future__ import annotations

from attlas.model import problem_from
from attlas.verify.claims.claim import Point

#: Dimension that the problems are written at; the experiment takes them to that of each run.
BASE = 24
_TARGET = f"power-law:gamma=1.25,d={BASE}"
LINEAR, SOFTMAX, FEW = "linear", "softmax", "linear, 20 samples a dimension"
POINTS = (
    Point(LINEAR, problem_from(alpha="4", lam="8", noise="1", tokens=1, target=_TARGET)),
    Point(SOFTMAX, problem_from(alpha="2", lam="0.35", noise="0.5", tokens=2, target=_TARGET)),
    Point(
        FEW,
        problem_from(n=str(20 * BASE), lam="3.65", noise="1", tokens=1, target=_TARGET),
    ),
)
#: Points whose n/d is kept as d grows instead of n/d^2, with the penalty at lam_c.
FIXED_RATIO = frozenset({POINTS[2].problem})
#: Modes that are followed.
FOLLOWED = 3
