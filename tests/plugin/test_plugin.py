"""Parts from a user's file, on the command line: used, refused, and known to other processes."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model import BadInput, Problem, load_plugin, plugins, problem_from
from attlas.verify.store.case import exact_parameters

MINE = Path(__file__).parents[2] / "docs" / "example" / "my_model.py"
OWN = [
    *("--plugin", str(MINE), "--channel", "log-cosh", "--training", "elastic:ridge=1"),
    *("--alpha", "0.4", "--lam", "0.1", "--kappa0", "1/2", "--noise", "0.2"),
]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    def write(body: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(f"import attlas\n{body}", encoding="utf-8")
        return path

    return write


def test_the_file_is_read_before_every_other_flag(capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["solve", *OWN], [*OWN[:2], "solve", *OWN[2:]]):
        assert main([*line, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["problem"]["channel"] == "log-cosh"
        assert document["problem"]["training"] == "elastic:ridge=1"
        assert document["result"]["q"] == pytest.approx(0.7919127445, rel=1e-6)
        assert 0 < document["error"]["q"] < 1e-5


def test_a_name_that_no_file_registers_asks_for_the_file(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["solve", *OWN[2:4], *OWN[6:]]) == 2
    said = capsys.readouterr().err
    assert "'log-cosh' is not valid: expected one of kl, linear, next-token, softmax" in said
    assert "needs that file as --plugin" in said


CHANNEL = """
@attlas.register
class Mine(attlas.Channel):
    name = "mine"
    tokens = {tokens}
    convex = True
    def loss(self, labels, scores, f):
        r = labels[0][-1] - scores[0][-1]
        return {loss}
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def f(:\n", "line 2: invalid syntax"),
        ("\nimport no_such_thing\n", "line 3: ModuleNotFoundError: No module named 'no_such_"),
        ("raise SystemExit(3)\n", "line 2: SystemExit: 3"),
        ("", "must register a part; decorate its class with attlas.register"),
        ("attlas.register(int)", "line 2: part = <class 'int'> is not valid: must be a class that"),
        (
            '@attlas.register\nclass Mine(attlas.Channel):\n    name = "mine"\n',
            "line 2: channel = 'mine' is not valid: must have the method loss(labels, scores, f)",
        ),
        (
            '@attlas.register\nclass Mine(attlas.Estimator):\n    name = "mine"\n',
            "line 2: training = 'mine' is not valid: must have the property penalty",
        ),
        (
            '@attlas.register\nclass Mine(attlas.Target):\n    name = "mine"\n',
            "line 2: target = 'mine' is not valid: must have eigenvalues or an r_transform(g)",
        ),
        (
            "@attlas.register\nclass Mine(attlas.Channel):\n    loss = print\n",
            "must have a name of letters, digits and hyphens",
        ),
        (
            '@attlas.register\nclass Mine(attlas.Target):\n    name, r_transform = "mine", abs\n'
            "    ratio: float\n",
            "must have @dataclass(frozen=True) below @register for its field ratio",
        ),
        (
            CHANNEL.format(tokens=1, loss="0").replace('"mine"', '"softmax"'),
            "line 3: channel = 'softmax' is not valid: is taken by another channel",
        ),
        (CHANNEL.format(tokens=1, loss="nowhere"), "mine.py, line 10: NameError: name 'nowhere'"),
        (
            CHANNEL.format(tokens=1, loss="f.tanh(r) ** 2"),
            "it says convex = True, and its loss is not (mine.py, line 3)",
        ),
        (
            CHANNEL.format(tokens=2, loss="f.tanh(r) ** 2"),
            "it says convex = True, and its loss is not (mine.py, line 3)",
        ),
        (CHANNEL.format(tokens=2, loss="abs(r)"), "has a kink where y_01 - zeta2 = 0 (mine.py, l"),
        (
            CHANNEL.format(tokens=1, loss="f.where(abs(r) <= 1, abs(r), 1)"),
            "points upwards at a residual of -1 (mine.py, line 3)",
        ),
        (CHANNEL.format(tokens=1, loss="f.gamma(r)"), "must be written with the functions of f"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence_with_its_line(
    body: str, said: str, written: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["--alpha", "1", "--lam", "1", "--kappa0", "1", "--channel", "mine"]
    if '"softmax"' in body:
        line[-1] = "softmax"
    assert main(["solve", "--plugin", str(written(body)), *line]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "mine.py" in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--plugin", "absent.py"], "--plugin = 'absent.py' is not valid: must be the path of a P"),
        (["--plugin", str(MINE.parent)], "must be the path of a Python file"),
        (["--plugin"], "--plugin is missing: the path of a Python file is required"),
        (["--plugin="], "--plugin is missing"),
    ],
)
def test_what_is_no_file(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", *line]) == 2
    assert said in capsys.readouterr().err


def test_a_file_is_one_module_whoever_imports_it(tmp_path: Path) -> None:
    load_plugin(MINE)
    load_plugin(MINE)
    assert importlib.import_module(MINE.stem) is plugins.import_file(MINE)
    other = tmp_path / MINE.name
    other.write_text(MINE.read_text("utf-8"), encoding="utf-8")
    with pytest.raises(BadInput, match=r"line \d+: channel = 'log-cosh' is not valid: is tak"):
        load_plugin(other)


def own_problem() -> Problem:
    return problem_from(channel="log-cosh", training="elastic:ridge=1", alpha=1, lam=1, kappa0=1)


def test_other_processes_read_the_file_where_a_problem_or_its_text_needs_it() -> None:
    load_plugin(MINE)
    problem = own_problem()
    code = (
        "import pickle, sys\n"
        "from attlas.model import parameters_of, problem_from\n"
        "problem = pickle.load(sys.stdin.buffer)\n"
        "assert problem_from(**parameters_of(problem)) == problem\n"
        "print(problem.channel.name)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(problem), capture_output=True, check=True
    )
    assert run.stdout.split() == [b"log-cosh"]
    text = "from attlas.model import problem_from; problem_from(channel='log-cosh', "
    code = text + "training='elastic', alpha=1, lam=1, kappa0=1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    without = {**os.environ, plugins.VARIABLE: ""}
    assert subprocess.run([sys.executable, "-c", code], env=without, check=False).returncode == 1


@pytest.mark.slow
def test_workers_of_a_sweep_know_it_and_say_what_is_wrong_with_it(
    capsys: pytest.CaptureFixture[str], written: Callable[[str], Path]
) -> None:
    line = ["--alpha", "0.3,0.4", *OWN[:6], *OWN[8:], "--workers", "2"]
    assert main(["sweep", *line]) == 0
    assert capsys.readouterr().out.count("converged") == 2
    wrong = written(CHANNEL.format(tokens=1, loss="nowhere"))
    line = ["--plugin", str(wrong), "--channel", "mine", "--alpha", "1,2", "--lam", "1"]
    assert main(["sweep", *line, "--kappa0", "1", "--workers", "2"]) == 2
    assert "mine.py, line 10: NameError" in capsys.readouterr().err


def test_what_is_stored_is_known_by_the_code_that_it_rests_on(
    written: Callable[[str], Path],
) -> None:
    ours = problem_from(alpha=1, lam=1, kappa0=1)
    assert "plugin" not in exact_parameters(ours)
    load_plugin(MINE)
    assert str(exact_parameters(own_problem())["plugin"]).startswith("my_model.py:")
    seen = set()
    for loss in ("r ** 2", "2 * r ** 2"):
        path = written(CHANNEL.format(tokens=1, loss=loss))
        load_plugin(path)
        seen.add(exact_parameters(problem_from(channel="mine", alpha=1, lam=1, kappa0=1))["plugin"])
        del sys.modules[plugins.module_name(path)]
        plugins.digest.cache_clear()
    assert len(seen) == 2


def test_installed_packages_are_asked_for_unknown_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "attlas_of_others.py"
    package.write_text(MINE.read_text("utf-8"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = [EntryPoint("others", "attlas_of_others", plugins.GROUP)]
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: found * (group == plugins.GROUP)
    )
    assert own_problem().channel.name == "log-cosh"
    found[0] = EntryPoint("others", "attlas_of_nobody", plugins.GROUP)
    plugins.import_installed.cache_clear()
    with pytest.raises(BadInput, match="'attlas_of_nobody' is not valid: of the entry points"):
        problem_from(channel="unheard", alpha=1, lam=1, kappa0=1)


def test_help_tells_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--help"]) == 0
    assert "--plugin FILE" in capsys.readouterr().out
