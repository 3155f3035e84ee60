"""Results on disk: one small Parquet file a row, addressed by what was run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solver.solution import OBSERVABLE_KEYS
from verify.machine.environment import package_versions
from verify.store.case import FORMULA_VERSION, Case, exact_parameters

_NUMBERS = ("alpha", "lam", "kappa", "kappa0", "beta", "beta0", "noise")
_VERSIONS = tuple(package_versions())

_COLUMNS: list[tuple[str, pa.DataType]] = [
    ("address", pa.string()),
    ("source", pa.string()),
    ("formula_version", pa.int32()),
    ("problem", pa.string()),  # exact parameters as JSON; the columns below are rounded
    *((name, pa.float64()) for name in _NUMBERS),
    ("tokens", pa.int32()),
    ("target", pa.string()),
    ("training", pa.string()),
    ("task", pa.string()),
    ("d", pa.int32()),
    ("n", pa.int64()),
    ("seed", pa.int64()),
    ("algorithm", pa.string()),
    ("precision", pa.string()),
    ("centring", pa.string()),
    ("tokens_law", pa.string()),
    *((key, pa.float64()) for key in OBSERVABLE_KEYS),
    *((f"theory_{key}", pa.float64()) for key in OBSERVABLE_KEYS),
    *((f"theory_error_{key}", pa.float64()) for key in OBSERVABLE_KEYS),
    ("others", pa.string()),
    ("certificate", pa.float64()),
    ("converged", pa.bool_()),
    ("data_hash", pa.string()),
    ("device", pa.string()),
    ("arithmetic", pa.string()),
    ("seconds", pa.float64()),
    ("created", pa.string()),
    *((f"version_{name}", pa.string()) for name in _VERSIONS),
]

SCHEMA = pa.schema(_COLUMNS)

#: Columns about how a run went, as they stand in a row.
_RECORDED = ("certificate", "converged", "data_hash", "device", "arithmetic", "seconds")

#: Columns that every version has, and that every row has a value in.
_NEEDED = frozenset({"address", "problem", "d", "seed", *_RECORDED})

#: One row needs neither dictionaries nor statistics; the checksums are what detects damage.
_ONE_ROW: dict[str, Any] = {
    "write_page_checksum": True,
    "use_dictionary": False,
    "write_statistics": False,
    "compression": "none",
}
_MANY_ROWS: dict[str, Any] = {"write_page_checksum": True, "compression": "zstd"}


class StoreError(RuntimeError):
    """A store that cannot be read or written; the message names the file."""


@dataclass(frozen=True)
class Row:
    """One run beside its paired theory, or one run's theory under a control.

    Attributes
    ----------
    case : Case
    measured, theory, theory_error : mapping from result key to float or Decimal
        Empty where there is none (``measured`` of a control; ``theory`` without a solution). A
        Decimal keeps all its digits.
    certificate : float
        Gradient certificate of the run.
    converged : bool
    data_hash : str
        Digest of teacher and data.
    device : str
    arithmetic : str
        Precision of each stage of training.
    seconds : float
    """

    case: Case
    measured: Mapping[str, Any] = field(default_factory=dict)
    theory: Mapping[str, Any] = field(default_factory=dict)
    theory_error: Mapping[str, Any] = field(default_factory=dict)
    certificate: float = float("nan")
    converged: bool = True
    data_hash: str = ""
    device: str = "cpu"
    arithmetic: str = ""
    seconds: float = 0.0

    def columns(self) -> dict[str, Any]:
        """The row as the columns of :data:`SCHEMA`; absent ones are null."""
        case = self.case
        parameters = exact_parameters(case.problem)
        rounded = {
            name: float(Fraction(str(parameters[name]))) for name in _NUMBERS if name in parameters
        }
        columns = {
            "address": case.address,
            "source": case.source,
            "formula_version": FORMULA_VERSION,
            "problem": json.dumps(parameters, sort_keys=True),
            **rounded,
            "tokens": parameters.get("tokens"),
            "target": parameters["target"],
            "training": parameters["training"],
            "task": case.problem.task,
            "d": case.d,
            "n": case.problem.samples(case.d),
            "seed": case.seed,
            "algorithm": case.algorithm,
            "precision": case.precision,
            "centring": case.centring,
            "tokens_law": case.tokens_law,
            **{key: float(value) for key, value in self.measured.items()},
            **{f"theory_{key}": float(value) for key, value in self.theory.items()},
            **{f"theory_error_{key}": float(value) for key, value in self.theory_error.items()},
            "others": _others(self),
            "certificate": self.certificate,
            "converged": self.converged,
            "data_hash": self.data_hash,
            "device": self.device,
            "arithmetic": self.arithmetic,
            "seconds": self.seconds,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            **{f"version_{name}": version for name, version in package_versions().items()},
        }
        return {name: columns.get(name) for name in SCHEMA.names}


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
        StoreError
            If the file cannot be written.
        """
        _write(pa.Table.from_pylist([row.columns()], schema=SCHEMA), self.file_of(row.case))

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
        columns = found.to_pylist()[0]
        try:
            others = _numbers(json.loads(columns["others"] or "{}"))
        except (ValueError, ArithmeticError, AttributeError) as error:
            raise StoreError(f"{path} is corrupted (others: {error}); {_REMEDY}") from error
        return Row(
            case=case,
            measured=_present(columns, "") | others.get("measured", {}),
            theory=_present(columns, "theory_") | others.get("theory", {}),
            theory_error=_present(columns, "theory_error_") | others.get("theory_error", {}),
            **{name: columns[name] for name in _RECORDED},
        )

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
        _write(self.table().sort_by("address"), Path(path))

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
        _write(table, target)
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
                    packs[path] = self._packs[path] if path in self._packs else _read(path)
            self._packs = packs
            self._packed = {
                address: (path, number)
                for path, table in packs.items()
                for number, address in enumerate(table.column("address").to_pylist())
            }

    def _read(self, path: Path) -> pa.Table:
        table = _read(path)
        if table.num_rows != 1 or table.column("address")[0].as_py() != path.stem:
            raise StoreError(f"{path} does not hold the row that its name says; {_REMEDY}")
        return table


