"""Stores in one file, merged, shared by shares."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest

from attlas.cli.main import main
from attlas.model import BadInput, problem_from
from attlas.solver.journal import share_of
from attlas.verify.store.case import Case
from attlas.verify.store.files import StoreError
from attlas.verify.store.merging import merge
from attlas.verify.store.rows import Row
from attlas.verify.store.store import Store
from attlas.verify.suite.run import run_shard, run_suite
from attlas.verify.suite.schedule import Schedule
from tests.judge import fake_work

PROBLEM = problem_from(alpha="1/3", lam="0.01", kappa0="0.5")


def row(seed: int, q: float = 0.1, data: str = "abc") -> Row:
    return Row(
        case=Case(PROBLEM, d=24, seed=seed), measured={"q": q}, certificate=0, data_hash=data
    )


def filled(path: Path, *seeds: int) -> Store:
    store = Store(path)
    for seed in seeds:
        store.put(row(seed))
    return store


def files(store: Store) -> list[Path]:
    return [path for path in store.path.rglob("*") if path.is_file()]


def test_a_pack_is_as_good_as_its_rows(tmp_path: Path):
    store = filled(tmp_path, 1, 2, 3)
    other = Store(tmp_path)  # another process, which has seen no pack
    before = store.table().sort_by("address")
    assert not other.has(row(4).case)
    assert store.pack() == 3
    assert len(files(store)) == 1
    for one in (store, other, Store(tmp_path)):
        assert one.get(row(2).case) == row(2)
        assert one.has(row(1).case)
        assert not one.has(row(4).case)
        assert one.table().equals(before)


def test_rows_after_a_pack_replace_it_and_are_packed_again(tmp_path: Path):
    store = filled(tmp_path, 1, 2)
    store.pack()
    store.put(row(2, q=0.7))
    store.put(row(3))
    for _ in range(2):
        assert store.table().num_rows == 3
        assert store.get(row(2).case) == row(2, q=0.7)
        assert store.pack() == 3
    assert len(files(store)) == 1


def test_a_damaged_pack_is_named_and_nothing_is_lost(tmp_path: Path):
    store = filled(tmp_path, 1, 2)
    store.pack()
    (pack,) = files(store)
    content = bytearray(pack.read_bytes())
    # All of the middle: a single byte may be one that no checksum covers.
    third = len(content) // 3
    content[third : 2 * third] = bytes(byte ^ 1 for byte in content[third : 2 * third])
    pack.write_bytes(content)
    fresh = Store(tmp_path)
    fresh.put(row(3))
    with pytest.raises(StoreError, match=pack.name):
        fresh.pack()
    assert len(files(fresh)) == 2


def test_decimals_keep_all_their_digits(tmp_path: Path):
    digits = "0.153482102859080067573536069481189360096"
    case = Case(PROBLEM, d=24, seed=1)
    exact = Row(
        case=case, certificate=0, theory={"position": Decimal(digits), "q": Decimal(digits)}
    )
    store = Store(tmp_path)
    store.put(exact)
    assert store.get(case) == exact
    (columns,) = store.table().to_pylist()
    assert digits in columns["others"]
    assert columns["theory_q"] == float(digits)


def test_merging_adds_what_is_new(tmp_path: Path):
    first, second = filled(tmp_path / "a", 1, 2), filled(tmp_path / "b", 2, 3)
    second.pack()
    merged = merge([first.path, second.path], tmp_path / "c")
    assert (merged.rows, merged.added, merged.repeated) == (3, 3, 1)
    assert len(files(Store(tmp_path / "c"))) == 1
    again = merge([first.path], tmp_path / "c")
    assert (again.rows, again.added, again.repeated) == (3, 0, 2)


def test_merging_refuses_what_does_not_belong_together(tmp_path: Path):
    first = filled(tmp_path / "a", 1)
    other = Store(tmp_path / "b")
    other.put(row(1, data="xyz"))
    with pytest.raises(StoreError, match="different data"):
        merge([first.path, other.path], tmp_path / "c")
    with pytest.raises(StoreError, match="not a store"):
        merge([tmp_path], tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_shares_are_disjoint_complete_and_of_like_cost():
    jobs = Schedule.of("standard", ["learning-curve"]).jobs()
    shares = [share_of(jobs, index, 7) for index in range(7)]
    assert sorted(job.case.address for part in shares for job in part) == sorted(
        job.case.address for job in jobs
    )
    costs = [sum(job.cost for job in part) for part in shares]
    assert max(costs) - min(costs) <= max(job.cost for job in jobs)


@pytest.mark.parametrize(("index", "count"), [(3, 3), (-1, 3), (0, 0)])
def test_shares_that_there_are_not(index: int, count: int):
    with pytest.raises(BadInput):
        share_of([], index, count)


def test_shares_on_machines_that_share_nothing(tmp_path: Path, monkeypatch):
    fake_work.use(monkeypatch)
    stores = [tmp_path / str(index) for index in range(3)]
    for index, store in enumerate(stores):
        done = run_shard("quick", index, 3, store=store, device="cpu", processes=1)
        assert (done.made, done.present, done.missing) == (6, 0, 12)
    merge(stores, tmp_path / "all")
    result = run_suite("quick", store=tmp_path / "all", device="cpu", processes=1)
    assert result.rows_made == 0
    whole = run_suite("quick", store=tmp_path / "whole", device="cpu", processes=1)
    assert result.verdicts == whole.verdicts


def test_shares_and_merging_on_the_command_line(
    tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]
):
    fake_work.use(monkeypatch)
    monkeypatch.chdir(tmp_path)
    for index in ("0", "1"):
        share = ["--index", index, "--count", "2", "--store", index, "--json"]
        assert main(["verify", "--processes", "1", *share]) == 0
        assert json.loads(capsys.readouterr().out)["result"]["made"] == 9
    assert main(["verify", "--merge", "0", "--merge", "1", "--store", "all"]) == 0
    # 18 runs; two of three seeds at each size are paired with 3 and with 5 controls.
    assert "all holds 66 rows: 66 are new" in capsys.readouterr().out
    assert main(["verify", "--store", "all", "--processes", "1"]) == 0
    assert "wrong theories rejected" in capsys.readouterr().out
    assert main(["verify", "--index", "1"]) == 2
    assert "--count" in capsys.readouterr().err
    assert main(["verify", "--merge", "nothing", "--store", "all"]) == 2
    assert "nothing is not a store" in capsys.readouterr().err


def test_packing_beside_writers_and_readers_loses_nothing(tmp_path: Path):
    def write(part: int) -> None:
        store = Store(tmp_path)
        for seed in range(20 * part, 20 * part + 20):
            store.put(row(seed))
            assert store.get(row(seed).case) == row(seed)

    def pack(_: int) -> None:
        for _ in range(10):
            Store(tmp_path).pack()

    with ThreadPoolExecutor(5) as pool:
        jobs = [pool.submit(write, part) for part in range(3)]
        jobs += [pool.submit(pack, part) for part in range(2)]
        for job in jobs:
            job.result(timeout=60)
    store = Store(tmp_path)
    assert store.table().num_rows == 60
    assert store.pack() == 60
    assert all(store.get(row(seed).case) == row(seed) for seed in range(60))
    assert len(files(store)) == 1
