"""Suites: verdicts, controls, resuming, on stand-ins for training and theory."""

from __future__ import annotations

from pathlib import Path

import pytest

from attlas.model import BadInput
from attlas.verify.judgement import Outcome
from attlas.verify.store.files import StoreError
from attlas.verify.store.store import Store
from attlas.verify.suite.run import run_suite
from tests.judge import fake_work


def quick(path: Path, **options):
    return run_suite("quick", store=path / "store", device="cpu", processes=1, **options)


def test_right_theory_agrees_and_every_control_is_rejected(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    result = quick(tmp_path)
    (claim,) = result.claims
    assert claim.outcome is Outcome.AGREES
    assert len(claim.verdicts) == 2 * 5
    assert 0.5 < claim.power[0] <= claim.power[1] <= 1
    assert [control.rejected for control in claim.controls] == [True] * 5
    assert result.exit_code == 0
    assert result.rows_made == 2 * 9
    assert result.rows_reused == 0


def test_wrong_theory_is_an_unexpected_disagreement(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch, bias=0.1)
    result = quick(tmp_path)
    assert result.claims[0].outcome is Outcome.DISAGREES
    assert len(result.unexpected) == 10
    assert result.exit_code == 1


def test_a_control_that_is_not_rejected_fails_the_suite(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    monkeypatch.setattr(
        "attlas.verify.suite.run.do",
        lambda job, device: [
            row
            if row.measured
            else type(row)(case=row.case, theory=fake_work.theory_of(row.case.problem))
            for row in fake_work.make_do()(job, device)
        ],
    )
    result = quick(tmp_path)
    assert len(result.accepted_controls) == 5
    assert result.exit_code == 1


def test_an_interrupted_suite_goes_on_where_it_stopped(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    made = []
    work = fake_work.make_do()

    def interrupted(job, device):
        if len(made) == 7:
            raise KeyboardInterrupt
        made.append(job.case)
        return work(job, device)

    monkeypatch.setattr("attlas.verify.suite.run.do", interrupted)
    with pytest.raises(KeyboardInterrupt):
        quick(tmp_path)
    runs = Store(tmp_path / "store").table().column("source").to_pylist()
    assert runs.count("simulation") == 7

    fake_work.use(monkeypatch)
    resumed = quick(tmp_path)
    assert resumed.rows_reused == 7
    again = quick(tmp_path)
    assert again.rows_made == 0
    assert again.verdicts == resumed.verdicts
    fresh = quick(tmp_path, resume=False)
    assert fresh.rows_reused == 0
    assert fresh.verdicts == resumed.verdicts


def test_a_corrupted_row_is_named_and_not_used(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    quick(tmp_path)
    path = next((tmp_path / "store").rglob("*.parquet"))
    path.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(StoreError, match=path.name):
        quick(tmp_path)


def test_another_seed_gives_other_runs(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    first, second = (quick(tmp_path, seed=seed) for seed in (0, 1))
    assert second.rows_reused == 0
    assert first.verdicts != second.verdicts


def test_sizes_do_not_share_seeds(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    seeds = quick(tmp_path).claims[0].points[0].seeds()
    flat = [seed for group in seeds.values() for seed in group]
    assert len(flat) == len(set(flat))


def test_progress_counts_every_job(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    events = []
    quick(tmp_path, progress=events.append)
    for stage in ("theory", "runs"):
        steps = [(event.done, event.total) for event in events if event.stage == stage]
        assert steps[0][0] == 0
        assert steps[-1][0] == steps[-1][1] == len(steps) - 1
    left = [event.seconds_left for event in events if event.stage == "runs"]
    assert left[0] is None
    assert left[-1] == 0
    assert all(later is not None for later in left[1:])


def test_misspelt_names_are_answered_with_the_nearest(tmp_path: Path):
    with pytest.raises(BadInput, match="did you mean quick"):
        run_suite("quik", store=tmp_path)
    with pytest.raises(BadInput, match="did you mean learning-curve"):
        run_suite("quick", store=tmp_path, claims=["learning_curve"])