_REMEDY = "delete it, and its runs are made again"


def _read(path: Path) -> pa.Table:
    try:
        table = pq.ParquetFile(path, page_checksum_verification=True).read()
        names = table.column_names
        if set(names) >= _NEEDED:
            _require_known(names)
            return _in_schema(table)
    except FileNotFoundError:
        raise
    except (OSError, ValueError, pa.ArrowException) as error:
        raise StoreError(f"{path} is corrupted ({error}); {_REMEDY}") from error
    raise StoreError(f"{path} holds no rows of a store; {_REMEDY}")


def _require_known(names: list[str]) -> None:
    """Refuse a column that no version has: its name, which no checksum covers, is damaged."""
    for name in names:
        if name not in SCHEMA.names and not name.startswith("version_"):
            raise ValueError(f"no version of attlas has a column {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"the column {name!r} is there twice")


def _write(table: pa.Table, target: Path) -> None:
    """Write a table under a name of its own, to the disk, and only then under the target's."""
    temporary = target.with_name(f".{target.stem}.{uuid.uuid4().hex}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as stream:
            pq.write_table(table, stream, **(_ONE_ROW if table.num_rows == 1 else _MANY_ROWS))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            raise StoreError(f"cannot write {target}: {error}") from error
        raise


def _others(row: Row) -> str | None:
    """What is measured besides the result keys, and every decimal, as JSON.

    Decimals are strings with all their digits; a result key's column holds the nearest float.
    """
    parts = {
        name: {
            key: str(value) if isinstance(value, Decimal) else value
            for key, value in getattr(row, name).items()
            if key not in OBSERVABLE_KEYS or isinstance(value, Decimal)
        }
        for name in ("measured", "theory", "theory_error")
    }
    kept = {name: part for name, part in parts.items() if part}
    return json.dumps(kept, sort_keys=True) if kept else None


def _numbers(others: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {
        name: {key: Decimal(v) if isinstance(v, str) else v for key, v in part.items()}
        for name, part in others.items()
    }


def _in_schema(table: pa.Table) -> pa.Table:
    """The table with the present columns; those that an older version lacked are null."""
    if not table.schema.equals(SCHEMA):
        columns = [
            table.column(column.name).cast(column.type)
            if column.name in table.column_names
            else pa.nulls(table.num_rows, column.type)
            for column in SCHEMA
        ]
        table = pa.Table.from_arrays(columns, schema=SCHEMA)
    for name in _NEEDED:
        if table.column(name).null_count:
            raise ValueError(f"{name} has no value")
    return table


def _present(columns: Mapping[str, Any], prefix: str) -> dict[str, float]:
    values = {key: columns[prefix + key] for key in OBSERVABLE_KEYS}
    return {key: value for key, value in values.items() if value is not None}
