"""A trained head against the theory at its own teacher's eigenvalues."""

from __future__ import annotations

import pytest

from attlas.model import BadInput
from attlas.verify import simulate

#: At d = 30, over seeds, theory.md section 16 reports loss +0.35 +- 0.26 %, q +1.0 +- 0.7 % and
#: m +0.5 +- 0.4 %; the margins are the mean plus about four spreads, and 1/d for d = 24.
MARGINS = {"loss": 0.02, "q": 0.05, "m": 0.03}


def test_a_run_agrees_with_its_paired_theory_and_not_with_another(make_problem):
    problem = make_problem(alpha="0.5")
    run = simulate(problem, d=24, seeds=[0]).runs[0]
    deviations = run.deviations()
    assert set(run.observables.present()) <= set(deviations)
    for key, margin in MARGINS.items():
        assert abs(deviations[key]) < margin, key
    # The same teacher with the penalty doubled: the pairing can tell.
    other = simulate(make_problem(alpha="0.5", lam="0.02"), d=24, seeds=[0]).runs[0]
    assert other.data_hash == run.data_hash
    assert other.theory is not None
    for key, margin in MARGINS.items():
        crossed = run.observables.present()[key] / other.theory.present()[key] - 1
        assert abs(crossed) > margin, key


def test_a_width_that_the_theory_refuses_names_the_needed_kappa(make_problem):
    with pytest.raises(BadInput, match=r"^kappa "):
        simulate(make_problem(kappa="0.25"), d=24, seeds=1)


def test_theory_stands_beside_a_run_where_its_sharpest_tolerance_is_out_of_reach(make_problem):
    """Where the proximal point jumps, a millionth takes long or is not reached."""
    run = simulate(make_problem(noise="0.5"), d=24, seeds=[0]).runs[0]
    assert run.theory is not None
    assert run.theory_error is not None
    for key in ("q", "m", "sigma", "loss"):
        assert 1e-6 < run.theory_error.present()[key] / run.theory.present()[key] < 1e-4, key
