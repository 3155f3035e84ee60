"""What every command prints with --json, in every mode, is what its published schema says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attlas.cli.main import VERBS, main
from attlas.cli.schema import FOLDER, text_of
from attlas.reports.reproduce import Picture
from attlas.solver.solution import OBSERVABLE_KEYS
from attlas.verify.suite.result import SuiteResult
from attlas.verify.suite.run import run_suite
from tests.json_schema import REPORT, check, faults, schema
from tests.judge import fake_work

ONE = "--alpha 0.3 --lam 0.05 --kappa0 0.5 --tokens 1"
HEADS = "--d 12 --seeds 2 --simulate"
#: The spike that shows and the one that does not.
SPIKED = "--target spiked:spikes=3/0.1,background=wishart:kappa0=0.1 --d 200 --tokens 1"
#: A target whose spectrum has several bands.
BANDS = "--lam 0.05 --noise 0.5 --tokens 1 --target power-law:gamma=1.25,d=60"
#: Command lines, and the exit codes they end with.
MODES = {
    f"solve {ONE}": 0,
    "solve --alpha 0.3 --lam 0.05 --kappa0 0.5": 0,
    "solve --alpha 0.1 --kappa0 0.5 --tokens 1 --training bayes": 0,
    "solve --alpha 0.2 --lam 0 --kappa0 0.5 --tokens 1": 0,
    "solve --alpha 0.2 --lam 100 --kappa0 0.5 --tokens 1": 0,
    f"solve {ONE} --kappa 0.2 --width-limited": 0,
    "solve --alpha 0.1 --lam 1e-7 --kappa0 0.5 --rtol 0.1 --max-steps 10": 1,
    f"simulate {ONE} --d 12 --seeds 2": 0,
    f"simulate {ONE} --d 12 --seeds 1 --algorithm fista": 0,
    f"simulate {ONE} --d 12 --seeds 1 --algorithm amp": 0,
    f"simulate {ONE} --d 12 --seeds 1 --adam-steps 0 --max-steps 3 --no-paired": 1,
    "threshold interpolation --kappa0 0.5 --noise 0.5": 0,
    "threshold interpolation --kappa0 0.5": 0,
    "threshold perfect-recovery --kappa0 0.5 --certify --digits 30": 0,
    "threshold bulk-split --kappa0 0.5": 0,
    "threshold collapse --alpha 0.2 --kappa0 0.5": 0,
    f"threshold weak-recovery --lam 0.05 {SPIKED}": 0,
    "best-lambda --alpha 0.3 --kappa0 0.5 --tokens 1 --noise 0.5": 0,
    "best-lambda --alpha 0.3 --kappa0 0.5 --tokens 1": 0,
    "best-lambda --alpha 0.2,0.5 --kappa0 0.5 --noise 1/2 --tokens 1": 0,
    "sweep --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1 --workers 1": 0,
    "sweep --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1 --workers 1 --kappa 0.1": 1,
    "phase --tokens 1 --noise 1/2 --tolerance 0.1 --boundaries interpolation,bayes": 0,
    "phase --tokens 1 --noise 1/2 --boundaries collapse --map mse --x 0.1:0.6:2 --y 0.1:0.6:2": 0,
    f"decompose {ONE}": 0,
    "decompose --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1": 0,
    f"decompose {ONE} {HEADS}": 0,
    f"decompose {BANDS} --alpha 5": 0,
    f"decompose {BANDS} --alpha 5,6": 0,
    "dynamics --kappa0 0.5 --tokens 1 --t 0.5,1 --decay 0.02 --step 0.01": 0,
    "dynamics --t 0:3 --kappa0 0.5 --rtol 1e-4": 0,
    f"spectrum {ONE}": 0,
    f"spectrum --alpha 2 --lam 0.05 {SPIKED}": 0,
    f"spectrum {ONE} {HEADS}": 0,
    "spectrum --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1": 0,
    f"spectrum --alpha 0.2,0.3 --lam 0.05 --kappa0 0.5 --tokens 1 {HEADS}": 0,
    "spectrum --weights WEIGHTS --heads 1": 0,
    "tokens TOKENS --dimensions 6 --reduce principal": 0,
    f"simulate {ONE} --d 12 --seeds 1 --token-data TOKENS --no-paired": 0,
    "scaling --target power-law:gamma=1.25,d=50 --n 200:1e4:2:log --lam 0.1:10:2:log": 0,
    "scaling --target power-law:gamma=1,d=40 --study tail": 0,
    "scaling --target power-law:gamma=1,d=40 --n 400 --compare-routes": 0,
    "verify --list": 0,
    "compare RUNS --lam 4 --tokens 1 --training direct --target atoms:1/0": 1,
    "derive bands": 0,
    "derive interpolation --steps --kappa0 0.5 --noise 0.5": 0,
    "explain q": 0,
    "explain rank_fraction": 0,
    "explain x": 0,
    "explain": 0,
    "doctor": 0,
}
SLOW = {
    "scaling --target power-law:gamma=1.25,d=50 --n 200:1e4:2:log --emergence --modes 1": 0,
    "scaling --table 1.25": 0,
    "verify --index 0 --count 1000 --claim global-minimum --store STORE": 0,
}


def printed(line: str, code: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """The document of a command that ends with an exit code."""
    np.save(folder / "w.npy", np.random.default_rng(0).standard_normal((2, 8, 24)))
    np.save(folder / "t.npy", np.random.default_rng(0).standard_normal((200, 12)))
    places = {
        "WEIGHTS": folder / "w.npy",
        "TOKENS": folder / "t.npy",
        "STORE": folder / "store",
        "RUNS": folder / "r.csv",
    }
    (folder / "r.csv").write_text("alpha,d,m\n3,12,0.3\n")
    words = [str(places.get(word, word)) for word in line.split()]
    assert main([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


def follows(document: Any, verb: str) -> None:
    name = f"attlas-{verb}.schema.json"
    check(document, name)


@pytest.mark.parametrize("line", MODES)
def test_a_document_follows_its_schema(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = printed(line, MODES[line], tmp_path, capsys)
    follows(document, line.split(maxsplit=1)[0])
    assert document["status"]["ok"] is (MODES[line] == 0)
    assert document["status"]["message"] or document["status"]["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("line", SLOW)
def test_a_costly_document_follows_its_schema(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    follows(printed(line, SLOW[line], tmp_path, capsys), line.split(maxsplit=1)[0])


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> SuiteResult:
    with pytest.MonkeyPatch.context() as monkeypatch:
        fake_work.use(monkeypatch)
        store = tmp_path_factory.mktemp("store")
        return run_suite("quick", store=store, device="cpu", processes=1)


@pytest.mark.parametrize("verb", ["verify", "report"])
def test_documents_of_a_suite(
    verb: str,
    suite: SuiteResult,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("attlas.cli.suite.SuiteFlags.run", lambda *_, **__: suite)
    line = verb if verb == "verify" else f"report --out {tmp_path / 'report'}"
    document = printed(line, suite.exit_code, tmp_path, capsys)
    follows(document, verb)
    if verb == "report":
        assert Path(document["result"].pop("page")).is_file()
        check(document["result"], REPORT.name)


def test_document_of_a_picture(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"source": "theory", "alpha": 0.1, "mse": float("nan")}]
    made = Picture("bayes", "A line.", {"d": 8}, rows, lambda path: path.touch())
    monkeypatch.setattr("attlas.reports.reproduce.reproduce", lambda *_, **__: made)
    document = printed(f"reproduce bayes --out {tmp_path}", 0, tmp_path, capsys)
    follows(document, "reproduce")
    assert document["result"]["rows"][0]["mse"] == "nan"


def test_every_command_has_a_schema_and_a_mode_here() -> None:
    tried = {line.split()[0] for line in MODES} | {"report", "reproduce"}
    assert tried == set(VERBS)
    for verb in VERBS:
        assert schema(f"attlas-{verb}.schema.json")["properties"]["schema"]["const"].startswith(
            f"attlas/{verb}/"
        )


def test_the_schemas_are_those_of_the_result_classes() -> None:
    """Where this fails: python -m attlas.cli.schema writes them anew."""
    stale = [
        path.name for path in sorted(FOLDER.iterdir()) if path.read_text("utf-8") != text_of(path)
    ]
    assert not stale
    assert set(schema("attlas-solve.schema.json")["properties"]["result"]["properties"]) == set(
        OBSERVABLE_KEYS
    )


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"schema": "attlas/solv/1"},
        {"result": {"q": None}},
        {"result": {"quality": 1.0}},
        {"error": {"q": "small"}},
        {"status": {"name": "converged", "ok": 1, "message": ""}},
        {"branches": []},
    ],
)
def test_the_schema_notices(
    change: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = printed(f"solve {ONE}", 0, tmp_path, capsys)
    name = "attlas-solve.schema.json"
    assert not faults(document, name)
    assert faults({**document, **change}, name)
