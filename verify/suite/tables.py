"""Runs made elsewhere: a table of theirs, read in the names and conventions of attlas."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from attlas.model import PARAMETERS, BadInput
from attlas.model.exact import exact, whole
from attlas.model.parameters import PARAMETER_NAMES
from attlas.verify.claims.quantities import QUANTITIES

#: Columns besides parameters and result keys.
_ABOUT = ("seed", "converged")
_KNOWN = (*PARAMETER_NAMES, *QUANTITIES, *_ABOUT)
_NUMBERS = {one.name for one in PARAMETERS if one.kind != "text"}
#: A factor of a mapped column: ``theirs*alpha/2``.
_PRODUCT = re.compile(r"([*/])")


@dataclass(frozen=True)
class TableRow:
    """One run.

    Attributes
    ----------
    number : int
        Its row in the table, the first being 1.
    parameters : dict from str to object
        As :func:`attlas.model.problem_from` takes them.
    d, seed : int
    measured : dict from result key to float
    converged : bool
    """

    number: int
    parameters: dict[str, Any]
    d: int
    seed: int | None
    measured: dict[str, float]
    converged: bool


def columns_of(table: Any) -> dict[str, list[Any]]:
    """The columns of a table.

    Parameters
    ----------
    table : path, pyarrow.Table, pandas.DataFrame, mapping of columns, or iterable of mappings
        A path ends in .csv or .parquet.

    Raises
    ------
    BadInput
        If it cannot be read, or holds no rows.
    """
    shown = str(table) if isinstance(table, str | Path) else "the table given"
    if isinstance(table, str | Path):
        columns = _file(Path(table))
    elif hasattr(table, "to_pydict"):
        columns = table.to_pydict()
    elif hasattr(table, "to_dict") and hasattr(table, "columns"):
        columns = table.to_dict(orient="list")
    elif isinstance(table, Mapping):
        columns = {name: list(values) for name, values in table.items()}
    elif isinstance(table, Iterable):
        rows = list(table)
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: [row.get(name) for row in rows] for name in names}
    else:
        raise BadInput("table", table, "must be a file or a table of runs")
    lengths = {len(values) for values in columns.values()}
    if lengths <= {0}:
        raise BadInput("table", shown, "holds no rows", "one row a run is needed")
    if len(lengths) > 1:
        raise BadInput("table", shown, "must have columns of one length")
    return {str(name).strip(): values for name, values in columns.items()}


def _file(path: Path) -> dict[str, list[Any]]:
    import pyarrow as pa
    from pyarrow import csv, parquet

    readers = {".csv": csv.read_csv, ".parquet": parquet.read_table}
    if path.suffix not in readers:
        raise BadInput("table", str(path), "must end in .csv or .parquet")
    if not path.is_file():
        raise BadInput("table", str(path), "must name a readable file")
    if path.stat().st_size == 0:
        raise BadInput("table", str(path), "is an empty file", "one row a run is needed")
    try:
        return readers[path.suffix](str(path)).to_pydict()
    except (pa.ArrowException, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:200].rstrip(".")
        raise BadInput("table", str(path), f"must be a whole {path.suffix} file", said) from None


def rows_of(
    columns: Mapping[str, list[Any]],
    renamed: Mapping[str, str],
    ignored: Iterable[str],
    constants: Mapping[str, Any],
) -> list[TableRow]:
    """The runs of a table.

    Parameters
    ----------
    columns : mapping from name to values
    renamed : mapping from str to str
        Names of attlas to theirs, or the other way round; theirs may carry factors,
        ``"mean_loss*alpha"``: numbers or columns of attlas.
    ignored : iterable of str
        Columns that say nothing.
    constants : mapping from str to object
        Parameters that are the same for all rows.

    Raises
    ------
    BadInput
        For an unknown column, a missing one, or a cell that is no number where one belongs.
    """
    sources = _sources(columns, renamed, set(ignored))
    for name in constants:
        if name in sources:
            raise BadInput(name, constants[name], f"is a column of the table too: {sources[name]}")
    if not set(sources) & set(QUANTITIES):
        raise BadInput(
            "table",
            ", ".join(columns),
            f"needs a column of a result: {', '.join(QUANTITIES)}",
            "name yours with `map`: test_error=yours",
        )
    if "d" not in sources and "d" not in constants:
        raise BadInput("d", None, "the token dimension must be a column of the table or given")
    read = _Reader(columns, sources, constants)
    return [read.row(index) for index in range(len(next(iter(columns.values()))))]


def _sources(
    columns: Mapping[str, list[Any]], renamed: Mapping[str, str], ignored: set[str]
) -> dict[str, str]:
    """What each name of attlas is read from: a column, with factors."""
    sources: dict[str, str] = {}
    for left, right in renamed.items():
        ours, theirs = left, right
        if left not in _KNOWN or _PRODUCT.split(right)[0].strip() not in columns:
            ours, theirs = right, left
        if ours not in _KNOWN or _PRODUCT.split(theirs)[0].strip() not in columns:
            given = f"{left}={right}"
            raise BadInput(
                "map",
                given,
                "must name a column of the table and what it is in attlas",
                f"columns: {', '.join(columns)}; in attlas: {', '.join(_KNOWN)}",
            )
        sources[ours] = theirs
    mapped = {_PRODUCT.split(theirs)[0].strip() for theirs in sources.values()}
    for name in ignored - set(columns):
        raise BadInput("ignore", name, f"must be a column of the table: {', '.join(columns)}")
    for name in columns:
        if name in mapped or name in ignored or name in sources:
            continue
        if name not in _KNOWN:
            near = difflib.get_close_matches(name, _KNOWN, n=1, cutoff=0.6)
            meant = f"did you mean {near[0]}? say" if near else "say"
            raise BadInput(
                f"column {name}",
                name,
                "is no parameter and no result of attlas",
                f"{meant} `map={near[0] if near else 'OURS'}={name}` or `ignore={name}`",
            )
        sources[name] = name
    return sources


@dataclass(frozen=True)
class _Reader:
    """Cells by the names of attlas."""

    columns: Mapping[str, list[Any]]
    sources: Mapping[str, str]
    constants: Mapping[str, Any]

    def row(self, index: int) -> TableRow:
        parameters = {
            name: self._parameter(name, index) for name in PARAMETER_NAMES if self._has(name)
        }
        d = whole("d", parameters.pop("d"), at_least=1)
        if "n" in parameters:
            parameters |= {"n": whole("n", parameters["n"], at_least=1), "d": d}
        return TableRow(
            number=index + 1,
            parameters=parameters,
            d=d,
            seed=whole("seed", self._exact("seed", index), at_least=0)
            if "seed" in self.sources
            else None,
            measured={key: self._result(key, index) for key in QUANTITIES if key in self.sources},
            converged=self._converged(index),
        )

    def _has(self, name: str) -> bool:
        return name in self.sources or name in self.constants

    def _parameter(self, name: str, index: int) -> Any:
        if name not in self.sources:
            return self.constants[name]
        if name in _NUMBERS:
            return self._exact(name, index)
        return str(self._cell(self.sources[name], name, index))

    def _exact(self, name: str, index: int) -> Fraction:
        """A number as it was written, times what the mapping multiplies it with."""
        if name not in self.sources:
            return exact(name, self.constants[name])
        column, *factors = (part.strip() for part in _PRODUCT.split(self.sources[name]))
        value = self._number(column, name, index)
        for sign, factor in zip(factors[::2], factors[1::2], strict=False):
            by = self._factor(factor, name, index)
            if sign == "/" and by == 0:
                raise BadInput("map", self.sources[name], f"divides by 0 in row {index + 1}")
            value = value * by if sign == "*" else value / by
        return value

    def _factor(self, text: str, name: str, index: int) -> Fraction:
        if text in PARAMETER_NAMES and text != name and self._has(text):
            return self._exact(text, index)
        if text == "alpha" and self._has("n"):
            return self._exact("n", index) / self._exact("d", index) ** 2
        if text == "n" and self._has("alpha"):
            return self._exact("alpha", index) * self._exact("d", index) ** 2
        try:
            return exact("map", text)
        except BadInput:
            raise BadInput(
                "map",
                f"{name}={self.sources[name]}",
                "may multiply by numbers and by parameters that are columns or given",
            ) from None

    def _result(self, key: str, index: int) -> float:
        return float(self._exact(key, index))

    def _number(self, column: str, name: str, index: int) -> Fraction:
        cell = self._cell(column, name, index)
        try:
            if isinstance(cell, float) and not math.isfinite(cell):
                raise ValueError
            return exact(name, cell)
        except (BadInput, ValueError):
            raise self._wrong(column, index, cell, "a finite number belongs there") from None

    def _cell(self, column: str, name: str, index: int) -> Any:
        cell = self.columns[column][index]
        if cell is None or cell == "":
            raise self._wrong(column, index, "", f"{name} is missing")
        return cell

    def _converged(self, index: int) -> bool:
        if "converged" not in self.sources:
            return True
        column = self.sources["converged"]
        cell = self._cell(column, "converged", index)
        if cell not in (True, False):
            raise self._wrong(column, index, cell, "true or false belongs there")
        return bool(cell)

    @staticmethod
    def _wrong(column: str, index: int, cell: Any, said: str) -> BadInput:
        return BadInput(f"column {column}, row {index + 1}", cell, said)
