"""Flags that several verbs share, each declared once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from cyclopts import Parameter

from attlas.model import PARAMETERS, BadInput, Problem, WidthLimited, problem_from
from attlas.model.axis import axis_values
from attlas.model.exact import whole
from attlas.model.parameters import PARAMETER_NAMES

_WIDTH_LIMITED = WidthLimited.name
#: Worker processes of one command: each of them takes some 300 MB.
_MOST_PROCESSES = 256

_SWEPT = {p.name for p in PARAMETERS if p.kind == "number" or p.name in ("n", "tokens")}
_PARAMETERS = {parameter.name: parameter for parameter in PARAMETERS}


def option(meaning: str, kind: str = "text", group: str = "Parameters") -> Parameter:
    """An option with a value: what it means, and what its value is (text, number or whole)."""
    return Parameter(help=meaning, metavar=kind.upper(), group=group)


def read_processes(flag: str, text: str | None) -> int | None:
    """A number of worker processes, where one is given.

    Raises
    ------
    BadInput
    """
    return None if text is None else whole(flag, text, at_least=1, at_most=_MOST_PROCESSES)


def _flag(name: str) -> Parameter:
    parameter = _PARAMETERS[name]
    default = f"; default {parameter.default}" if parameter.default else ""
    meaning = f"{parameter.meaning} ({parameter.valid}{default})"
    return option(meaning, parameter.kind, group="Problem")


#: A field for every parameter of a problem, as the model lists them.
_Listed: Any = dataclasses.make_dataclass(
    "_Listed",
    [(name, Annotated[str | None, _flag(name)], None) for name in PARAMETER_NAMES],
    frozen=True,
    kw_only=True,
)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProblemFlags(_Listed):
    """The problem. Values stay text: the model reads them exactly and says what is wrong."""

    width_limited: Annotated[
        bool,
        Parameter(
            help="solve the truncated problem where kappa is below the rank: short for "
            "--training width-limited",
            negative="",
            group="Problem",
        ),
    ] = False

    def given(self) -> dict[str, str]:
        """The parameters that were given, by name, as text.

        Raises
        ------
        BadInput
            For --width-limited beside another --training.
        """
        parameters = dataclasses.asdict(self)
        if parameters.pop("width_limited"):
            if self.training not in (None, _WIDTH_LIMITED, "factorised"):
                raise BadInput(
                    "--training",
                    self.training,
                    "must be factorised or left out with --width-limited",
                )
            parameters["training"] = _WIDTH_LIMITED
        return {name: text for name, text in parameters.items() if text is not None}

    def axes(self) -> dict[str, list[Fraction]]:
        """The parameters that were given several values: lists, and ranges."""
        return {
            name: axis_values(f"--{name}", text)
            for name, text in self.given().items()
            if name in _SWEPT and ("," in text or ":" in text)
        }

    def problem(self) -> Problem:
        """The one problem that the flags describe."""
        given = self.given()
        for name, text in given.items():
            numeric = _PARAMETERS[name].kind != "text"
            if numeric and ("," in text or ":" in text):
                raise BadInput(f"--{name}", text, "must be one value", "attlas sweep takes several")
        return problem_from(**given)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class OutputFlags:
    """How the result is printed."""

    json: Annotated[
        bool, Parameter(help="print one JSON document on standard output", negative="")
    ] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PreparedFlags:
    """How tokens of a file are prepared."""

    normalise: Annotated[
        str, option("length of tokens: rms, layer (less their own mean first) or none")
    ] = "rms"
    reduce: Annotated[
        str, option("dimensions that are kept: coordinates (the first), principal or random")
    ] = "coordinates"
