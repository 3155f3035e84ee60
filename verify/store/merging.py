"""Stores of several machines made into one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from attlas.verify.store.files import StoreError
from attlas.verify.store.store import Store


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes
    ----------
    rows : int
        Rows of the merged store.
    added : int
        Rows that were not in it.
    repeated : int
        Rows of the sources that were in it already, or in an earlier source.
    """

    rows: int
    added: int
    repeated: int


def merge(sources: Iterable[str | Path], target: str | Path) -> Merged:
    """Put the rows of stores into another, which may hold rows already.

    Sources are only read. Every row is read with its checksums first, so that a damaged source
    changes nothing. The merged store is packed into one file.

    Parameters
    ----------
    sources : iterable of path
    target : path

    Raises
    ------
    StoreError
        If a file is corrupted, a source is no store, or two stores hold runs of one case on
        different data; the message names it.
    """
    store = Store(target)
    known = _data(store.table())
    repeated, added = 0, 0
    new: list[pa.Table] = []
    for source in sources:
        if not any((Path(source) / part).is_dir() for part in ("rows", "packs")):
            raise StoreError(f"{source} is not a store")
        table = Store(source).table()
        own = _data(table)
        for address in own.keys() & known.keys():
            if own[address] != known[address]:
                raise StoreError(
                    f"{source} and another store hold different data for one case, row {address}: "
                    "they were made by different versions; keep them apart"
                )
        wanted = [number for number, address in enumerate(own) if address not in known]
        new.append(table.take(pa.array(wanted, pa.int64())))
        known |= own
        repeated += table.num_rows - len(wanted)
        added += len(wanted)
    if new:
        store.add(pa.concat_tables(new))
    return Merged(rows=store.pack(), added=added, repeated=repeated)


def _data(table: pa.Table) -> dict[str, str]:
    """Digest of the data of each row, by address, in the order of the rows."""
    return dict(
        zip(
            table.column("address").to_pylist(),
            table.column("data_hash").to_pylist(),
            strict=True,
        )
    )
