"""The problems of a command that takes a list or range for one of its parameters."""

from __future__ import annotations

from collections.abc import Sequence

from attlas.cli.flags import ProblemFlags
from attlas.model import BadInput, Problem, problem_from
from attlas.model.axis import axis_values


def problems_along(flags: ProblemFlags, names: Sequence[str]) -> tuple[str | None, list[Problem]]:
    """The parameter that has several values, or None, and the problems in increasing order of it.

    Parameters
    ----------
    flags : ProblemFlags
    names : sequence of str
        Parameters that may have several values, as ``0.1,0.5``, ``0.1:1:10`` or
        ``0.01:1:5:log``; only one of them at a time.

    Raises
    ------
    BadInput
    """
    given = flags.given()
    several = [
        name for name in names if name in given and ("," in given[name] or ":" in given[name])
    ]
    if not several:
        return None, [problem_from(**given)]
    if len(several) > 1:
        name = several[1]
        raise BadInput(
            f"--{name}", given[name], "must be one value", f"--{several[0]} already has several"
        )
    (name,) = several
    values = sorted(set(axis_values(f"--{name}", given[name])))
    return name, [problem_from(**{**given, name: value}) for value in values]
