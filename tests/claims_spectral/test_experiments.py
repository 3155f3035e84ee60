"""The experiments behind the collapse and the decomposition, on single data sets."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.model import problem_from
from attlas.verify.claims.collapse import COLLAPSE
from attlas.verify.claims.decomposition import DECOMPOSITION
from attlas.verify.experiments import collapse, decomposition
from attlas.verify.simulation.simulate import simulate
from attlas.verify.store.case import Case


def test_the_measured_collapse_is_where_training_gives_zero():
    flat = {"alpha": "0.2", "kappa0": "0.5", "noise": "0.5"}
    case = Case(problem=problem_from(**flat, lam=1), d=16, seed=3)
    edge = collapse.measure(case).measured["collapse_lam"]
    for factor, empty in ((0.97, False), (1.03, True)):
        problem = problem_from(**flat, lam=factor * edge)
        (run,) = simulate(problem, d=16, seeds=[3], algorithm="fista", paired=False).runs
        assert (max(run.eigenvalues) == 0) is empty


def test_collapse_comes_close_to_theory_and_the_controls_do_not():
    point = COLLAPSE.points[1]
    cases = [Case(problem=point.problem, d=80, seed=seed) for seed in range(4)]
    found = [collapse.measure(case) for case in cases]
    deviations = [one.measured["collapse_lam"] / one.reference["collapse_lam"] - 1 for one in found]
    assert abs(np.mean(deviations)) < 0.1
    right = found[0].reference["collapse_lam"]
    assert (
        collapse.wrong(cases[0], COLLAPSE.control("factor-two-dropped"))["collapse_lam"]
        > 1.3 * right
    )
    assert (
        collapse.wrong(cases[0], COLLAPSE.control("noise-ignored"))["collapse_lam"] < 0.98 * right
    )


def test_parts_sum_to_the_squared_error():
    case = Case(problem=DECOMPOSITION.points[1].problem, d=20, seed=0)
    found = decomposition.measure(case)
    for side in (found.measured, found.reference):
        parts = side["over"] + side["under"] + side["approx"]
        assert parts == pytest.approx(side["error_scaled"], rel=1e-12)
    assert found.converged


def test_a_wrong_law_moves_a_part():
    case = Case(problem=DECOMPOSITION.points[0].problem, d=20, seed=0)
    right = decomposition.measure(case).reference
    for control in DECOMPOSITION.controls:
        wrong = decomposition.wrong(case, control)
        assert max(abs(wrong[key] / right[key] - 1) for key in right) > 0.04
