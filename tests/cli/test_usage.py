"""Usage errors: one sentence on standard error, exit code 2, nothing on standard output."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from attlas.cli.main import VERBS, main

BASE = ["--alpha", "0.2", "--lam", "0.01", "--kappa0", "0.5"]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith("\n")
    sentence = err[:-1]
    assert "\n" not in sentence
    assert "Traceback" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "--kapa0", "0.5"], "did you mean --kappa0?"),
        (["solve", *BASE, "--kapa=2"], "did you mean --kappa?"),
        (["solve", *BASE, "--tokenss", "2"], "did you mean --tokens?"),
        (["solve", *BASE, "--jsn"], "did you mean --json?"),
        (["solve", *BASE, "--zzzzzz", "1"], "see attlas solve --help"),
        (["solve", *BASE, "-x"], "-x is not an option of attlas solve"),
        (["slove", *BASE], "did you mean solve?"),
        (["--versoin"], "did you mean --version?"),
        (["solve", *BASE, "3"], "'3' is not an option or value"),
        (["solve", *BASE, "--beta"], "--beta needs a value"),
        (["solve", *BASE, "--lam", "0.1"], "--lam must be given once"),
        (["solve"], "--kappa0 is missing"),
        (["solve", "--alpha", "0.2", "--kappa0", "1"], "--lam is missing"),
        (["solve", "--lam", "0.2", "--kappa0", "1"], "--alpha is missing"),
        (["solve", *BASE, "--beta="], "--beta = '' is not valid"),
        (["solve", *BASE, "--beta=-inf"], "--beta = '-inf' is not valid"),
        (["solve", *BASE, "--beta", "nan"], "--beta = 'nan' is not valid"),
        (["solve", *BASE, "--beta", "1/0"], "--beta = '1/0' is not valid"),
        (["solve", *BASE, "--beta", "-1"], "--beta = '-1' is not valid: must be greater than 0"),
        (["solve", *BASE, "--noise", "-0.5"], "--noise = '-0.5' is not valid: must be 0 or"),
        (["solve", *BASE, "--beta", "two"], "--beta = 'two' is not valid: must be a finite number"),
        (["solve", *BASE, "--tokens", "2.5"], "--tokens = '2.5' is not valid"),
        (["solve", *BASE, "--tokens", "1", "--beta", "1"], "no meaning for the linear channel"),
        (["solve", *BASE, "--target", "atoms:1/2"], "conflicts"),
        (["solve", "--target", "file:/none", "--lam", "1", "--alpha", "1"], "readable file"),
        (["solve", *BASE, "--training", "directt"], "did you mean direct"),
        (["solve", *BASE, "--task", "seq2la"], "did you mean seq2lab"),
        (["solve", *BASE, "--rtol", "0"], "--rtol = '0' is not valid"),
        (["solve", *BASE, "--rtol", "x"], "--rtol = 'x' is not valid"),
        (["solve", *BASE, "--max-steps", "0"], "--max-steps = '0' is not valid"),
        (["solve", *BASE, "--json=maybe"], "--json"),
        (["sweep", *BASE, "--workers", "1e9"], "must be a whole number from 1 to 256"),
        (["phase", "--workers", "1e9"], "must be a whole number from 1 to 256"),
    ],
)
def test_one_sentence_names_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert said in refused(capsys, *arguments)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help_and_refuses_a_misspelt_option(
    capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    assert main([verb, "--help"]) == 0
    out, err = capsys.readouterr()
    assert f"attlas {verb}" in out
    assert err == ""
    assert "did you mean --json?" in refused(capsys, verb, "--jsonn")


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    listing = capsys.readouterr().out
    assert all(f" {verb} " in listing for verb in VERBS)
    assert main([]) == 0
    assert capsys.readouterr().out == listing


@pytest.mark.parametrize("error", [MemoryError, torch.OutOfMemoryError])
def test_a_problem_that_fills_the_memory_exits_1_with_a_sentence(
    error: type[Exception], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processor's memory, or that of a device."""

    def filled(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("attlas.model.problem.Problem.__init__", filled)
    assert main(["solve", *BASE]) == 1
    assert capsys.readouterr().err.startswith("Out of memory: lower --d")


def test_an_interrupt_while_modules_are_imported_exits_130_with_a_sentence() -> None:
    script = """
import sys

class Interrupted:
    def find_spec(self, name, *_):
        if name == "cyclopts":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupted())
from attlas.cli.entry import run
run()
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")


def test_interrupt_exits_130_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("attlas.model.problem.Problem.__init__", interrupted)
    assert main(["solve", *BASE]) == 130
    assert capsys.readouterr().err == "Interrupted.\n"
