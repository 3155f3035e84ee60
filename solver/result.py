"""What every answer can do: be asked by key, become a row of a table, show itself in a notebook."""

from __future__ import annotations

import difflib
import html
import importlib
import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.drawing import drawing
from attlas.model.parameters import parameters_of
from attlas.model.result_key import Key, key_fields

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.figure import Figure

#: Keys that are one line of a table where they are equal: there is no noise.
_TWINS = ("test_error", "test_error_clean")
#: Rows that a notebook shows.
_ROWS = 20


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a DataFrame.

    Raises
    ------
    ImportError
        Without pandas, which attlas does not bring.
    """
    if importlib.util.find_spec("pandas") is None:
        raise ImportError("to_pandas needs pandas, which attlas does not bring: install pandas")
    return importlib.import_module("pandas").DataFrame(rows)


class Answer(ABC):
    """What the results of all verbs have in common: keys, rows of a table, a picture."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, by key."""

    def rows(self) -> list[dict[str, Any]]:
        """The rows of its table; one, where it has no more."""
        return [self.to_dict()]

    def _present(self) -> dict[str, Any]:
        """What can be asked for by key."""
        return self.to_dict()

    def keys(self) -> tuple[str, ...]:
        """The keys that hold a value."""
        return tuple(self._present())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __getitem__(self, key: str) -> Any:
        values = self._present()
        if key not in values:
            near = difflib.get_close_matches(str(key), values, n=1)
            meant = f"did you mean {near[0]}? " if near else ""
            raise KeyError(f"{key!r} is no key of this result; {meant}It has {', '.join(values)}.")
        return values[key]

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of pyarrow; ``pyarrow.concat_tables`` joins several."""
        import pyarrow

        return pyarrow.Table.from_pylist(self.rows())

    def to_pandas(self) -> Any:
        """The rows as a DataFrame of pandas; ``pandas.concat`` joins several.

        Raises
        ------
        ImportError
            Without pandas, which attlas does not bring.
        """
        return frame(self.rows())

    def plot(self, path: str | Path | None = None, **options: Any) -> Figure:
        """The picture of this result.

        Parameters
        ----------
        path : str or Path, optional
            Also write it there; ends in .svg or .png.

        Returns
        -------
        matplotlib.figure.Figure

        Raises
        ------
        TypeError
            For a result that has none.
        """
        return drawing(self, path=path, **options)

    def _repr_html_(self) -> str:
        """For a notebook: the rows, lists by their length."""
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[_shown(row.get(name, "")) for name in names] for row in rows[:_ROWS]]
        status = getattr(getattr(self, "status", None), "value", "")
        more = f"{len(rows) - _ROWS} more rows; to_pandas() has all" if len(rows) > _ROWS else ""
        return table_html(names, cells) + "".join(
            f"<p>{html.escape(text)}</p>" for text in (more, status) if text
        )


class Result(Answer):
    """One value and one error bar by key.

    A result has ``problem``, ``status`` and ``error``, which holds an error bar for each number.
    Its values are asked for as attributes or by key, ``result["mse"]``; iterating gives the keys.
    """

    def _values(self) -> Any:
        """What holds the keys."""
        return self

    def _present(self) -> dict[str, Any]:
        return _of(self._values())

    def to_dict(self) -> dict[str, Any]:
        """A row as :func:`attlas.sweep` has them: parameters, values, error bars, status.

        Numbers among the parameters are floats; the error bar of ``KEY`` is ``error_KEY``.
        """
        problem = getattr(self, "problem", None)
        row = {} if problem is None else {k: _number(v) for k, v in parameters_of(problem).items()}
        row |= self._present()
        row |= {f"error_{key}": value for key, value in _of(getattr(self, "error", None)).items()}
        return row | {"status": self.status.name.lower()}  # pyright: ignore

    def table(self, keys: Sequence[str] | None = None) -> list[tuple[str, str, str, str]]:
        """Lines of the numbers: group, key, value, error bar.

        Keys of one group follow each other; test errors with and without noise are one line where
        they are equal. With ``keys``, of those alone.
        """
        values, errors = self._present(), _of(getattr(self, "error", None))
        values = {key: one for key, one in values.items() if keys is None or key in keys}
        groups = {field.name: field.key.group for field in key_fields(type(self._values()))}
        order = list(dict.fromkeys(groups.get(key, "") for key in values))
        lines: list[tuple[str, str, str, str]] = []
        for key in sorted(values, key=lambda key: order.index(groups.get(key, ""))):
            label = key
            if set(_TWINS) <= set(values) and values[_TWINS[0]] == values[_TWINS[1]]:
                if key == _TWINS[1]:
                    continue
                label = ", ".join(_TWINS) if key == _TWINS[0] else key
            lines.append((groups.get(key, ""), label, _shown(values[key]), _bar(errors.get(key))))
        return lines

    def _repr_html_(self) -> str:
        """For a notebook: symbol, key, meaning and value ± error, by group."""
        fields = {field.name: field.key for field in key_fields(type(self._values()))}
        rows: list[str] = []
        above = ""
        for group, label, value, bar in self.table():
            if group != above:
                rows.append(f'<tr><th colspan="4" style="text-align:left">{group}</th></tr>')
                above = group
            key = label.partition(",")[0]
            symbol, meaning = _told(key, fields.get(key))
            shown = f"{value} ± {bar}" if bar else value
            cells = "".join(
                f'<td style="text-align:left">{html.escape(cell)}</td>'
                for cell in (symbol, label, meaning, shown)
            )
            rows.append(f"<tr>{cells}</tr>")
        head = "".join(f"<th>{name}</th>" for name in ("", "key", "meaning", "value ± error"))
        status: Any = self.status  # pyright: ignore
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
            f"<p>{html.escape(str(status.value))}</p>"
        )


def _of(part: Any) -> dict[str, Any]:
    """The keys of a part that hold a value, as plain data."""
    if part is None:
        return {}
    if hasattr(part, "present"):
        return part.present()
    pairs = ((field.name, getattr(part, field.name)) for field in key_fields(type(part)))
    return {name: value for name, value in pairs if value is not None}


def table_html(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _told(name: str, key: Key | None) -> tuple[str, str]:
    """Symbol and meaning of a key: its own, the notation's, or another result's."""
    if key is not None and key.meaning:
        return "", key.meaning
    from attlas.symbolic.notation import notations

    for entry in notations():
        if entry.key == name:
            return entry.text, entry.meaning
    others = (field for cls in _all(Result) for field in key_fields(cls) if field.name == name)
    return "", next((field.key.meaning for field in others if field.key.meaning), "")


def _all(cls: type) -> Iterator[type]:
    for one in cls.__subclasses__():
        yield one
        yield from _all(one)


def _number(value: str | int) -> Any:
    """A flat parameter as sweeps write it: exact text that is a number, as a float."""
    from fractions import Fraction

    try:
        return value if isinstance(value, int) else float(Fraction(value))
    except ValueError:
        return value


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, list | tuple | dict):
        return f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
    return str(value)


def _bar(value: Any) -> str:
    return f"{value:.1e}" if isinstance(value, float | int) else ""
