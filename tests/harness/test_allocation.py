"""Seeds go where they decide most, on synthetic costs and spreads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attlas.verify.claims import commit_margins
from attlas.verify.store.store import Store
from attlas.verify.suite.allocation import Cell, Need, allocate, needed_error, within_budget
from attlas.verify.suite.run import run_suite
from attlas.verify.suite.schedule import Schedule
from tests.judge import fake_work

SIZES = (24, 36, 60)


def counts(*points: str, runs: int = 4) -> dict[Cell, int]:
    return {("claim", point, d): runs for point in points for d in SIZES}


def cost(cells: dict[Cell, int], dear: str = "", factor: float = 1.0) -> dict[Cell, float]:
    """A run costs d^4, more at one point."""
    return {cell: (cell[2] / 60) ** 4 * (factor if cell[1] == dear else 1.0) for cell in cells}


def total(bought: dict, point: str) -> int:
    return sum(runs for cell, runs in bought.items() if cell[1] == point)


def spent(bought: dict, before: dict, seconds: dict) -> float:
    return sum(seconds[cell] * (bought[cell] - before.get(cell, 0)) for cell in bought)


def need(point: str, spread: float, needed: float = 0.005) -> Need:
    return Need(("claim", point), needed, spread)


def test_information_is_the_squared_ratio_of_errors():
    one = need("a", spread=1.0)
    few = one.met(dict.fromkeys(SIZES, 4))
    assert 0 < few < 1
    assert one.met(dict.fromkeys(SIZES, 8)) == pytest.approx(2 * few)
    assert one.met(dict.fromkeys(SIZES, 4000)) == 1
    assert one.met({24: 4}) == 0


def test_nothing_is_bought_for_what_is_decided():
    before = counts("decided", "open")
    needs = [need("decided", spread=0.01), need("open", spread=0.5)]
    bought = allocate(needs, before, cost(before), budget=50)
    assert total(bought, "decided") == 12
    assert total(bought, "open") > 12


def test_money_goes_to_the_nearer_decision():
    before = counts("near", "far")
    needs = [need("near", spread=2.0), need("far", spread=10.0)]
    bought = allocate(needs, before, cost(before), budget=2)
    assert total(bought, "near") > 2 * total(bought, "far")


def test_money_goes_to_the_cheaper_of_two_alike():
    before = counts("dear", "cheap")
    needs = [need("dear", spread=0.5), need("cheap", spread=0.5)]
    seconds = cost(before, "dear", 20)
    bought = allocate(needs, before, seconds, budget=8)
    assert total(bought, "cheap") > 5 * total(bought, "dear")
    assert spent(bought, before, seconds) <= 8


def test_a_larger_size_is_opened_where_it_is_worth_its_price():
    before = counts("a")
    beyond: Cell = ("claim", "a", 90)
    needs = [need("a", spread=1.0)]
    cheap = allocate(needs, before, cost(before) | {beyond: 1.0}, budget=40)
    dear = allocate(needs, before, cost(before) | {beyond: 100.0}, budget=40)
    assert cheap[beyond] >= 2
    assert beyond not in dear


@pytest.mark.parametrize("budget", [0.0, 3.0, 20.0])
def test_the_allocation_beats_equal_shares(budget: float):
    before = counts("a", "b", "c")
    needs = [need("a", 0.2), need("b", 0.6), need("c", 2.0)]
    seconds = cost(before)
    bought = allocate(needs, before, seconds, budget)
    assert spent(bought, before, seconds) <= budget
    more = budget / sum(seconds.values())
    equal = {cell: runs + int(more) for cell, runs in before.items()}

    def met(runs: dict) -> float:
        return sum(one.met({d: runs["claim", one.place[1], d] for d in SIZES}) for one in needs)

    assert met(bought) >= met(equal)


def test_means_have_no_say():
    rng = np.random.default_rng(0)
    groups = {d: rng.standard_normal(6) / d for d in SIZES}
    shifted = {d: x + d for d, x in groups.items()}
    ours, theirs = (Need.of(("claim", "a"), 0.01, one) for one in (groups, shifted))
    assert ours.spread == pytest.approx(theirs.spread, rel=1e-9)
    assert needed_error(0.02, 30) < needed_error(0.02, 1)


def test_a_budget_replaces_the_numbers_of_the_design(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)  # a run takes 0.1 seconds, it says
    monkeypatch.setattr("tests.judge.fake_work.SPREAD", 1.0)

    def runs(budget: float) -> int:
        store = tmp_path / str(budget)
        done = run_suite("quick", store=store, device="cpu", processes=1, time_budget=budget)
        assert done.rows_reused == 0
        seconds = [row.seconds for point in done.claims[0].points for row in point.rows]
        assert sum(seconds) == pytest.approx(0.1 * done.rows_made)
        return done.rows_made

    few, more = runs(0.1), runs(6.0)
    assert few == 18  # the pilot, which the smallest budget has too
    assert 30 < more <= 60


def test_what_is_spent_beside_training_counts(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    monkeypatch.setattr("tests.judge.fake_work.SPREAD", 1.0)
    schedule = Schedule.of("quick", None)
    store = Store(tmp_path)
    theory = {problem: fake_work.limit(problem) for problem in schedule.theory_problems()}
    margins = {
        one.id: commit_margins(one, schedule.points(one), theory.get) for one in schedule.claims
    }

    def bought(dearer: float) -> int:
        """Runs, where each takes that many times the seconds of its training."""
        made: set[str] = set()
        work = fake_work.make_do()
        for part in within_budget(schedule, margins, store, 8.0, lambda: 0.1 * dearer * len(made)):
            for job in part.jobs():
                made.add(job.case.address)
                for row in work(job, "cpu"):
                    store.put(row)
        return len(made)

    dear, cheap = bought(4.0), bought(1.0)
    assert dear <= 20 + 2  # 8 seconds at 0.4 each; the step of a purchase is two runs
    assert cheap > 2 * dear
