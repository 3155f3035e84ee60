"""Theory needs no torch; what trains heads says in a sentence what to install."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from attlas.cli.main import VERBS

#: Python imports it as it starts: torch is not to be found, whatever asks for it.
HIDE = """
import sys

class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, Hidden)
"""

RUN = """
import contextlib, io, json, sys
from attlas.cli.main import main

found = []
for line in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(line.split())
    found.append([code, out.getvalue(), err.getvalue()])
print(json.dumps(found))
"""

REST = "--lam 0.05 --kappa0 0.5 --tokens 1"
POINT = f"--alpha 0.3 {REST}"
MODES = "--target power-law:gamma=1,d=12"
WORKS = (
    f"solve {POINT}",
    f"spectrum {POINT}",
    f"decompose {POINT}",
    f"sweep {POINT} --workers 1",
    "threshold interpolation --kappa0 0.5 --noise 0.5",
    "best-lambda --alpha 0.3 --kappa0 0.5 --tokens 1 --noise 0.5",
    "phase --tokens 1 --noise 1/2 --tolerance 0.1 --boundaries interpolation",
    "scaling --target power-law:gamma=1.25,d=50 --n 200:1e4:2:log --lam 0.1:10:2:log",
    "tokens tokens.npy",
    "dynamics --kappa0 0.5 --sigma0 0.01 --t 1,2",
    "derive channel",
    "explain",
    "doctor",
    "verify --list",
    f"compare runs.csv {REST} --training direct --out page",
)
NEEDS_TORCH = (
    f"simulate {POINT} --d 12",
    f"spectrum {POINT} --d 12 --simulate",
    f"spectrum --alpha 0.3,0.4 {REST} --d 12 --simulate",
    f"decompose {POINT} --d 12 --simulate",
    f"decompose --alpha 0.3,0.4 {REST} --d 12 --simulate",
    "spectrum --weights head.pt --heads 1",
    f"scaling {MODES} --n 40 --emergence --modes 1 --seeds 1",
    f"scaling {MODES} --study tail --n 200 --seeds 1",
    "verify --claim global-minimum --store here --processes 1",
    "report --out here",
    "reproduce bayes --out here",
)
SENTENCE = 'This needs torch, which is not installed: pip install "attlas[train]".\n'


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code and both outputs of every line, in one process in an otherwise empty folder."""
    hidden = tmp_path_factory.mktemp("hidden")
    (hidden / "sitecustomize.py").write_text(HIDE, encoding="utf-8")
    folder = tmp_path_factory.mktemp("folder")
    (folder / "head.pt").write_bytes(b"")
    np.save(folder / "tokens.npy", np.random.default_rng(0).normal(size=(200, 6)))
    agreed = (f"0.3,{d},{seed},{0.84 + 0.01 * seed}\n" for d in (12, 18, 26) for seed in range(3))
    (folder / "runs.csv").write_text("alpha,d,seed,m\n" + "".join(agreed))
    lines = (*WORKS, *NEEDS_TORCH)
    path = os.pathsep.join(filter(None, (str(hidden), os.environ.get("PYTHONPATH"))))
    run = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(lines)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {file.name for file in folder.iterdir()} <= {
        "head.pt",
        "here",
        "page",
        "runs.csv",
        "tokens.npy",
    }
    return dict(zip(lines, json.loads(run.stdout.splitlines()[-1]), strict=True))


def test_the_theory_needs_no_torch(outcomes: dict[str, tuple[int, str, str]]) -> None:
    assert {line.split()[0] for line in (*WORKS, *NEEDS_TORCH)} == set(VERBS)
    assert {line: outcomes[line] for line in WORKS if outcomes[line][0]} == {}
    assert 'pip install "attlas[train]"' in outcomes["doctor"][1]


def test_training_says_what_to_install(outcomes: dict[str, tuple[int, str, str]]) -> None:
    told = {line: (outcomes[line][0], outcomes[line][2]) for line in NEEDS_TORCH}
    assert told == dict.fromkeys(NEEDS_TORCH, (1, SENTENCE))
