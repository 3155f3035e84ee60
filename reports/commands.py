"""The commands that reproduce a point of a report."""

from __future__ import annotations

from model import PARAMETERS, Problem, parameters_of
from verify.result import PointResult

_DEFAULTS = {parameter.name: parameter.default for parameter in PARAMETERS}


def flags(problem: Problem) -> str:
    """A problem as command-line flags, leaving out those at their defaults."""
    parameters = parameters_of(problem)
    if "kappa0" in parameters:
        parameters.pop("target")
    return " ".join(
        f"--{name} {value}"
        for name, value in parameters.items()
        if str(value) != _DEFAULTS.get(name)
    )


def solve_command(problem: Problem) -> str:
    """The command that prints the theory of a problem."""
    return f"attlas solve {flags(problem)}"


def simulate_commands(result: PointResult) -> list[str]:
    """Commands that repeat the runs of a point: one for each dimension."""
    problem = flags(result.point.problem)
    return [
        f"attlas simulate {problem} --d {d} --seeds {stop - first} --seed {first}"
        for d, seeds in result.seeds().items()
        for first, stop in _runs_of(seeds)
    ]


def suite_command(suite: str, seed: int) -> str:
    """The command that runs the suite and writes its report."""
    return f"attlas report --suite {suite} --seed {seed}"


def _runs_of(seeds: tuple[int, ...]) -> list[tuple[int, int]]:
    """Ascending seeds as ranges of consecutive ones, (first, stop)."""
    ranges: list[tuple[int, int]] = []
    for seed in seeds:
        if ranges and ranges[-1][1] == seed:
            ranges[-1] = (ranges[-1][0], seed + 1)
        else:
            ranges.append((seed, seed + 1))
    return ranges
