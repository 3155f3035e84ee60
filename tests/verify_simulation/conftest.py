"""Problems shared by the tests of the simulation."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attlas.model import Factorised, LinearChannel, Problem, SoftmaxChannel, Wishart


@pytest.fixture
def make_problem() -> Callable[..., Problem]:
    """A problem near theory.md's base point, with parts replaced."""

    def make(
        *,
        alpha: str = "0.2",
        lam: str = "0.01",
        kappa: str = "1",
        tokens: int = 2,
        noise: str = "0",
        beta: str = "1",
        beta0: str = "1",
        task: str = "seq2lab",
    ) -> Problem:
        channel = (
            LinearChannel(noise=noise)
            if tokens == 1
            else SoftmaxChannel(tokens=tokens, beta=beta, beta0=beta0, noise=noise)
        )
        return Problem(
            alpha=alpha,
            target=Wishart("1/2"),
            channel=channel,
            estimator=Factorised(lam=lam, kappa=kappa),
            task=task,
        )

    return make
