"""``attlas simulate``, on a problem small enough to train in a moment."""

from __future__ import annotations

import json

import pytest

from attlas.cli.main import main

SMALL = ["--alpha", "0.5", "--lam", "0.1", "--kappa0", "0.5", "--tokens", "1", "--d", "12"]
QUICK = [*SMALL, "--device", "cpu", "--no-paired"]


def test_document_is_all_of_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *QUICK, "--seeds", "3:5", "--json"]) == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert list(found) == ["schema", "problem", "result", "error", "status", "stats"]
    assert found["schema"] == "attlas/simulate/1"
    runs = found["result"].pop("runs")
    assert found["result"].pop("paired") == {}  # without theory there is nothing to pair with
    assert [run["seed"] for run in runs] == [3, 4]
    assert all(run["theory"] is None and run["converged"] for run in runs)
    assert set(found["error"]) == set(found["result"])
    for key, mean in found["result"].items():
        values = [run["observables"][key] for run in runs]
        assert mean == pytest.approx(sum(values) / 2)
        assert found["error"][key] == pytest.approx(abs(values[0] - values[1]) / 2)


def test_a_seed_fixes_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    def hashes(*arguments: str) -> list[str]:
        assert main(["simulate", *QUICK, "--json", *arguments]) == 0
        return [run["data_hash"] for run in json.loads(capsys.readouterr().out)["result"]["runs"]]

    two = hashes("--seeds", "2")
    assert len(set(two)) == 2
    assert hashes("--seeds", "1", "--seed", "1", "--adam-steps", "0") == two[1:]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (SMALL[:-2], "--d is missing"),
        ([*SMALL[:-1], "3"], "--d = 3 is not valid"),
        ([*SMALL[:-1], "2.5"], "--d = '2.5' is not valid"),
        ([*SMALL, "--device", "tpu"], "--device = 'tpu' is not valid"),
        ([*SMALL, "--centring", "mean"], "--centring = 'mean' is not valid"),
        ([*SMALL, "--algorithm", "sgd"], "--algorithm = 'sgd' is not valid"),
        ([*SMALL, "--tokens-law", "cauchy"], "--tokens-law = 'cauchy' is not valid"),
        ([*SMALL, "--seeds", "0"], "--seeds = '0' is not valid"),
        ([*SMALL, "--seed", "-1"], "--seed = '-1' is not valid"),
        ([*SMALL, "--adam-steps", "many"], "--adam-steps = 'many' is not valid"),
        ([*SMALL, "--lam-path", "1,x"], "--lam-path = 'x' is not valid"),
        ([*SMALL, "--lam-path", "0.1,1"], "--lam-path"),
        ([*SMALL, "--gradient-tolerance", "nan"], "--gradient-tolerance = 'nan' is not valid"),
        (["--lam", "0", "--alpha", "1", "--kappa0", "1", "--d", "12"], "--lam = 0 is not valid"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(["simulate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
