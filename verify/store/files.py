"""Files of rows: read with every check, written whole or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from attlas.model.files import whole_file
from attlas.verify.store.rows import NEEDED, SCHEMA

#: One row needs neither dictionaries nor statistics; the checksums are what detects damage.
_ONE_ROW: dict[str, Any] = {
    "write_page_checksum": True,
    "use_dictionary": False,
    "write_statistics": False,
    "compression": "none",
}
_MANY_ROWS: dict[str, Any] = {"write_page_checksum": True, "compression": "zstd"}


#: Where the digest of the values stands in a file. Checksums of pages leave out their headers,
#: where one bit can turn a value into a missing one.
_DIGEST = b"attlas.digest"


class StoreError(RuntimeError):
    """A store that cannot be read; the message names the file."""


#: What to do about a damaged file.
REMEDY = "delete it, and its runs are made again"


def read_rows(path: Path) -> pa.Table:
    """The rows of a file, in :data:`attlas.verify.store.rows.SCHEMA`.

    Raises
    ------
    FileNotFoundError
    StoreError
        If it is corrupted, or holds no rows.
    """
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
        names = table.column_names
        written = (table.schema.metadata or {}).get(_DIGEST)  # none in files of older versions
        if written is not None and written != _digest(table):
            raise ValueError("its values are not those that were written")
        if set(names) >= NEEDED:
            _require_known(names)
            return _in_schema(table)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        raise StoreError(f"{path} is corrupted ({error}); {REMEDY}") from error
    raise StoreError(f"{path} holds no rows of a store; {REMEDY}")


def _require_known(names: list[str]) -> None:
    """Refuse a column that no version has: its name, which no checksum covers, is damaged."""
    for name in names:
        if name not in SCHEMA.names and not name.startswith("version_"):
            raise ValueError(f"no version of attlas has a column {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"the column {name!r} is there twice")


def write_rows(table: pa.Table, target: Path) -> None:
    """Write a table, whole or not at all.

    Raises
    ------
    WriteFailed
    """
    table = table.replace_schema_metadata({_DIGEST: _digest(table)})
    with whole_file(target) as stream:
        pq.write_table(table, stream, **(_ONE_ROW if table.num_rows == 1 else _MANY_ROWS))


def _digest(table: pa.Table) -> bytes:
    return hashlib.sha256(repr(table.to_pydict()).encode()).hexdigest().encode()


def _in_schema(table: pa.Table) -> pa.Table:
    """The table with the present columns; those that an older version lacked are null."""
    table = table.replace_schema_metadata(None)
    if not table.schema.equals(SCHEMA):
        columns = [
            table.column(column.name).cast(column.type)
            if column.name in table.column_names
            else pa.nulls(table.num_rows, column.type)
            for column in SCHEMA
        ]
        table = pa.Table.from_arrays(columns, schema=SCHEMA)
    for name in NEEDED:
        if table.column(name).null_count:
            raise ValueError(f"{name} has no value")
    return table
