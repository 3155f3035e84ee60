"""The commands that a report prints: the one that made it, and those that reproduce a point."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attlas.model import PARAMETERS, Problem, parameters_of
from attlas.model.parameters import files_of
from attlas.model.registry import plugin_files
from attlas.verify.claims import Claim
from attlas.verify.suite.result import PointResult, SuiteResult
from attlas.verify.suite.suites import suite as named

_DEFAULTS = {parameter.name: parameter.default for parameter in PARAMETERS}


def flags(problem: Problem) -> str:
    """A problem as command-line flags, leaving out those at their defaults."""
    parameters = parameters_of(problem)
    if "kappa0" in parameters:
        parameters.pop("target")
    given = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in parameters.items()
        if str(value) != _DEFAULTS.get(name)
    ]
    return " ".join([*map(shlex.quote, _plugins(files_of(problem))), *given])


def _plugins(files: Iterable[Path]) -> list[str]:
    """Their flags, with paths from the folder that the command is given in where they lie there."""
    here = Path.cwd()
    shown = [file.relative_to(here) if file.is_relative_to(here) else file for file in files]
    return [word for file in shown for word in ("--plugin", str(file))]


def solve_command(problem: Problem) -> str:
    """The command that prints the theory of a problem."""
    return f"attlas solve {flags(problem)}"


def simulate_commands(result: PointResult) -> list[str]:
    """Commands that repeat the runs of a point: one for each dimension."""
    problem = flags(result.point.problem)
    return [
        f"attlas simulate {problem} --d {d} --seeds {seeds_text(seeds)}"
        for d, seeds in result.seeds().items()
    ]


def command(verb: str, flags: Mapping[str, Any]) -> str:
    """A command as text for a shell.

    Parameters
    ----------
    verb : str
    flags : mapping from name to value
        In Python's spelling, ``time_budget``; several values repeat the flag, None and an empty
        value leave it out, True and False are a switch.
    """
    words = ["attlas", *shlex.split(verb), *_plugins(plugin_files())]
    for name, given in flags.items():
        flag = name.replace("_", "-")
        if isinstance(given, bool):
            words.append(f"--{flag}" if given else f"--no-{flag}")
            continue
        for one in given if isinstance(given, list | tuple) else (given,):
            if one not in (None, ""):
                words += [f"--{flag}", str(one)]
    return shlex.join(words)


def suite_command(result: SuiteResult) -> str:
    """The command that made a suite's result, or makes one that was made in Python."""
    if result.command:
        return result.command
    ran = [claim.claim.id for claim in result.claims]
    whole = ran == [claim.id for claim in named(result.suite).claims()]
    flags = {
        "suite": result.suite,
        "claim": [] if whole else ran,
        "seed": result.seed or None,
        "store": result.store,
    }
    return command("report", flags)


def claim_command(claim: Claim, suite: SuiteResult) -> str:
    """The command that runs and judges one claim of a suite."""
    if not suite.store:  # its runs are not attlas's
        return suite_command(suite)
    flags = {"suite": suite.suite, "claim_file": claim.file, "claim": claim.id, "seed": suite.seed}
    return command("verify", flags)


def point_commands(suite: SuiteResult, claim: Claim, point: PointResult) -> list[str]:
    """The commands that reproduce a point: its theory, and its runs.

    Runs of an experiment of its own, which train the same data in several ways, are repeated by
    running their claim.
    """
    theory = solve_command(point.point.problem)
    if not suite.store:
        return [theory]
    if claim.experiment:
        return [theory, claim_command(claim, suite)]
    return [theory, *simulate_commands(point)]


def seeds_text(seeds: tuple[int, ...]) -> str:
    """Seeds as ``first:stop`` where they are consecutive, otherwise with commas."""
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 1 and seeds == tuple(range(first, last + 1)):
        return f"{first}:{last + 1}"
    return ",".join(str(seed) for seed in seeds) if len(seeds) > 1 else f"{first}:{first + 1}"
