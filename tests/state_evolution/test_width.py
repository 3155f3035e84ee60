"""The width that a solution needs, and when a student is refused for want of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attlas.model import BadInput, problem_from
from attlas.solver import solve
from attlas.solver.solve import _require_width


def test_rounding_in_the_rank_refuses_no_student_of_full_width():
    problem = problem_from(alpha="1", lam="0.01", kappa0="2", tokens=1, kappa="1")
    solution = solve(problem)
    rounded = replace(solution, rank_fraction=1 + 2.3e-16)
    _require_width(problem, replace(rounded, error=replace(solution.error, rank_fraction=1e-15)))
    with pytest.raises(BadInput, match="must be at least"):
        _require_width(problem, replace(solution, rank_fraction=1.01))
