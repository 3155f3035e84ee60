"""Results on disk: one small Parquet file a row, addressed by what was run."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from solver.solution import OBSERVABLE_KEYS
from verify.case import FORMULA_VERSION, Case, exact_parameters
from verify.environment import package_versions

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


#: One row needs neither dictionaries nor statistics; the checksums are what detects damage.
_FORMAT = {
    "write_page_checksum": True,
    "use_dictionary": False,
    "write_statistics": False,
    "compression": "none",
}


class StoreError(RuntimeError):
    """A store that cannot be read or written; the message names the file."""


@dataclass(frozen=True)
class Row:
    """One run beside its paired theory, or one run's theory under a control.

    Attributes
    ----------
    case : Case
    measured, theory, theory_error : mapping from result key to float
        Empty where there is none (``measured`` of a control; ``theory`` without a solution).
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
    measured: Mapping[str, float] = field(default_factory=dict)
    theory: Mapping[str, float] = field(default_factory=dict)
    theory_error: Mapping[str, float] = field(default_factory=dict)
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
            **self.measured,
            **{f"theory_{key}": value for key, value in self.theory.items()},
            **{f"theory_error_{key}": value for key, value in self.theory_error.items()},
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
    rows in flight, and two processes may share a store.

    Parameters
    ----------
    path : path
        Created on the first write.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def file_of(self, case: Case) -> Path:
        """Where the row of a case is, or would be."""
        address = case.address
        return self.path / "rows" / address[:2] / f"{address}.parquet"

    def has(self, case: Case) -> bool:
        """Whether the row of a case is present."""
        return self.file_of(case).is_file()

    def put(self, row: Row) -> None:
        """Write a row, replacing one of the same address.

        Raises
        ------
        StoreError
            If the file cannot be written.
        """
        target = self.file_of(row.case)
        temporary = target.with_name(f".{target.stem}.{os.getpid()}.part")
        table = pa.Table.from_pylist([row.columns()], schema=SCHEMA)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as stream:
                pq.write_table(table, stream, **_FORMAT)
            os.replace(temporary, target)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise StoreError(f"cannot write {target}: {error}") from error

    def get(self, case: Case) -> Row | None:
        """The row of a case, or None if it has not been run.

        Raises
        ------
        StoreError
            If its file is corrupted; the message names it.
        """
        path = self.file_of(case)
        if not path.is_file():
            return None
        columns = self._read(path).to_pylist()[0]
        others = json.loads(columns["others"] or "{}")
        return Row(
            case=case,
            measured=_present(columns, "") | others.get("measured", {}),
            theory=_present(columns, "theory_") | others.get("theory", {}),
            theory_error=_present(columns, "theory_error_") | others.get("theory_error", {}),
            **{name: columns[name] for name in _RECORDED},
        )

    def table(self) -> pa.Table:
        """All rows as one table.

        Raises
        ------
        StoreError
            If any file is corrupted; the message names it.
        """
        tables = [self._read(path) for path in self._files()]
        return pa.concat_tables(tables) if tables else SCHEMA.empty_table()

    def export(self, path: str | Path) -> None:
        """Write all rows into one Parquet file, sorted so that equal stores give equal tables."""
        target = Path(path)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        pq.write_table(self.table().sort_by("address"), temporary, write_page_checksum=True)
        os.replace(temporary, target)

    def _files(self) -> Iterator[Path]:
        yield from sorted(self.path.glob("rows/*/*.parquet"))

    def _read(self, path: Path) -> pa.Table:
        remedy = "delete it, and the run is made again"
        try:
            table = pq.ParquetFile(path, page_checksum_verification=True).read()
        except (OSError, pa.ArrowException) as error:
            raise StoreError(f"{path} is corrupted ({error}); {remedy}") from error
        if table.num_rows != 1 or table.column("address")[0].as_py() != path.stem:
            raise StoreError(f"{path} does not hold the row that its name says; {remedy}")
        return _in_schema(table)


def _others(row: Row) -> str | None:
    """What an experiment of its own measures besides the result keys, as JSON."""
    parts = {
        name: {k: v for k, v in getattr(row, name).items() if k not in OBSERVABLE_KEYS}
        for name in ("measured", "theory", "theory_error")
    }
    kept = {name: part for name, part in parts.items() if part}
    return json.dumps(kept, sort_keys=True) if kept else None


def _in_schema(table: pa.Table) -> pa.Table:
    """The table with the present columns; those that an older version lacked are null."""
    if table.schema.equals(SCHEMA):
        return table
    columns = [
        table.column(column.name)
        if column.name in table.column_names
        else pa.nulls(table.num_rows, column.type)
        for column in SCHEMA
    ]
    return pa.Table.from_arrays(columns, schema=SCHEMA)


def _present(columns: Mapping[str, Any], prefix: str) -> dict[str, float]:
    values = {key: columns[prefix + key] for key in OBSERVABLE_KEYS}
    return {key: value for key, value in values.items() if value is not None}
