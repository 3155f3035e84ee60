"""``attlas simulate``."""

from __future__ import annotations

import dataclasses
import sys
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, PreparedFlags, ProblemFlags, option
from attlas.cli.seeds import read_seeds
from attlas.model import BadInput, parameters_of
from attlas.model.exact import positive, whole

if TYPE_CHECKING:
    from attlas.verify.simulation.comparison import Paired
    from attlas.verify.simulation.result import Run, Simulation


def simulate(
    *,
    flags: ProblemFlags = ProblemFlags(),
    seeds: Annotated[str, option("number of runs, or their seeds: 30:34 or 3,7")] = "4",
    seed: Annotated[str | None, option("first seed (whole, 0 or more; default 0)", "whole")] = None,
    algorithm: Annotated[str, option("how S is trained: adam, fista, staged or amp")] = "adam",
    device: Annotated[str, option("auto, cpu or cuda")] = "auto",
    centring: Annotated[
        str, option("subtract from the scores Tr S (trace) or their average (average)")
    ] = "trace",
    token_data: Annotated[
        str | None, option("train on the tokens of a file: .npy, .npz, .safetensors, .parquet")
    ] = None,
    token_order: Annotated[
        str, option("tokens of a file: pairs (drawn at random) or windows (neighbours)")
    ] = "pairs",
    prepared: PreparedFlags = PreparedFlags(),
    adam_steps: Annotated[str | None, option("steps of Adam before L-BFGS", "whole")] = None,
    max_steps: Annotated[
        str | None, option("gradients of L-BFGS, or iterations of fista and amp, allowed", "whole")
    ] = None,
    gradient_tolerance: Annotated[
        str | None, option("relative gradient norm that certifies a run (0 to 1)", "number")
    ] = None,
    lam_path: Annotated[
        str | None, option("decreasing penalties, e.g. 1,0.1,0.01; approaches lam = 0")
    ] = None,
    initialisation: Annotated[str, option("large, small or low-rank")] = "large",
    onsager: Annotated[str, option("amp: covariance of scores, sample or mean")] = "sample",
    damping: Annotated[
        str | None, option("amp: weight of the old state (0 to 1); default adaptive", "number")
    ] = None,
    paired: Annotated[
        bool, Parameter(help="solve the theory at each run's own teacher", negative="--no-paired")
    ] = True,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the runs; exit code 1 where one has no certificate."""
    problem = flags.problem()
    if token_data is None and (prepared != PreparedFlags() or token_order != "pairs"):
        raise BadInput("token_data", None, "a file of tokens is required to prepare or order them")
    if flags.d is None and problem.target.dimension is None:
        raise BadInput("--d", None, "the token dimension of the runs is required")
    chosen = read_seeds(seeds, seed)
    options: dict[str, Any] = {}
    if adam_steps is not None:
        options["adam_steps"] = whole("--adam-steps", adam_steps, at_least=0)
    if max_steps is not None:
        options["max_steps"] = whole("--max-steps", max_steps, at_least=1)
    if gradient_tolerance is not None:
        options["gradient_tolerance"] = float(positive("--gradient-tolerance", gradient_tolerance))
    if lam_path is not None:
        options["lam_path"] = lam_path.split(",")

    from attlas.verify.simulation.progress import progress_bar
    from attlas.verify.simulation.simulate import simulate as run_simulation

    d = whole("--d", flags.d or problem.target.dimension, at_least=1)
    pool = None
    if token_data is not None:
        from attlas.verify.data.pool import TokenPool

        pool = TokenPool.of(token_data, d, order=token_order, **dataclasses.asdict(prepared))
    with progress_bar(enabled=sys.stderr.isatty()) as progress:
        simulation = run_simulation(
            problem,
            d=d,
            seeds=chosen,
            algorithm=algorithm,
            device=device,
            centring=centring,
            token_data=pool,
            initialisation=initialisation,
            onsager=onsager,
            damping=damping,
            paired=paired,
            progress=progress,
            raise_on_failure=False,
            **options,
        )
    from attlas.cli.display import tell
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.verify.simulation.comparison import sentence

    advice = " ".join(sorted({run.certificate.advice for run in simulation.runs} - {""}))
    said = sentence(simulation.paired, simulation.runs[0].d)
    if output.json:
        parts = document(
            "simulate",
            parameters_of(simulation.problem),
            result={
                **simulation.mean.present(),
                "paired": {key: dataclasses.asdict(one) for key, one in simulation.paired.items()},
                "runs": [_row(run) for run in simulation.runs],
            },
            error=simulation.spread.present(),
            status=status_of(simulation.status, f"{advice} {said} {simulation.promise}".strip()),
            stats=dataclasses.asdict(simulation.stats),
        )
        print(json_text(parts))
    else:
        _print(simulation)
        if said:
            print(said)
        print(simulation.promise, file=sys.stderr)
    tell(message_of(simulation.status, advice), ok=simulation.status.ok, as_json=output.json)
    return 0 if simulation.status.ok else 1


def _row(run: Run) -> dict[str, Any]:
    hidden = ("eigenvalues", "teacher_eigenvalues", "overlaps")
    row = {key: value for key, value in dataclasses.asdict(run).items() if key not in hidden}
    for key in ("observables", "sampling_error", "theory", "theory_error"):
        part = getattr(run, key)
        row[key] = None if part is None else part.present()
    return row | {"converged": run.converged, "deviations": run.deviations()}


def _print(simulation: Simulation) -> None:
    from attlas.cli.display import print_table

    spread = simulation.spread.present()
    theories = [run.theory.present() for run in simulation.runs if run.theory is not None]
    paired = simulation.paired
    rows = []
    for key, value in simulation.mean.present().items():
        expected = [theory[key] for theory in theories if key in theory]
        rows.append(
            (
                key,
                f"{value:.6g}",
                f"{spread[key]:.1e}" if key in spread else "",
                f"{sum(expected) / len(expected):.6g}" if expected else "",
                *_difference(paired.get(key)),
            )
        )
    columns = ("mean of runs", "error", "paired theory", "difference", "its error", "times d")
    print_table(("quantity", *columns), rows)
    print("error: standard error of the mean over runs (empty for one)")
    if theories:
        print("paired theory: mean of the theory at each run's own teacher")
        print(
            "difference: mean of (run - its theory)/theory; its error is free of the teachers' "
            "scatter; times d: the c of a correction c/d, of order one as a rule"
        )


def _difference(one: Paired | None) -> tuple[str, str, str]:
    if one is None:
        return "", "", ""
    error = f"{one.standard_error:.2%}" if isfinite(one.standard_error) else ""
    return f"{one.difference:+.2%}", error, f"{one.coefficient:+.2g}"
