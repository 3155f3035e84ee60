"""The store: rows come back as they went in; damage and races are survived."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from attlas.model import Atoms, problem_from
from attlas.model.files import WriteFailed
from attlas.verify.store.case import Case
from attlas.verify.store.files import StoreError
from attlas.verify.store.rows import SCHEMA, Row
from attlas.verify.store.store import Store

PROBLEM = problem_from(alpha="1/3", lam="0.01", kappa0="0.5", noise="0.5")
CASE = Case(PROBLEM, d=24, seed=7)


def row(case: Case = CASE) -> Row:
    return Row(
        case=case,
        measured={"q": 0.1 + 0.2, "m": 1.0},
        theory={"q": 1 / 3},
        theory_error={"q": 1e-9},
        certificate=1e-12,
        converged=True,
        data_hash="abc",
        seconds=1.5,
    )


def test_a_row_comes_back_bit_for_bit(tmp_path: Path):
    store = Store(tmp_path)
    assert store.get(CASE) is None
    store.put(row())
    assert store.has(CASE)
    assert store.get(CASE) == row()


def test_parameters_are_columns(tmp_path: Path):
    store = Store(tmp_path)
    store.put(row())
    table = store.table()
    assert table.schema.equals(SCHEMA)
    (columns,) = table.to_pylist()
    assert columns["alpha"] == pytest.approx(1 / 3)
    assert '"alpha": "1/3"' in columns["problem"]
    assert (columns["kappa0"], columns["noise"], columns["tokens"]) == (0.5, 0.5, 2)
    assert columns["n"] == round(24 * 24 / 3)
    assert columns["version_numpy"] == np.__version__
    assert columns["epsilon"] is None


@pytest.mark.parametrize(
    "other",
    [
        Case(PROBLEM, d=24, seed=8),
        Case(PROBLEM, d=25, seed=7),
        Case(PROBLEM, d=24, seed=7, algorithm="amp"),
        Case(PROBLEM, d=24, seed=7, precision="float32"),
        Case(PROBLEM, d=24, seed=7, centring="average"),
        Case(PROBLEM, d=24, seed=7, source="lam-doubled"),
        Case(problem_from(alpha="0.3333", lam="0.01", kappa0="0.5", noise="0.5"), d=24, seed=7),
    ],
)
def test_everything_that_identifies_a_run_is_in_its_address(other: Case):
    assert other.address != CASE.address


def test_eigenvalues_are_addressed_by_content_not_by_path():
    def case(values, path=None):
        return Case(PROBLEM.with_(target=Atoms(values, path)), d=3, seed=0)

    assert case([3, 2, 1], "a.txt").address == case([3, 2, 1], "b.txt").address
    assert case([3, 2, 1], "a.txt").address != case([3, 2, 2], "a.txt").address


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "swap"])
def test_a_corrupted_file_is_named(tmp_path: Path, damage: str):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    content = bytearray(path.read_bytes())
    if damage == "truncate":
        content = content[: len(content) // 2]
    elif damage == "flip":
        # Inside the data page of q; only the page checksum can notice.
        value = np.float64(0.1 + 0.2).tobytes()
        content[content.index(value)] ^= 1
    elif damage == "empty":
        content = bytearray()
    else:
        other = Case(PROBLEM, d=24, seed=8)
        store.put(row(other))
        content = bytearray(store.file_of(other).read_bytes())
    path.write_bytes(content)
    with pytest.raises(StoreError, match=path.name):
        store.get(CASE)
    with pytest.raises(StoreError, match=path.name):
        store.table()


def _rewritten(path: Path, damage: str) -> None:
    """A whole Parquet file, checksums and all, that is no row."""
    table = pq.ParquetFile(path).read()
    if damage == "only an address":
        table = table.select(["address"])
    elif damage == "a misspelt column":  # one bit of "q", in the footer, is one of "p"
        table = table.rename_columns(["p" if name == "q" else name for name in table.column_names])
    elif damage == "a column twice":
        table = table.append_column("q", pa.array([1.0]))
    else:
        name, values = {
            "text for a number": ("seconds", pa.array(["abc"])),
            "no value": ("converged", pa.array([None], pa.bool_())),
            "half of the JSON": ("others", pa.array(['{"measured": {'])),
        }[damage]
        table = table.set_column(table.column_names.index(name), name, values)
    pq.write_table(table, path)


@pytest.mark.parametrize(
    "damage",
    [
        "only an address",
        "a misspelt column",
        "a column twice",
        "text for a number",
        "no value",
        "half of the JSON",
    ],
)
def test_a_file_that_holds_no_row_is_named(tmp_path: Path, damage: str):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    _rewritten(path, damage)
    with pytest.raises(StoreError, match=f"{path.name}.*delete it"):
        store.get(CASE)


def test_no_flipped_bit_of_the_footer_changes_a_result(tmp_path: Path):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    content = path.read_bytes()
    start = content.rindex(b"schema")  # of the footer, which no checksum covers
    found = 0
    for position in range(start, len(content), 7):
        damaged = bytearray(content)
        damaged[position] ^= 1
        path.write_bytes(damaged)
        try:
            read = store.get(CASE)
        except StoreError:
            found += 1
            continue
        assert read is not None
        assert (read.measured, read.theory, read.converged) == (row().measured, row().theory, True)
    assert found > 100


def test_a_write_that_is_interrupted_leaves_no_row(tmp_path: Path, monkeypatch):
    store = Store(tmp_path)

    def dies(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(WriteFailed, match="no space left"):
        store.put(row())
    assert not store.has(CASE)
    assert store.table().num_rows == 0
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_leftovers_of_a_killed_process_are_ignored(tmp_path: Path):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    path.with_name(f".{path.stem}.1.part").write_bytes(b"half a row")
    assert store.table().num_rows == 1


def test_rows_of_an_older_version_are_read(tmp_path: Path):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    table = pq.ParquetFile(path).read().replace_schema_metadata(None)  # nor had they a digest
    pq.write_table(table.drop_columns(["multi_minima_weight", "centring"]), path)
    assert store.get(CASE) == row()


def test_values_that_were_changed_are_told(tmp_path: Path):
    store = Store(tmp_path)
    store.put(row())
    path = store.file_of(CASE)
    table = pq.ParquetFile(path).read()
    values = table.column("q").to_pylist()
    place = table.column_names.index("q")
    changed = table.set_column(
        place, "q", pa.array([None] * len(values), table.schema.field("q").type)
    )
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(StoreError, match="not those that were written"):
        store.get(CASE)


def test_export_is_one_sorted_file(tmp_path: Path):
    store = Store(tmp_path / "store")
    for seed in (3, 1, 2):
        store.put(row(Case(PROBLEM, d=24, seed=seed)))
    store.export(tmp_path / "rows.parquet")
    addresses = pq.read_table(tmp_path / "rows.parquet").column("address").to_pylist()
    assert addresses == sorted(addresses)
    assert len(addresses) == 3
