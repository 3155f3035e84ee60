"""Row 26: `--processes 1` is one thread, as every worker is."""

from __future__ import annotations

import threadpoolctl
import torch

from attlas.model import problem_from
from attlas.solver.sweep import sweep
from attlas.verify.executors.local import Local


def threads(_: int) -> list[int]:
    libraries = [library["num_threads"] for library in threadpoolctl.threadpool_info()]
    return [torch.get_num_threads(), *libraries]


def test_row_26_a_call_has_one_thread_in_this_process_and_in_workers() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with threadpoolctl.threadpool_limits(2):
            for executor in (Local(1), Local(2)):
                for found in executor.map(threads, [0, 1]):
                    assert len(found) > 1
                    assert set(found) == {1}
            assert torch.get_num_threads() == 2
            assert set(threads(0)) != {1}
    finally:
        torch.set_num_threads(before)


def test_row_26_a_sweep_has_one_thread_a_worker(monkeypatch) -> None:
    import joblib

    chosen = []
    whole = joblib.parallel_config

    def seen(*words, **options):
        chosen.append(options)
        return whole(*words, **options)

    monkeypatch.setattr(joblib, "parallel_config", seen)
    problem = problem_from(alpha="0.1", lam="0.1", kappa0="1", tokens=1)
    assert sweep(problem, workers=2, alpha=["0.1", "0.2"]).num_rows == 2
    assert chosen == [{"n_jobs": 2, "inner_max_num_threads": 1}]
