"""``attlas derive`` and ``attlas explain``."""

from __future__ import annotations

import json

import pytest

from attlas.cli.main import main


def test_derive_text_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    exact = ["derive", "perfect-recovery", "--kappa0", "1/2", "--tokens", "2"]
    assert main(exact) == 0
    text = capsys.readouterr().out
    assert "0.42217498218550571851" in text  # theory.md section 7
    assert main([*exact, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "attlas/derive/1"
    assert found["problem"] == {"kappa0": "1/2", "tokens": "2"}
    assert "0.42217498218550571851" in json.dumps(found["result"])


def test_derive_names_every_target_in_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    from attlas.symbolic.derive import TARGETS

    assert main(["derive", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(target in shown for target in TARGETS)


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "q_hat"]) == 0
    assert capsys.readouterr().out.startswith("q_hat")
    assert main(["explain", "test_error", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "attlas/explain/1"
    assert found["result"]["key"] == "test_error"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["derive"], "is required"),
        (["derive", "perfect-recovry"], "did you mean perfect-recovery"),
        (["derive", "bands", "--format", "latx"], "did you mean latex"),
        (["derive", "bands", "--kappa0", "0"], "--kappa0 = '0' is not valid"),
        (["derive", "bands", "--kapa0", "1"], "did you mean --kappa0?"),
        (["derive", "bands", "more"], "'more' is not an option or value"),
        (["explain", "q_hatt"], "did you mean q_hat"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
