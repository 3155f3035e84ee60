"""The picture of factorised against direct training, and the points it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from attlas.reports.reproduce import factorised_vs_direct as picture
from attlas.verify.simulation import rivals
from attlas.verify.simulation.rivals import Race, race_at
from attlas.verify.simulation.simulate import simulate


def _rows() -> list[picture.Row]:
    """Made-up errors: the positive map wins below alpha = 0.2 at kappa0 = 0.5, always at 1."""
    rows: list[picture.Row] = []
    for kappa0 in ("0.1", "0.25", "0.5", "1"):
        for alpha in (0.1, 0.2):
            wins = kappa0 == "1" or (kappa0 == "0.5" and alpha < 0.2)
            for training, error in (
                ("factorised", 0.2),
                ("direct-psd", 0.15 if wins else 0.25),
                ("direct", 0.3),
            ):
                point = Race(alpha, 0.1, error, 1e-4, 0.1, 1.1 * error, 0.01, 0.2)
                rows += picture._rows(point, kappa0, training, 40, 2)
    return picture._over_factorised(rows)


def test_errors_are_related_to_the_factorised_one_of_the_same_source() -> None:
    rows = _rows()
    ratios = {
        (row["source"], row["kappa0"], row["curve"]): row["over_factorised"]
        for row in rows
        if row["alpha"] == 0.1
    }
    for source in ("theory", "heads"):
        assert ratios[source, 0.1, "factorised"] == 1
        assert ratios[source, 0.1, "direct-psd"] == pytest.approx(1.25)
        assert ratios[source, 1.0, "direct-psd"] == pytest.approx(0.75)
    assert {row["lam"] for row in rows if row["source"] == "heads"} == {0.2}


def test_the_caption_says_where_factorised_training_wins() -> None:
    assert picture._where(_rows()) == (
        "In theory it has the least error everywhere at κ₀ = 0.1, everywhere at κ₀ = 0.25, "
        "from α = 0.2 at κ₀ = 0.5, nowhere at κ₀ = 1."
    )


def test_all_ranks_are_drawn_and_named(tmp_path: Path) -> None:
    path = tmp_path / "picture.svg"
    picture._draw(_rows(), 40, path)
    drawn = path.read_text(encoding="utf-8")
    for said in ("κ₀ = 0.1", "κ₀ = 0.25", "κ₀ = 0.5", "κ₀ = 1", "direct, PSD", "Bayes-optimal",
                 "above 1: factorised training wins", "heads, d = 40"):  # fmt: skip
        assert said in drawn


def test_heads_stand_at_the_best_of_three_penalties(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: dict[float, float] = {}

    def recorded(problem, **options):
        found = simulate(problem, **options)
        tried[float(problem.estimator.lam)] = found.mean.test_error
        return found

    monkeypatch.setattr(rivals, "simulate", recorded)
    point = race_at("factorised", "0.3", "0.5", "0.4", d=16, seeds=2, tokens=1)
    assert sorted(lam / point.lam for lam in tried) == pytest.approx([0.5, 1, 2], rel=2e-3)
    least = min(tried, key=tried.__getitem__)
    assert point.measured_lam == pytest.approx(least, rel=2e-3)
    assert point.measured == tried[least]
    assert race_at("direct", "0.3", "0.5", "0.4", seeds=0, tokens=1).measured is None
