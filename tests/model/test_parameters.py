"""The flat view of a problem: defaults, round trips, and every refusal."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attlas.model import (
    PARAMETERS,
    Atoms,
    BadInput,
    BayesOptimal,
    Direct,
    DirectPSD,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
    parameters_of,
    problem_from,
)

BASE: dict[str, Any] = {"alpha": "0.2", "lam": "0.01", "kappa0": "0.5"}


def test_defaults_are_those_of_the_design() -> None:
    assert problem_from(**BASE) == Problem(
        alpha="0.2",
        target=Wishart("1/2"),
        channel=SoftmaxChannel(tokens=2, beta=1, beta0=1, noise=0),
        estimator=Factorised(lam="0.01", kappa=1),
        task="seq2lab",
    )


@pytest.mark.parametrize(
    ("flat", "expected"),
    [
        (BASE | {"tokens": 1}, LinearChannel(0)),
        (BASE | {"tokens": "1", "noise": "1/2"}, LinearChannel("0.5")),
        (BASE | {"tokens": 3, "beta": 2}, SoftmaxChannel(tokens=3, beta=2)),
    ],
)
def test_channel(flat: dict[str, Any], expected: object) -> None:
    assert problem_from(**flat).channel == expected


@pytest.mark.parametrize(
    ("flat", "expected"),
    [
        ({"lam": 0}, Factorised(lam=0)),
        ({"lam": "1/3", "kappa": "0.75"}, Factorised(lam="1/3", kappa="3/4")),
        ({"lam": 1, "training": "direct"}, Direct(1)),
        ({"lam": 1, "training": "direct-psd"}, DirectPSD(1)),
        ({"training": "bayes"}, BayesOptimal()),
    ],
)
def test_estimator(flat: dict[str, Any], expected: object) -> None:
    assert problem_from(alpha=1, kappa0=1, **flat).estimator == expected


@pytest.mark.parametrize(
    ("flat", "expected"),
    [
        ({"target": "wishart", "kappa0": "1/3"}, Wishart("1/3")),
        ({"target": "wishart:kappa0=0.5"}, Wishart("1/2")),
        ({"target": "wishart:kappa0=1/2", "kappa0": 0.5}, Wishart("1/2")),
        ({"target": Wishart(2)}, Wishart(2)),
        ({"target": "atoms:1/2/1.5"}, Atoms([2, 1.5, 1])),
    ],
)
def test_target(flat: dict[str, Any], expected: object) -> None:
    assert problem_from(alpha=1, lam=1, **flat).target == expected


def test_n_and_d_become_alpha_exactly() -> None:
    assert problem_from(n=100, d=30, lam=1, kappa0=1).alpha == Fraction(1, 9)
    assert problem_from(n="3", lam=1, target="atoms:1/1/2").alpha == Fraction(1, 3)


@pytest.mark.parametrize(
    ("flat", "parameter", "said"),
    [
        ({"alpha": None}, "alpha", "is missing"),
        ({"lam": None}, "lam", "is missing"),
        ({"kappa0": None}, "kappa0", "is missing"),
        ({"alpha": "0"}, "alpha", "greater than 0"),
        ({"alpha": "-0.1"}, "alpha", "greater than 0"),
        ({"alpha": "nan"}, "alpha", "finite number"),
        ({"alpha": "inf"}, "alpha", "finite number"),
        ({"alpha": "1/0"}, "alpha", "finite number"),
        ({"alpha": ""}, "alpha", "finite number"),
        ({"n": 10}, "n", "together with `alpha`"),
        ({"alpha": None, "n": 10}, "n", "give `d`"),
        ({"alpha": None, "n": "2.5", "d": 10}, "n", "whole number"),
        ({"alpha": None, "n": 10, "d": 0}, "d", "whole number"),
        ({"d": 5, "kappa0": None, "target": "atoms:1/2"}, "d", "target's dimension, 2"),
        ({"lam": "-1e-9"}, "lam", "0 or greater"),
        ({"kappa": 0}, "kappa", "greater than 0"),
        ({"kappa0": 0}, "kappa0", "greater than 0"),
        ({"kappa0": "x"}, "kappa0", "finite number"),
        ({"tokens": 0}, "tokens", "1 or more"),
        ({"tokens": "2.5"}, "tokens", "whole number"),
        ({"tokens": 1, "beta": 1}, "beta", "no meaning"),
        ({"tokens": 1, "beta0": "2"}, "beta0", "no meaning"),
        ({"tokens": 1, "task": "seq2seq"}, "task", "seq2lab for the linear channel"),
        ({"beta": -1}, "beta", "greater than 0"),
        ({"beta0": 0}, "beta0", "greater than 0"),
        ({"noise": "-0.1"}, "noise", "0 or greater"),
        ({"task": "seq2lap"}, "task", "did you mean seq2lab"),
        ({"training": "factorized"}, "training", "did you mean factorised"),
        ({"training": "direct", "kappa": 1}, "kappa", "no meaning"),
        ({"training": "direct-psd", "kappa": 1}, "kappa", "no meaning"),
        ({"training": "bayes"}, "lam", "no meaning"),
        ({"training": "bayes", "lam": None, "kappa": 2}, "kappa", "no meaning"),
        ({"target": "wishart:kappa0=0.25"}, "kappa0", "conflicts with `target="),
        ({"target": "atoms:1/2"}, "kappa0", "conflicts with `target="),
        ({"target": "wishrat"}, "target", "did you mean wishart"),
        ({"target": ""}, "target", "expected one of"),
        ({"target": 3}, "target", "text such as"),
        ({"target": "wishart:kappa=1"}, "target wishart: key", "did you mean kappa0"),
        ({"target": "wishart:0.5"}, "target", "must have the form"),
        ({"target": "wishart:kappa0=1,kappa0=1"}, "target", "given once"),
        ({"kappa0": None, "target": "wishart"}, "kappa0", "is missing"),
        (
            {"kappa0": None, "target": "wishart:kappa0=-1"},
            "target wishart: kappa0",
            "greater than 0",
        ),
        ({"kappa0": None, "target": "file:"}, "target file:", "is missing"),
        ({"kappa0": None, "target": "atoms:1/x"}, "target atoms:", "numbers only"),
        ({"kappa0": None, "target": "atoms:"}, "target atoms:", "numbers only"),
    ],
)
def test_refusals(flat: dict[str, Any], parameter: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        problem_from(**BASE | flat)
    assert caught.value.parameter == parameter
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unknown_parameter_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="did you mean kappa0"):
        problem_from(**BASE | {"kapa0": 1})


positives = st.fractions(min_value=Fraction(1, 10**6), max_value=10**3, max_denominator=10**6)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    target = draw(
        st.one_of(
            positives.map(Wishart),
            st.lists(st.floats(min_value=1e-3, max_value=1e3), min_size=1, max_size=5).map(Atoms),
        )
    )
    channel = draw(
        st.one_of(
            positives.map(LinearChannel),
            st.builds(
                SoftmaxChannel,
                tokens=st.integers(2, 5),
                beta=positives,
                beta0=positives,
                noise=positives,
            ),
        )
    )
    estimator = draw(
        st.one_of(
            st.builds(Factorised, lam=positives, kappa=positives),
            positives.map(Direct),
            positives.map(DirectPSD),
            st.just(BayesOptimal()),
        )
    )
    tasks = channel.tasks
    return Problem(
        alpha=draw(positives),
        target=target,
        channel=channel,
        estimator=estimator,
        task=draw(st.sampled_from(tasks)),
    )


@given(problems())
def test_flat_view_round_trips(problem: Problem) -> None:
    flat = parameters_of(problem)
    assert problem_from(**flat) == problem
    assert hash(problem_from(**flat)) == hash(problem)
    assert all(isinstance(value, str | int) for value in flat.values())


def test_flat_view_is_exact_and_ordered() -> None:
    flat = parameters_of(problem_from(alpha="1/3", lam=0.1, kappa0="0.5"))
    assert flat["alpha"] == "1/3"
    assert flat["lam"] == "0.1"
    assert flat["tokens"] == 2
    names = [parameter.name for parameter in PARAMETERS]
    assert list(flat) == [name for name in names if name in flat]


def test_eigenvalue_file_round_trips(tmp_path: Path) -> None:
    path = tmp_path / "values, with = signs.txt"
    path.write_text("# teacher\n2.0\n1.5\n0\n")
    problem = problem_from(alpha=1, lam=1, target=f"file:{path}")
    assert problem.target == Atoms([0, 1.5, 2])
    assert problem_from(**parameters_of(problem)) == problem
    binary = tmp_path / "values.npy"
    np.save(binary, np.array([0.0, 1.5, 2.0]))
    assert problem_from(alpha=1, lam=1, target=f"file:{binary}") == problem


def test_the_zeros_of_a_map_of_low_rank_may_carry_rounding(tmp_path: Path) -> None:
    w = np.random.default_rng(0).standard_normal((60, 30))
    computed = np.linalg.eigvalsh(w @ w.T / np.sqrt(60 * 30))
    assert computed.min() < 0
    path = tmp_path / "teacher.txt"
    np.savetxt(path, computed)
    problem = problem_from(alpha=1, lam=1, target=f"file:{path}")
    assert isinstance(problem.target, Atoms)
    assert np.count_nonzero(problem.target.eigenvalues) == 30
    assert problem.target.eigenvalues[29] == computed[30]
    with pytest.raises(BadInput):
        Atoms([1, -1e-12])
    assert Atoms([1, 1e-30]).eigenvalues == (1, 1e-30)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "at least 1 eigenvalue"),
        (b"1\ntwo\n", "line 2 holds 'two'"),
        (b"1\nnan\n", "line 2 holds 'nan'"),
        (b"1\n1e80\n", "number below"),
        (b"1\n-0.5\n", "0 or greater"),
        (b"0\n0\n", "greater than 1e-76"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
    ],
)
def test_bad_eigenvalue_files(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    with pytest.raises(BadInput) as caught:
        problem_from(alpha=1, lam=1, target=f"file:{path}")
    assert said in str(caught.value)
    assert "target file:" in str(caught.value)


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="readable file"):
        Atoms.from_file(tmp_path / "absent.txt")
    with pytest.raises(BadInput, match="readable file"):
        Atoms.from_file(tmp_path)
    broken = tmp_path / "broken.npy"
    broken.write_bytes(b"not numpy")
    with pytest.raises(BadInput, match=r"\.npy"):
        Atoms.from_file(broken)


@pytest.mark.parametrize("values", [[[1.0, 2.0]], [], "ab", [None], [1j], [1, [2]], [1e80]])
def test_bad_eigenvalue_lists(values: Any) -> None:
    with pytest.raises(BadInput):
        Atoms(values)
