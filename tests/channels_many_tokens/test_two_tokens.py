"""With two tokens, the kernel for any number of tokens is the two-token kernel."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from attlas.solver.channels.many_tokens.fields import FieldModel
from attlas.solver.channels.many_tokens.kernel import ManyTokenKernel
from attlas.solver.channels.many_tokens.scores import reduced_scores
from attlas.solver.channels.two_tokens.kernel import TwoTokenKernel
from attlas.solver.order_parameters import Overlaps

BASE = Overlaps(q=0.835242, m=1.057498, sigma=9.67856)


@pytest.mark.parametrize(
    ("overlaps", "beta0"),
    [
        (BASE, 1.0),
        (Overlaps(q=0.8, m=0.9, sigma=0.5), 1.0),
        (Overlaps(q=3.0, m=1.2, sigma=60.0), 1.0),
        (Overlaps(q=1.5, m=0.2, sigma=20.0), 1.5),
    ],
)
def test_moments_agree_within_the_spread_of_the_replicates(
    overlaps: Overlaps, beta0: float
) -> None:
    exact = TwoTokenKernel(beta=1.0, beta0=beta0, noise=0.1)
    kernel = ManyTokenKernel(tokens=2, beta=1.0, beta0=beta0, noise=0.1)
    coarse, truth = (
        np.array(astuple(exact.moments(overlaps, 1.55, level)))[:6] for level in (6, 7)
    )
    replicates = np.array([astuple(one) for one in kernel.replicate_moments(overlaps, 1.55, 3)])
    replicates = replicates[:, :6]
    mean = replicates.mean(axis=0)
    error = replicates.std(axis=0, ddof=1) / kernel.replicates**0.5
    assert np.all(np.abs(mean - truth) <= 5 * error + np.abs(truth - coarse))
    # Four dimensions are easy: the agreement is also close in itself.
    assert np.allclose(mean, truth, rtol=1e-2)


def test_integrands_equal_those_of_the_two_token_kernel_sample_by_sample() -> None:
    rng = np.random.default_rng(3)
    scores = reduced_scores(2)
    label, field = rng.standard_normal((2, 2, 500))
    model = FieldModel.at(BASE, np.array([[1.5]]), 1.0, 1.0, scores)
    mine = model.integrands(label, field)

    from attlas.solver.channels.two_tokens.fields import FieldModel as PairModel
    from attlas.solver.channels.two_tokens.scores import ScorePair

    # u = h11 - h12 and v = h22 - h12, from the reduced coordinates.
    difference = np.stack(
        [scores.rows[0, 0] - scores.rows[0, 1], scores.rows[1, 1] - scores.rows[0, 1]]
    )
    assert difference @ difference.T == pytest.approx(np.array([[3, 1], [1, 3]]))
    pairs = PairModel.at(BASE, 1.5, 1.0, 1.0, ScorePair())
    a, b = difference @ label, difference @ field
    problem = pairs.problem(a, b)
    h = problem.solve(problem.omega)
    r = problem.residual(h)
    pushed = pairs.pair.times_covariance(r)
    stretched = np.sum(r * pushed, axis=0)
    assert mine[0] == pytest.approx(problem.loss(h) + 0.5 * BASE.sigma * stretched, rel=1e-9)
    assert mine[1] == pytest.approx(-0.5 * stretched, rel=1e-9, abs=1e-12)
    assert mine[4] == pytest.approx(problem.loss(h), rel=1e-9, abs=1e-12)
    along_field = np.sum(r * b, axis=0)
    assert mine[3] == pytest.approx(-along_field / (2 * pairs.spread.plus), rel=1e-9, abs=1e-10)


def test_test_errors_agree() -> None:
    for beta, beta0, q, m in ((1.0, 1.0, 0.84, 1.06), (3.0, 1.0, 0.95, -0.5), (1.0, 4.0, 2.0, 1.5)):
        mine = ManyTokenKernel(2, beta, beta0, 0.1).test_errors(q, m, 1.5)
        other = TwoTokenKernel(beta, beta0, 0.1).test_errors(q, m, 1.5)
        assert mine.noisy == pytest.approx(other.noisy, rel=1e-7)
        assert mine.clean == pytest.approx(other.clean, rel=1e-7)
