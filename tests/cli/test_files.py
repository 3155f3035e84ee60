"""Places to write to are checked before anything is computed, the same way by every verb."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model import BadInput
from attlas.model.files import writable_file, writable_folder

PROBLEM = ["--alpha", "0.2", "--lam", "0.01", "--kappa0", "0.5"]
POWER_LAW = ["--target", "power-law:gamma=1,d=40"]
#: Every option that takes a file to write.
WRITERS = {
    "sweep": (["sweep", *PROBLEM, "--out"], ".parquet"),
    "phase": (["phase", "--tokens", "1", "--noise", "1/2", "--out"], ".svg"),
    "spectrum": (["spectrum", *PROBLEM, "--plot"], ".svg"),
    "decompose": (["decompose", *PROBLEM, "--plot"], ".png"),
    "scaling": (["scaling", *POWER_LAW, "--out"], ".svg"),
    "scaling --table": (["scaling", "--table", "1", "--out"], ".md"),
    "scaling --emergence": (["scaling", *POWER_LAW, "--emergence", "--out"], ".png"),
    "scaling --compare-routes": (["scaling", *POWER_LAW, "--compare-routes", "--out"], ".json"),
    "scaling --study": (["scaling", *POWER_LAW, "--study", "tail", "--out"], ".md"),
}
FOLDERS = {
    "verify": ["verify", "--store"],
    "report": ["report", "--out"],
    "reproduce": ["reproduce", "bayes", "--out"],
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "file").write_text("kept")
    for ending in (".svg", ".png", ".parquet", ".md", ".json"):
        (tmp_path / f"folder{ending}").mkdir()
    return {
        "empty": "",
        "no folder": str(tmp_path / "none" / "x"),
        "in a file": str(tmp_path / "file" / "x"),
        "too long": str(tmp_path / ("a" * 300)),
        "folder": str(tmp_path / "folder"),
    }


@pytest.mark.parametrize("verb", WRITERS)
@pytest.mark.parametrize("place", ["no folder", "in a file", "too long", "folder"])
def test_a_file_that_cannot_be_written_is_refused_at_once(
    verb: str, place: str, places: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, ending = WRITERS[verb]
    path = places[place] + ending
    assert main([*arguments, path]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{arguments[-1]} = {path!r} is not valid: must be a file in a folder" in err


@pytest.mark.parametrize("verb", WRITERS)
def test_an_empty_name_is_refused(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WRITERS[verb][0], ""]) == 2
    assert f"{WRITERS[verb][0][-1]} = '' is not valid" in capsys.readouterr().err


@pytest.mark.parametrize("verb", FOLDERS)
@pytest.mark.parametrize("place", ["empty", "in a file", "too long"])
def test_a_folder_that_cannot_be_made_is_refused_at_once(
    verb: str, place: str, places: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*FOLDERS[verb], places[place]]) == 2
    assert f"{FOLDERS[verb][-1]} = {places[place]!r} is not valid" in capsys.readouterr().err


def test_endings_are_read_in_either_case(tmp_path: Path) -> None:
    assert writable_file("--out", tmp_path / "x.SVG", (".svg",)) == tmp_path / "x.SVG"
    with pytest.raises(BadInput, match=r"must end in \.svg or \.png"):
        writable_file("--out", tmp_path / "x.pdf", (".svg", ".png"))


@pytest.mark.parametrize(
    ("more", "name", "endings"),
    [
        ([], "a.md", ".svg or .png or .json"),
        (["--study", "tail"], "a.svg", ".json or .md"),
        (["--study", "time"], "a.pdf", ".json or .md or .svg or .png"),
        (["--emergence"], "a.md", ".svg or .png or .json"),
    ],
)
def test_scaling_refuses_a_format_before_it_computes(
    more: list[str],
    name: str,
    endings: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("attlas.solver.scaling.scaling", lambda *_, **__: pytest.fail("computed"))
    assert main(["scaling", *POWER_LAW, *more, "--out", name]) == 2
    assert f"must end in {endings}" in capsys.readouterr().err


def test_names_with_spaces_and_other_letters_are_names(tmp_path: Path) -> None:
    place = tmp_path / "é ☃ folder"
    assert writable_folder("--out", str(place)) == place
    place.mkdir()
    assert writable_file("--out", place / "λ α.svg", (".svg",)).parent == place


@pytest.mark.parametrize(
    ("line", "name"), [("report", "report.json"), ("reproduce bayes", "bayes.png")]
)
def test_a_folder_where_a_file_would_be_written_is_found_before_anything_is_run(
    line: str, name: str, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "attlas.reports.reproduce.reproduce", lambda *_, **__: pytest.fail("computed")
    )
    monkeypatch.setattr("attlas.cli.suite.SuiteFlags.run", lambda *_: pytest.fail("computed"))
    (tmp_path / name).mkdir()
    assert main([*line.split(), "--out", str(tmp_path)]) == 2
    assert f"has a folder where the file {name} would be written" in capsys.readouterr().err


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="there is no /proc")
def test_a_file_system_that_takes_no_files_is_refused(tmp_path: Path) -> None:
    """Even for root, whom permissions do not stop."""
    with pytest.raises(BadInput, match="can be written into"):
        writable_folder("--store", "/proc/store")
    with pytest.raises(BadInput, match="can be written into"):
        writable_file("--out", "/proc/x.json")
    nowhere = tmp_path / "link"
    nowhere.symlink_to(tmp_path / "none" / "store")
    with pytest.raises(BadInput, match="can be written into"):
        writable_folder("--store", str(nowhere))
    assert list(tmp_path.iterdir()) == [nowhere]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_places_without_permission_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").touch(0o444)
    tmp_path.chmod(0o555)
    for name in ("x.json", "y.json"):
        with pytest.raises(BadInput, match="can be written into"):
            writable_file("--out", tmp_path / name)
    with pytest.raises(BadInput, match="can be written into"):
        writable_folder("--out", str(tmp_path))
