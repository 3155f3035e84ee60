"""Results on disk: one small Parquet file a row, addressed by what was run."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from attlas.verify.store.case import Case
from attlas.verify.store.files import REMEDY, StoreError, read_rows, write_rows
from attlas.verify.store.rows import SCHEMA, Row


class Store:
    """A folder of rows.

    Every row is one file, named by its address and written under a temporary name first, so that
    a file under its own name is always whole: a process killed at any moment loses at most the
    rows in flight, and processes on one or on several machines may share a store. Many rows can
    be packed into one file (:meth:`pack`), which is as good as the files it replaces.

    Parameters
    ----------
    path : path
        Created on the first write.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._packs: dict[Path, pa.Table] = {}
        self._packed: dict[str, tuple[Path, int]] = {}

    def file_of(self, case: Case) -> Path:
        """Where the row of a case is, or would be, on its own."""
        address = case.address
        return self.path / "rows" / address[:2] / f"{address}.parquet"

    def has(self, case: Case) -> bool:
        """Whether the row of a case is present."""
        return self.file_of(case).is_file() or self._find(case.address) is not None

    def put(self, row: Row) -> None:
        """Write a row, replacing one of the same address.

        Raises
        ------
        WriteFailed
        """
        write_rows(pa.Table.from_pylist([row.columns()], schema=SCHEMA), self.file_of(row.case))

    def get(self, case: Case) -> Row | None:
        """The row of a case, or None if it has not been run.

        Raises
        ------
        StoreError
            If its file is corrupted; the message names it.
        """
        path = self.file_of(case)
        try:
            found = self._read(path)
        except FileNotFoundError:  # never made, or packed meanwhile
            place = self._find(case.address)
            if place is None:
                return None
            pack, number = place
            found = self._packs[pack].slice(number, 1)
        try:
            return Row.of(case, found.to_pylist()[0])
        except (ValueError, ArithmeticError, AttributeError) as error:
            raise StoreError(f"{path} is corrupted (others: {error}); {REMEDY}") from error

    def table(self) -> pa.Table:
        """All rows as one table, a row of its own before a packed one of the same address.

        Raises
        ------
        StoreError
            If any file is corrupted; the message names it.
        """
        tables = []
        for path in self._files():
            with contextlib.suppress(FileNotFoundError):  # packed meanwhile, and read below
                tables.append(self._read(path))
        own = {table.column("address")[0].as_py() for table in tables}
        self._refresh()
        for pack, table in self._packs.items():
            numbers = [n for a, (where, n) in self._packed.items() if where == pack]
            addresses = table.column("address").to_pylist()
            kept = [number for number in numbers if addresses[number] not in own]
            tables.append(table.take(pa.array(kept, pa.int64())))
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def export(self, path: str | Path) -> None:
        """Write all rows into one Parquet file, sorted so that equal stores give equal tables."""
        write_rows(self.table().sort_by("address"), Path(path))

    def pack(self) -> int:
        """Put all rows into one file, and remove the files that it replaces.

        The packed file is whole before any other is removed, and a row is removed only if it is
        still the one that was packed, so that it may be interrupted, and run beside others that
        write.

        Returns
        -------
        int
            Rows in the pack.

        Raises
        ------
        StoreError
            If any file is corrupted; the message names it. Nothing is removed then.
        """
        loose = {path: path.stat().st_mtime_ns for path in self._files()}
        old = self._listing()
        table = self.table().sort_by("address")
        if table.num_rows == 0:
            return 0
        target = self._write_pack(table)
        for path in old:
            if path != target:
                path.unlink(missing_ok=True)
        for path, written in loose.items():
            with contextlib.suppress(FileNotFoundError):
                if path.stat().st_mtime_ns == written:
                    path.unlink()
        return table.num_rows

    def add(self, table: pa.Table) -> None:
        """Put rows of other stores into a pack of their own.

        Parameters
        ----------
        table : pyarrow.Table
            With :data:`SCHEMA`, as :meth:`table` gives it.
        """
        if table.num_rows:
            self._write_pack(table.sort_by("address"))

    def _write_pack(self, table: pa.Table) -> Path:
        contents = table.select(["address", "created"]).to_pylist()
        digest = hashlib.sha256(json.dumps(contents).encode()).hexdigest()
        target = self.path / "packs" / f"{digest[:40]}.parquet"
        write_rows(table, target)
        return target

    def _files(self) -> Iterator[Path]:
        yield from sorted(self.path.glob("rows/*/*.parquet"))

    def _listing(self) -> list[Path]:
        return sorted(self.path.glob("packs/*.parquet"))

    def _find(self, address: str) -> tuple[Path, int] | None:
        """The pack that holds an address, and its number there."""
        if address not in self._packed:
            self._refresh()
        return self._packed.get(address)

    def _refresh(self) -> None:
        """Read the packs that were written since."""
        while (listing := self._listing()) != list(self._packs):
            packs = {}
            with contextlib.suppress(FileNotFoundError):  # packed anew meanwhile: list again
                for path in listing:
                    packs[path] = self._packs[path] if path in self._packs else read_rows(path)
            self._packs = packs
            self._packed = {
                address: (path, number)
                for path, table in packs.items()
                for number, address in enumerate(table.column("address").to_pylist())
            }

    def _read(self, path: Path) -> pa.Table:
        table = read_rows(path)
        if table.num_rows != 1 or table.column("address")[0].as_py() != path.stem:
            raise StoreError(f"{path} does not hold the row that its name says; {REMEDY}")
        return table
