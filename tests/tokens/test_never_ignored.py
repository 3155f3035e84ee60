"""What answers for a problem takes its tokens into account, or refuses them by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import attlas
from attlas.model import problem_from

BASE = {"alpha": "0.3", "lam": "0.1", "kappa0": "0.5", "noise": "0.5", "tokens": 1}
TOKENS = (
    {"tokens_law": "rademacher"},
    {"token_covariance": "atoms:0.25/1.75"},
    {"tokens_law": "normalised", "token_covariance": "atoms:0.25/1.75"},
)
ANSWERS: dict[str, Callable[[attlas.Problem], float | None]] = {
    "solve": lambda problem: attlas.solve(problem).test_error,
    "spectrum": lambda problem: attlas.spectrum(problem)["epsilon"],
    "decompose": lambda problem: attlas.decompose(problem)["over"],
    "best_lambda": lambda problem: attlas.best_lambda(problem, rtol=1e-3).values.lam,
}


@pytest.mark.parametrize(
    "name", [*list(ANSWERS)[:-1], pytest.param("best_lambda", marks=pytest.mark.slow)]
)
def test_no_answer_is_that_of_gaussian_tokens(name: str) -> None:
    found, usual = None, ANSWERS[name](problem_from(**BASE))
    for flat in TOKENS:
        try:
            found = ANSWERS[name](problem_from(**BASE, **flat))
        except attlas.BadInput as error:
            refused = error.parameter.startswith("token")
        else:
            refused = False
        assert refused or found != pytest.approx(usual, rel=1e-3), flat
