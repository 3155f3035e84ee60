"""The commands that reproduce a point of a report."""

from __future__ import annotations

from attlas.model import PARAMETERS, Problem, parameters_of
from attlas.verify.claims import Claim
from attlas.verify.suite.result import PointResult, SuiteResult

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
    problem, law = flags(result.point.problem), result.point.tokens_law
    if law != "gaussian":
        problem += f" --tokens-law {law}"
    return [
        f"attlas simulate {problem} --d {d} --seeds {seeds_text(seeds)}"
        for d, seeds in result.seeds().items()
    ]


def suite_command(suite: str, seed: int) -> str:
    """The command that runs the suite and writes its report."""
    return f"attlas report --suite {suite} --seed {seed}"


def claim_command(claim: str, suite: str, seed: int) -> str:
    """The command that runs and judges one claim of a suite."""
    return f"attlas verify --suite {suite} --claim {claim} --seed {seed}"


def point_commands(suite: SuiteResult, claim: Claim, point: PointResult) -> list[str]:
    """The commands that reproduce a point: its theory, and its runs.

    Runs of an experiment of its own, which train the same data in several ways, are repeated by
    running their claim.
    """
    theory = solve_command(point.point.problem)
    if claim.experiment:
        return [theory, claim_command(claim.id, suite.suite, suite.seed)]
    return [theory, *simulate_commands(point)]


def seeds_text(seeds: tuple[int, ...]) -> str:
    """Seeds as ``first:stop`` where they are consecutive, otherwise with commas."""
    first, last = seeds[0], seeds[-1]
    if len(seeds) > 1 and seeds == tuple(range(first, last + 1)):
        return f"{first}:{last + 1}"
    return ",".join(str(seed) for seed in seeds) if len(seeds) > 1 else f"{first}:{first + 1}"
