"""The notebooks of the gallery: they hold what they give, and give it again."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "docs/notebooks").glob("*.ipynb"))


def test_each_holds_its_output_and_is_in_the_gallery() -> None:
    gallery = (NOTEBOOKS[0].parents[1] / "gallery.md").read_text("utf-8")
    assert len(NOTEBOOKS) == gallery.count("](notebooks/")
    for path in NOTEBOOKS:
        assert f"](notebooks/{path.name})" in gallery
        cells = nbformat.read(path, 4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert all(cell.execution_count for cell in code), path
        outputs = [output for cell in code for output in cell.outputs]
        assert outputs
        assert not [
            one for one in outputs if one.output_type == "error" or one.get("name") == "stderr"
        ]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_runs(path: Path) -> None:
    from nbclient import NotebookClient

    notebook = nbformat.read(path, 4)
    NotebookClient(
        notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}
    ).execute()
