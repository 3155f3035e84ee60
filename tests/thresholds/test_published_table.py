"""The table of thresholds in the documentation is what the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from attlas.solver.thresholds import threshold
from attlas.solver.thresholds.flat import threshold_from

DIGITS = 50


def rows() -> list[tuple[str, str, str, str]]:
    """(name, kappa0, noise, alpha) of every row of both tables."""
    text = (Path(__file__).parents[2] / "docs" / "thresholds.md").read_text(encoding="utf-8")
    text, _, drawn = text.partition("## Separability")
    without, _, noisy = text.partition("## Interpolation")
    found = []
    for part, kind in ((without, "without"), (noisy, "noisy")):
        for line in part.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != 4 or not cells[3][:1].isdigit():
                continue
            first, second, alpha, _ = cells
            found.append(
                (first, second, "0", alpha)
                if kind == "without"
                else ("interpolation", first, second, alpha)
            )
    for line in drawn.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[3][:1].isdigit():
            found.append(("separability", cells[0], " ".join(cells[1:3]), cells[3]))
    return found


def test_the_table_holds_every_threshold_in_alpha() -> None:
    assert {name for name, *_ in rows()} == {
        "interpolation",
        "perfect-recovery",
        "bulk-split",
        "bayes",
        "separability",
    }


@pytest.mark.parametrize(("name", "kappa0", "noise", "alpha"), rows())
def test_row(name: str, kappa0: str, noise: str, alpha: str) -> None:
    if name == "separability":
        names = ("kappa0", "noise", "beta0")
        given: dict[str, str] = dict(zip(names, (kappa0, *noise.split()), strict=True))
        found = threshold_from(name, given)
        assert found.digits >= 10
        assert f"{float(found.alpha or 'nan'):.10f}" == alpha
    else:
        assert threshold(name, kappa0=kappa0, noise=noise, digits=DIGITS).alpha == alpha
