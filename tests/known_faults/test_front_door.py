"""The Python front door: what is not a value of the right kind ends in a sentence."""

# Values of the wrong kind are the point here.
# pyright: reportArgumentType=false
from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import attlas
from attlas.model import BadInput, problem_from
from attlas.model.exact import exact
from attlas.solver import SolveError
from attlas.verify.simulation.result import SimulationError

FLAT = {"alpha": "0.3", "lam": "0.05", "kappa0": "0.5", "tokens": 1, "noise": "0.1"}
PROBLEM = problem_from(**FLAT)
TINY: dict[str, Any] = {"d": 8, "paired": False}


@pytest.mark.parametrize(
    "name", ["solve", "sweep", "spectrum", "decompose", "best_lambda", "phase"]
)
@pytest.mark.parametrize("given", [None, "alpha=0.3", 3, FLAT, [PROBLEM], attlas.Problem])
def test_only_a_problem_is_a_problem(name: str, given: Any) -> None:
    with pytest.raises(BadInput, match=r"problem (is missing|= .* is not valid): must be an"):
        getattr(attlas, name)(given)
    with pytest.raises(BadInput, match=r"must be an attlas\.Problem"):
        attlas.simulate(given, d=8)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: attlas.sweep(PROBLEM, alpha="12"), "alpha = '12' is not valid: must be a list"),
        (lambda: attlas.sweep(PROBLEM, alpha=b"12"), "alpha"),
        (lambda: attlas.sweep(PROBLEM, alpha=0.1), "alpha = 0.1 is not valid: must be a list"),
        (lambda: attlas.sweep(PROBLEM, alpha=None), "alpha"),
        (lambda: attlas.sweep(PROBLEM, alpha=np.array(0.1)), "alpha"),
        (lambda: attlas.sweep(PROBLEM, alpha=[]), "alpha"),
        (lambda: attlas.sweep(PROBLEM, alpha=[0.1], workers="x"), "workers = 'x'"),
        (lambda: attlas.sweep(PROBLEM, alpha=[0.1], rtol="x"), "rtol = 'x'"),
        (lambda: attlas.solve(PROBLEM, rtol="x"), "rtol = 'x'"),
        (lambda: attlas.solve(PROBLEM, max_steps="many"), "max_steps = 'many'"),
        (lambda: attlas.solve(PROBLEM, max_steps=None), "max_steps is missing"),
        (lambda: attlas.simulate(PROBLEM, **TINY, lam_path="21"), "lam_path = '21'"),
        (lambda: attlas.simulate(PROBLEM, **TINY, lam_path=1), "lam_path = 1"),
        (lambda: attlas.simulate(PROBLEM, **TINY, seeds=1.5), "seeds = 1.5"),
        (lambda: attlas.simulate(PROBLEM, **TINY, seeds=None), "seeds is missing"),
        (lambda: attlas.simulate(PROBLEM, **TINY, seeds="12"), "seeds = '12'"),
        (lambda: attlas.simulate(PROBLEM, **TINY, algorithm=None), "algorithm"),
        (lambda: attlas.simulate(PROBLEM, **TINY, device=3), "device = 3"),
        (lambda: attlas.simulate(PROBLEM, **TINY, centring=None), "centring"),
        (lambda: attlas.threshold(None, kappa0="1/2"), "threshold"),
        (lambda: attlas.Spiked("12", d=20), "spikes = '12' is not valid: must be a list"),
        (lambda: attlas.Spiked(2, d=20), "spikes = 2"),
        (lambda: problem_from(**{**FLAT, "alpha": np.array([0.3])}), "alpha"),
        (lambda: problem_from(**{**FLAT, "alpha": np.True_}), "alpha = True"),
        (lambda: problem_from(**{**FLAT, "alpha": b"0.3"}), "alpha"),
        (
            lambda: attlas.Problem(
                alpha=1,
                target=attlas.Wishart,
                channel=PROBLEM.channel,
                estimator=PROBLEM.estimator,
            ),
            "target = <class",
        ),
    ],
)
def test_a_value_of_another_kind_is_named(call: Any, said: str) -> None:
    with pytest.raises(BadInput) as found:
        call()
    assert said in str(found.value)


@pytest.mark.parametrize(
    "value", [0.3, "0.3", "3/10", Fraction(3, 10), Decimal("0.3"), np.float64(0.3), np.array(0.3)]
)
def test_every_way_to_write_a_number_is_the_number(value: Any) -> None:
    assert exact("alpha", value) == Fraction(3, 10)


def test_what_a_worker_process_hands_back_is_whole() -> None:
    """Errors too: one that cannot be unpickled breaks the pool of processes."""
    solution = attlas.solve(PROBLEM)
    simulation = attlas.simulate(PROBLEM, **TINY, seeds=1, raise_on_failure=False)
    for value in (PROBLEM, solution, simulation, attlas.threshold("bayes", kappa0="1/2")):
        assert pickle.loads(pickle.dumps(value)) == value
        assert copy.deepcopy(value) == value
    for error in (
        BadInput("x", 1, "must be 2", "take 2"),
        SolveError(solution),
        SimulationError(simulation),
    ):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_solves_in_threads_are_those_in_turn_bit_for_bit() -> None:
    problems = [problem_from(**{**FLAT, "alpha": alpha}) for alpha in ("0.2", "0.3", "0.4")]
    in_turn = [attlas.solve(one) for one in problems]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(attlas.solve, problems * 2))
    for one, other in zip(in_turn * 2, together, strict=True):
        assert (one.present(), one.error.present()) == (other.present(), other.error.present())
