"""The stability of a truncated solution (theory.md section 13b)."""

from __future__ import annotations

import math

import pytest

from attlas.model import problem_from
from attlas.solver import solve


@pytest.mark.parametrize("tokens", [1, 2])
def test_the_replicon_diverges_where_the_width_limits_the_rank(tokens):
    flat = {"alpha": "0.3", "lam": "0.1", "kappa0": "0.5", "training": "width-limited"}
    narrow = solve(problem_from(**flat, tokens=tokens, kappa="0.1"), rtol=1e-3)
    assert narrow.rank_fraction == pytest.approx(0.1)
    assert (narrow.replicon, narrow.error.replicon) == (math.inf, 0)
    # Wide enough, the student is that of the soft threshold.
    wide = solve(problem_from(**flat, tokens=tokens, kappa="1"), rtol=1e-3)
    assert wide.replicon is not None
    assert 0 < wide.replicon < 1
