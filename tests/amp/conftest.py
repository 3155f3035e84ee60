"""A training of any part, ready for the algorithms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from attlas.model import problem_from
from attlas.verify.experiments.training import training_of
from attlas.verify.store.case import Case
from attlas.verify.training.task import Training


@pytest.fixture
def make_training() -> Callable[..., Training]:
    """The training of flat parameters at dimension d."""

    def make(d: int, seed: int = 0, options: dict[str, Any] | None = None, **flat: Any) -> Training:
        problem = problem_from(**{"alpha": "0.2", "lam": "0.01", "kappa0": "0.5", **flat})
        return training_of(Case(problem, d=d, seed=seed), **(options or {}))[1]

    return make
