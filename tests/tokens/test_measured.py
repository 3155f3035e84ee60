"""Tokens of files: what is read, prepared and measured, and heads trained on them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from safetensors.numpy import save_file

import attlas
from attlas.cli.main import main
from attlas.model import problem_from
from attlas.solver.tokens import prepare, read_tokens
from attlas.verify.data.pool import TokenPool
from attlas.verify.data.sequences import draw_data
from attlas.verify.data.teacher import draw_teacher

HOW_TO = Path(__file__).parents[2] / "docs" / "howto" / "tokens.md"
HEAD = ["--alpha", "0.5", "--lam", "0.05", "--kappa0", "0.5", "--noise", "0.5"]


def gaussian(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)) * np.linspace(0.5, 1.5, d) + 1.0


def test_every_format_holds_the_same_tokens(tmp_path: Path) -> None:
    x = gaussian(20, 3)
    np.save(tmp_path / "a.npy", x.reshape(4, 5, 3))
    np.savez(tmp_path / "a.npz", other=x[:, 0], tokens=x)
    save_file({"other": x.T.copy(), "tokens": x}, tmp_path / "a.safetensors")
    columns = {f"x{i}": x[:, i] for i in range(3)}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    parquet.write_table(pa.table({"e": pa.array(list(x))}), tmp_path / "lists.parquet")
    names = ("a.npy", "a.npz", "a.safetensors::tokens", "a.parquet", "lists.parquet")
    for name in names:
        np.testing.assert_array_equal(read_tokens(tmp_path / name), x)
    with pytest.raises(attlas.BadInput, match=r"^token_data.*name one of other.*::NAME"):
        read_tokens(tmp_path / "a.safetensors")
    with pytest.raises(attlas.BadInput, match="must name one of"):
        read_tokens(tmp_path / "a.npz::nothing")


def test_preparation_centres_and_normalises_what_is_kept() -> None:
    x = gaussian(400, 12)
    for normalise in ("rms", "layer", "none"):
        for reduce in ("coordinates", "principal", "random"):
            ready = prepare(x, normalise=normalise, dimensions=7, reduce=reduce)
            lengths = np.square(ready.x).sum(axis=1)
            assert ready.x.shape == (400, 7)
            assert lengths.mean() == pytest.approx(7, rel=1e-12)
            assert bool(lengths.std() < 1e-9) is ready.normalised is (normalise != "none")
            assert np.abs(ready.raw.mean(axis=0)).max() < 1e-12
    assert prepare(x, normalise="layer").x.shape == (400, 11)
    top = prepare(x, normalise="none", dimensions=2, reduce="principal")
    direct = np.linalg.eigvalsh(np.cov(x.T))[-2:]
    assert np.linalg.eigvalsh(top.covariance) == pytest.approx(2 * direct / direct.sum(), rel=1e-9)


def test_gaussian_tokens_are_measured_within_their_errors() -> None:
    """Over 12 samples the mean of each number is that of the law, and its spread the error."""
    d, c = 12, np.linspace(0.5, 1.5, 12)
    found = [
        attlas.tokens(np.random.default_rng(s).standard_normal((600, d)) * c**0.5, normalise="none")
        for s in range(12)
    ]
    truth = {"second_moment": np.mean(c**2), "norm_kurtosis": 0.0, "axis_kurtosis": 0.0}
    for key, value in truth.items():
        values = np.array([getattr(one.statistics, key) for one in found])
        errors = np.array([getattr(one.error, key) for one in found])
        assert values.mean() == pytest.approx(value, abs=4 * values.std() / np.sqrt(12)), key
        assert 0.5 < errors.mean() / values.std(ddof=1) < 2.0, key
    # Without the correction Tr C^2/d would be above by d/n = 0.02, 4 standard errors of the mean.
    squares = [np.mean(one.statistics.eigenvalues**2) for one in found]
    assert np.mean(squares) == pytest.approx(np.mean(c**2), abs=0.012)
    distances = [one.statistics.projection_distance for one in found]
    assert np.mean(distances) == pytest.approx(found[0].gaussian_distance, rel=0.1)


def test_what_is_not_gaussian_is_seen() -> None:
    rng = np.random.default_rng(1)
    rademacher = 2.0 * rng.integers(0, 2, (2000, 8)) - 1
    found = attlas.tokens(rademacher, normalise="none").statistics
    assert found.axis_kurtosis == pytest.approx(-2, abs=0.05)
    assert found.norm_kurtosis == pytest.approx(-2, abs=0.05)
    scaled = rng.standard_normal((2000, 8)) * rng.choice([0.5, 1.5], (2000, 1))
    loud, same = (attlas.tokens(scaled, normalise=how) for how in ("none", "rms"))
    assert loud.statistics.norm_kurtosis > 2
    assert "outside the theory" in loud.sentence
    assert loud.statistics.projection_distance > 2 * loud.gaussian_distance
    assert same.tokens.normalised
    walk = np.cumsum(rng.standard_normal((2000, 8)), axis=0)
    assert attlas.tokens(walk).statistics.neighbour_correlation > 0.9


@pytest.mark.parametrize(
    ("array", "options", "said"),
    [
        (gaussian(8, 12), {}, r"^tokens = '8 rows'.*more than the 12 dimensions"),
        (np.where(gaussian(50, 4) > 2, np.nan, gaussian(50, 4)), {}, r"finite; row \d+, column"),
        (gaussian(50, 4) * [1, 1, 0, 1], {}, r"'column 2'.*constant"),
        (gaussian(50, 4) @ np.ones((4, 4)), {}, r"rank 1.*reduce=principal"),
        (np.vstack([x := gaussian(50, 4), x.mean(axis=0)]), {}, r"'row 50'.*length greater than 0"),
        (gaussian(50, 4), {"dimensions": 5}, r"^dimensions = 5.*from 2 to 4"),
        (gaussian(50, 4), {"reduce": "pca"}, r"^reduce = 'pca'.*did you mean|^reduce = 'pca'"),
        (np.array(["a"]), {}, "must be an array of numbers"),
    ],
)
def test_bad_tokens_are_refused_in_a_sentence(array, options, said) -> None:
    with pytest.raises(attlas.BadInput, match=said):
        attlas.tokens(array, **options)


def test_a_pool_is_drawn_in_its_own_order(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", gaussian(300, 12))
    problem = problem_from(alpha="0.5", lam="0.05", kappa0="0.5", noise="0.5")
    teacher = draw_teacher(problem.target, 12, 0)
    pairs, windows = (TokenPool.of(tmp_path / "t.npy", 12, order=o) for o in ("pairs", "windows"))
    data = draw_data(problem, teacher, 40_000, 0, pool=pairs)
    assert np.abs(data.scores.mean(axis=0)).max() < 4 * data.scores.std() / np.sqrt(40_000)
    gram = pairs.x.T @ pairs.x / 300
    assert np.abs(gram - np.diag(np.diag(gram))).max() < 1e-12  # as the centring assumes
    drawn = windows.draw(np.random.default_rng(0), 50, 2)
    where = [int(np.abs(windows.x - one[0]).sum(axis=1).argmin()) for one in drawn]
    np.testing.assert_allclose(drawn[:, 1], windows.x[np.array(where) + 1])


def test_the_how_to_is_run_as_shown(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    text = HOW_TO.read_text("utf-8")
    (made,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(compile(made, HOW_TO.name, "exec"), {})
    (shown,) = re.findall(r"```sh\n(.*?)```", text, re.S)
    measure, train = (line.split()[1:] for line in shown.strip().splitlines())
    assert main(measure) == 0
    out = capsys.readouterr().out
    assert "--tokens-law normalised --token-covariance file:covariance.txt" in out
    assert Path("tokens.svg").read_text("utf-8").count("<svg") == 1
    given = problem_from(
        alpha=1, lam=1, kappa0=1, tokens_law="normalised", token_covariance="file:covariance.txt"
    )
    assert given.tokens == attlas.tokens(np.load("embeddings.npy")).tokens
    train[train.index("--d") + 1] = "12"
    assert main([*train, "--seeds", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["problem"]["tokens_law"] == "normalised"
    assert document["result"]["runs"][0]["tokens_law"] == "file, pairs"


def test_flags_that_have_no_meaning_are_refused(tmp_path, capsys) -> None:
    np.save(tmp_path / "t.npy", gaussian(300, 12))
    data = ["--token-data", str(tmp_path / "t.npy")]
    for more, said in (
        (["--token-order", "windows"], "--token-data is missing"),
        ([*data, "--tokens-law", "sphere"], "--tokens-law = 'sphere'"),
        ([*data, "--token-order", "text"], "--token-order = 'text'"),
    ):
        assert main(["simulate", *HEAD, "--d", "12", "--no-paired", *more]) == 2
        assert said in capsys.readouterr().err
