"""Row 27, an old file destroyed by a failed write; and non-finite numbers in JSON."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model.files import WriteFailed, whole_file, write_whole
from attlas.model.json_text import json_text

_PHASE = ("phase", "--training", "direct", "--boundaries", "interpolation")
_PLANE = ("--x", "0.1:0.6:3", "--y", "0.1:1:3", "--tolerance", "0.05")
_LAW = ("scaling", "--target", "power-law:gamma=1,d=20")
_LINEAR = ("--lam", "0.1", "--kappa0", "1", "--tokens", "1")
WRITERS = (
    *((*_PHASE, *_PLANE, "--out", f"out{ending}") for ending in (".svg", ".json", ".parquet")),
    ("sweep", "--alpha", "0.1,0.2", *_LINEAR, "--workers", "1", "--out", "out.parquet"),
    ("spectrum", "--alpha", "0.2", *_LINEAR, "--plot", "out.svg"),
    (*_LAW, "--n", "100", "--compare-routes", "--out", "out.json"),
    (*_LAW, "--n", "100:200:2:log", "--lam", "0.1:1:2:log", "--out", "out.svg"),
)


@pytest.mark.parametrize("command", WRITERS, ids=lambda words: f"{words[0]} {words[-1]}")
def test_row_27_a_full_disk_leaves_the_old_file(
    command: tuple[str, ...], tmp_path: Path, monkeypatch, capsys
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.chdir(tmp_path)
    name = command[-1]
    Path(name).write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    assert main(command) == 1
    failed = f"{name}.partial" if command[0] == "sweep" else name
    assert f"{failed} cannot be written (No space left on device)" in capsys.readouterr().err
    assert Path(name).read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} <= {name, f"{name}.partial"}
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main(command) == 0
    assert Path(name).read_bytes() != b"old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_row_27_where_files_cannot_grow(tmp_path: Path) -> None:
    """A limit of the system, not one put in the writer's place."""
    picture = tmp_path / "p.svg"
    picture.write_text("old")
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096));"
        "from attlas.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", limited, *_PHASE, *_PLANE, "--out", str(picture)]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1
    assert f"{picture} cannot be written (File too large)" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert picture.read_text() == "old"
    assert list(tmp_path.iterdir()) == [picture]


@pytest.mark.parametrize("end", [OSError("gone"), KeyboardInterrupt(), ValueError("of the body")])
def test_what_ends_a_write_leaves_nothing(end: BaseException, tmp_path: Path) -> None:
    path = tmp_path / "folder" / "out"
    write_whole(path, "old")

    def interrupted() -> None:
        with whole_file(path) as stream:
            stream.write(b"half")
            raise end

    with pytest.raises(WriteFailed if isinstance(end, OSError) else type(end)):
        interrupted()
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]


def test_a_link_is_followed_rights_are_kept_and_a_device_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / ("long" * 60), tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    with pytest.raises(WriteFailed, match="/dev/full cannot be written"):
        write_whole("/dev/full", "text")
    assert Path("/dev/full").is_char_device()


def test_json_has_one_rule_for_numbers_that_are_not_finite() -> None:
    values = {"a": [float("inf"), (-float("inf"), float("nan"))], "é": None, "b": 0.1}
    text = json_text(values, indent=None)
    assert text == '{"a": ["inf", ["-inf", "nan"]], "é": null, "b": 0.1}'
    assert float(json.loads(text)["a"][1][0]) == -float("inf")
