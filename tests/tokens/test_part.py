"""Tokens as the fourth part of a problem: what they are, how they are written, what is refused."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import attlas
from attlas.model import parameters_of, problem_from
from attlas.model.registry import register
from attlas.model.tokens import LAWS, Eigenvalues, TokenLaw, Tokens
from attlas.verify.store.case import Case

BASE = {"alpha": "0.5", "lam": "0.05", "kappa0": "0.5", "noise": "0.5"}

#: Flat parameters, and k: every law, every covariance, both forms of positions.
KINDS = (
    ({"tokens_law": "rademacher"}, -2),
    ({"tokens_law": "sphere", "token_covariance": "atoms:0.25/1.75"}, -2),
    ({"tokens_law": "student:nu=7"}, 2),
    ({"tokens_law": "kurtosis:k=1/3", "token_positions": "ar1:rho=-0.3"}, Fraction(1, 3)),
    ({"tokens_law": "three-point", "token_covariance": "atoms:1/2/5/5"}, 0),
    ({"tokens_law": "normalised", "token_covariance": "power-law:a=1,d=40"}, -2),
    ({"token_covariance": "ar1:rho=0.5", "token_positions": "rows:1,1/3:1/3,1"}, 0),
)


def test_every_kind_is_read_back_exactly_and_has_the_moments_it_says() -> None:
    rng = np.random.default_rng(3)
    for flat, k in KINDS:
        problem = problem_from(**BASE, **flat)
        tokens = problem.tokens
        assert problem_from(**parameters_of(problem)) == problem
        assert not tokens.is_default
        assert tokens.excess_kurtosis == k
        x = tokens.draw(rng, (20_000, 2, 12))
        at = tokens.at_dimension(12)
        c = np.ones(12) if at.covariance is None else at.covariance.eigenvalues(12)
        if tokens.normalised:
            assert np.square(x).sum(axis=2) == pytest.approx(12, rel=1e-12)
            continue
        assert np.square(x).mean(axis=(0, 1)) == pytest.approx(c, rel=0.05)
        z = x / np.sqrt(c)
        length = np.square(z).sum(axis=2)
        if tokens.positions is None:
            assert length.var() / 12 == pytest.approx(2 + float(k), rel=0.15, abs=1e-12)
        else:
            cross = (x[:, 0] * x[:, 1]).mean(axis=0) / c
            assert cross == pytest.approx(float(tokens.positions[0][1]), abs=0.05)


def test_covariances_have_mean_one_and_the_moments_of_their_law() -> None:
    for text, second in (("atoms:1/3", Fraction(5, 4)), ("ar1:rho=0.5", Fraction(5, 3))):
        covariance = Tokens(covariance=text).covariance
        assert covariance is not None
        values, weights = covariance.atoms()
        assert weights @ values == pytest.approx(1, rel=1e-14)
        assert weights @ values**2 == pytest.approx(float(second), rel=1e-13)  # (1+r^2)/(1-r^2)
        assert np.mean(covariance.eigenvalues(64)) == pytest.approx(1, rel=1e-14)
    power = Tokens(covariance="power-law:a=1/2,d=3").covariance
    assert power is not None
    assert power.atoms()[0] == pytest.approx(np.array([3**-0.5, 2**-0.5, 1]) / 0.7614858, rel=1e-6)


def test_a_covariance_from_a_file_is_known_by_its_values(tmp_path) -> None:
    matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    np.save(tmp_path / "c.npy", matrix)
    (tmp_path / "c.txt").write_text("3\n1\n")
    two = [
        problem_from(**BASE, token_covariance=f"file:{tmp_path}/{name}")
        for name in ("c.txt", "c.npy")
    ]
    one = problem_from(**BASE, token_covariance="atoms:3/1")
    assert Tokens(covariance=[1, 3]).covariance == Eigenvalues(["1/2", "3/2"])
    assert len({Case(each, d=16, seed=0).address for each in (one, two[0])}) == 1
    values = two[1].tokens.covariance
    assert values is not None
    assert values.atoms()[0] == pytest.approx([0.5, 1.5], rel=1e-14)


def test_usual_tokens_leave_every_address_as_it_was() -> None:
    problem = problem_from(**BASE)
    assert "tokens_law" not in parameters_of(problem)
    assert problem.tokens.is_default
    assert problem_from(**BASE, tokens_law="gaussian", token_positions="ar1:rho=0") == problem
    case = Case(problem, d=16, seed=1)
    assert case.address == "6397bdf534235ed4cae0f25ab74c651064e3e71e"
    assert Case(problem_from(**BASE, tokens_law="sphere"), d=16, seed=1).address != case.address


@pytest.mark.parametrize(
    ("flat", "said"),
    [
        ({"tokens_law": "gausian"}, r"^tokens_law = 'gausian'.*did you mean gaussian"),
        ({"tokens_law": "student"}, r"^tokens_law.*nu is required"),
        ({"tokens_law": "student:nu=4"}, r"^tokens_law student: nu = '4'.*greater than 4"),
        ({"tokens_law": "kurtosis:k=-2.1"}, r"k = '-2.1'.*-2 or greater"),
        ({"tokens_law": "rademacher", "token_covariance": "ar1:rho=0.5"}, "does not concentrate"),
        ({"token_covariance": "atoms:1/-2"}, r"^token_covariance = -2.0.*greater than"),
        ({"token_covariance": "atoms:1/x"}, r"^token_covariance = 'x'.*finite number"),
        ({"token_covariance": "file:/no/such"}, r"^token_covariance file:.*readable"),
        ({"token_covariance": "ar1:rho=1"}, r"^token_covariance ar1: rho = '1'.*0.99"),
        ({"token_positions": "ar1:rho=1"}, r"^token_positions ar1: rho = '1'.*between"),
        ({"token_positions": "rows:1,2:2,1"}, "not positive definite"),
        ({"token_positions": "rows:1,0:0.5,1"}, "not symmetric"),
        ({"token_positions": "rows:2,0:0,1"}, "diagonal is not 1"),
        ({"token_positions": "rows:1,0,0:0,1,0:0,0,1"}, "must be 2 x 2"),
        ({"tokens_law": "normalised", "token_positions": "ar1:rho=0.1"}, "fixed length"),
    ],
)
def test_bad_input_is_one_sentence_that_names_it(flat, said) -> None:
    with pytest.raises(attlas.BadInput, match=said):
        problem_from(**BASE, **flat)


def test_a_law_of_ones_own_is_a_class_with_a_name() -> None:
    @dataclass(frozen=True)
    class Uniform(TokenLaw):
        name = "uniform"

        @property
        def excess_kurtosis(self) -> Fraction:
            return Fraction(-6, 5)

        def draw(self, rng, shape):
            return rng.uniform(-(3**0.5), 3**0.5, shape)

    register(Uniform)
    try:
        tokens = problem_from(**BASE, tokens_law="uniform").tokens
        x = tokens.draw(np.random.default_rng(0), (5000, 2, 10))
        assert np.mean(x**4) - 3 == pytest.approx(float(tokens.excess_kurtosis), abs=0.05)
        with pytest.raises(attlas.BadInput, match="taken by another law"):
            register(type("Other", (Uniform,), {"name": "sphere"}))
    finally:
        del LAWS["uniform"]
