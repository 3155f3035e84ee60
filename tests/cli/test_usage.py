"""Usage errors: one sentence on standard error, exit code 2, nothing on standard output."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from attlas.cli.main import VERBS, main
from attlas.cli.usage import as_flags
from attlas.model import BadInput
from attlas.solver.status import Status
from attlas.verify.simulation.result import SimulationStatus

REPOSITORY = Path(__file__).resolve().parents[2]
ROOMS = ("model", "symbolic", "solver", "verify", "reports")
#: What a user's input is refused by, and what reads it; the first argument names the parameter.
REFUSALS = {
    "BadInput", "ComputationFailed", "exact", "non_negative", "positive", "several",
    "unknown_name", "whole", "writable_file", "writable_folder",
}  # fmt: skip

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
        (["solve"], "--lam is missing"),
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
        (["solve", *BASE, "--n", "9"], "cannot be given together with --alpha."),
        (["solve", *BASE, "--tokens", "1", "--task", "seq2seq"], "must be seq2lab for the linear"),
        (
            ["solve", *BASE, "--target", "atoms:1/2"],
            "--kappa0 = '0.5' is not valid: conflicts with",
        ),
        (
            ["solve", "--target", "power-law:gamma=0.1,d=9", "--lam", "1", "--alpha", "1"],
            "--target power-law: gamma = '0.1' is not valid",
        ),
        (["simulate", *BASE, "--d", "9", "--gradient-tolerance", "2"], "--gradient-tolerance = "),
        (["phase", "--map", "test_eror", "--lam", "1"], "--map = 'test_eror' is not valid"),
        (["sweep", *BASE, "--out", "nowhere/x.parquet"], "--out = 'nowhere/x.parquet'"),
        (["threshold", "collaps"], "threshold = 'collaps' is not valid"),
        (["sweep", *BASE, "--workers", "1e9"], "must be a whole number from 1 to 256"),
        (["phase", "--workers", "1e9"], "must be a whole number from 1 to 256"),
    ],
)
def test_one_sentence_names_what_is_wrong(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert said in refused(capsys, *arguments)


def test_only_the_command_line_speaks_of_its_flags() -> None:
    """In Python a parameter is named as Python names it: `cli` makes the flags of messages."""
    quoted = []
    for path in (file for room in ROOMS for file in sorted((REPOSITORY / room).rglob("*.py"))):
        for raised in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(raised, ast.Call) and getattr(raised.func, "id", "") in REFUSALS:
                quoted += [
                    f"{path}:{part.lineno}: {part.value}"
                    for part in ast.walk(raised)
                    if isinstance(part, ast.Constant)
                    and re.search(r"(^| )--[a-z]", str(part.value))
                ]
    assert quoted == []
    assert str(BadInput("n", 3, "needs `d`", "use `task=seq2lab`")) == (
        "n = 3 is not valid: needs `d`; use `task=seq2lab`."
    )
    messages = [member.value for kind in (Status, SimulationStatus) for member in kind]
    assert not [message for message in messages if "--" in message]
    assert as_flags(Status.NOT_CONVERGED.value).startswith(
        "Did not converge: raise --max-steps or --rtol, or"
    )


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
