"""Teachers, tokens and labels: reproducible, finite, of the stated law."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from attlas.model import Atoms, BadInput, Wishart
from attlas.verify.data.sequences import draw_data, raw_scores
from attlas.verify.data.teacher import draw_teacher

HASH = """
from attlas.model import Factorised, Problem, SoftmaxChannel, Wishart
from attlas.verify import draw_data, draw_teacher
problem = Problem(alpha="0.3", target=Wishart("1/2"), channel=SoftmaxChannel(noise="0.2"),
                  estimator=Factorised(lam="0.05"))
print(draw_data(problem, draw_teacher(problem.target, 64, 5), 500, 5).digest)
"""


def test_the_hash_does_not_depend_on_the_number_of_threads(monkeypatch):
    hashes = set()
    for threads in ("1", "2"):
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            monkeypatch.setenv(name, threads)
        done = subprocess.run(
            [sys.executable, "-c", HASH], capture_output=True, text=True, check=True
        )
        hashes.add(done.stdout)
    assert len(hashes) == 1
    assert len(hashes.pop().strip()) == 64


def test_seeds_purposes_and_noise_are_separate_streams(make_problem):
    quiet, noisy = make_problem(noise="0"), make_problem(noise="0.4")
    teacher = draw_teacher(quiet.target, 12, 0)
    train = draw_data(quiet, teacher, 20, 0)
    assert np.array_equal(draw_data(noisy, teacher, 20, 0).x, train.x)
    assert np.array_equal(draw_data(quiet, teacher, 11, 0).x, train.x[:11])
    assert not np.array_equal(draw_data(quiet, teacher, 20, 1).x, train.x)
    assert not np.array_equal(draw_data(quiet, teacher, 20, 0, "test").x, train.x)
    hashes = {
        draw_data(quiet, teacher, 20, 0).digest,
        draw_data(noisy, teacher, 20, 0).digest,
        draw_data(quiet, teacher, 20, 1).digest,
        draw_data(quiet, draw_teacher(quiet.target, 12, 1), 20, 0).digest,
    }
    assert len(hashes) == 4


def test_wishart_teacher_has_the_stated_normalisation():
    teachers = [draw_teacher(Wishart("1/2"), 120, seed) for seed in range(4)]
    # Tr S0^2/d = 1 + kappa0 with corrections of order 1/d, fluctuating as 1/d.
    assert np.mean([t.q0 for t in teachers]) == pytest.approx(1.5, abs=0.06)
    assert np.mean([t.trace / t.d for t in teachers]) == pytest.approx(np.sqrt(0.5), abs=0.02)
    for teacher in teachers:
        assert np.count_nonzero(teacher.eigenvalues) == 60
        rebuilt = (teacher.eigenvectors * teacher.eigenvalues) @ teacher.eigenvectors.T
        np.testing.assert_allclose(rebuilt, teacher.s0, atol=1e-12)


def test_atoms_teacher_has_exactly_its_eigenvalues():
    target = Atoms([3.0, 3.0, 1.0, 0.5, 0.0, 0.0, 0.0, 2.0, 2.0])
    teacher = draw_teacher(target, 9, 7)
    np.testing.assert_allclose(np.linalg.eigvalsh(teacher.s0)[::-1], target.eigenvalues, atol=1e-13)
    with pytest.raises(BadInput, match="must be the target's dimension, 9"):
        draw_teacher(target, 10, 7)


def test_score_and_noise_variances(make_problem):
    """Off-diagonal variance Tr S0^2/d, diagonal twice that; noise 1/2 and 1 times Delta."""
    problem = make_problem(tokens=3, noise="0.6")
    teacher = draw_teacher(problem.target, 30, 2)
    data = draw_data(problem, teacher, 40_000, 2)
    expected = teacher.q0 * (1 + np.eye(3))
    np.testing.assert_allclose(data.scores.var(axis=0), expected, rtol=0.05)
    np.testing.assert_allclose(data.scores.mean(axis=0), 0, atol=0.05)
    noise = data.noisy_scores - data.scores
    np.testing.assert_allclose(noise.var(axis=0), 0.3 * (1 + np.eye(3)), rtol=0.03)
    np.testing.assert_allclose(noise, np.swapaxes(noise, 1, 2), atol=1e-12)


def test_scores_follow_their_definition(make_problem):
    problem = make_problem(tokens=3)
    teacher = draw_teacher(problem.target, 10, 0)
    data = draw_data(problem, teacher, 6, 0)
    direct = np.einsum("nai,ij,nbj->nab", data.x, teacher.s0, data.x) / np.sqrt(10)
    np.testing.assert_allclose(raw_scores(data.x, teacher.s0), direct, atol=1e-12)
    centred = direct - np.eye(3) * np.trace(teacher.s0) / np.sqrt(10)
    np.testing.assert_allclose(data.scores, centred, atol=1e-12)
    average = draw_data(problem, teacher, 6, 0, centring="average")
    np.testing.assert_allclose(average.scores, direct - direct.mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("tokens", [2, 4])
def test_saturated_labels_are_finite(make_problem, tokens):
    problem = make_problem(tokens=tokens, beta0="50", noise="1")
    data = draw_data(problem, draw_teacher(problem.target, 20, 0), 500, 0)
    assert np.all(np.isfinite(data.labels))
    np.testing.assert_allclose(data.labels.sum(axis=2), 1, atol=1e-12)
    assert np.median(data.labels.max(axis=2)) > 1 - 1e-9
