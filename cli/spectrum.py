"""``attlas spectrum``."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from attlas.cli.flags import OutputFlags, ProblemFlags, option
from attlas.cli.problems import problems_along
from attlas.cli.seeds import read_seeds
from attlas.model import BadInput, Problem, parameters_of
from attlas.model.exact import positive, whole

if TYPE_CHECKING:
    from attlas.solver.learned_spectrum import Spectrum
    from attlas.verify.simulation.result import Simulation
    from attlas.verify.spectra import Comparison

Row = tuple[str, str, str, str]

#: Most bands, and most outliers, in the printed table.
_PRINTED = 24


def spectrum(
    *,
    flags: ProblemFlags = ProblemFlags(),
    simulate: Annotated[
        bool, Parameter(help="train heads, and compare their spectra", negative="")
    ] = False,
    seeds: Annotated[str, option("trained heads: their number, 30:34 or 3,7")] = "4",
    algorithm: Annotated[
        str | None, option("how S is trained; by default the quickest, see attlas simulate")
    ] = None,
    device: Annotated[str, option("auto, cpu or cuda")] = "auto",
    plot: Annotated[str | None, option("picture to write, .svg or .png")] = None,
    weights: Annotated[
        str | None, option("describe a trained model: .safetensors, .pt, .npz, .npy")
    ] = None,
    heads: Annotated[str | None, option("heads of that model's attention", "whole")] = None,
    fused: Annotated[
        str | None, option("rows of query, key and value stacked in one matrix: 768,256,256")
    ] = None,
    rtol: Annotated[str | None, option("relative tolerance (greater than 0)", "number")] = None,
    output: OutputFlags = OutputFlags(),
) -> int:
    """Print the spectrum, or one row for each of several alpha or lam.

    Exit code 1 where a solve or a run did not converge.
    """
    if weights is not None:
        from attlas.cli.spectrum_of_weights import describe

        return describe(weights, heads, fused, flags, simulate, plot, output)
    if fused is not None:
        raise BadInput("--fused", fused, "has no meaning without --weights", "leave it out")
    if heads is not None:
        raise BadInput("--heads", heads, "has no meaning without --weights", "leave it out")
    axis, problems = problems_along(flags, ("alpha", "lam"))
    problem = problems[0]
    d = flags.d or problem.target.dimension
    if simulate and d is None:
        raise BadInput("--d", None, "the token dimension of the trained heads is required")
    chosen = read_seeds(seeds, None)
    picture = _picture(plot)
    if axis is not None:
        from attlas.cli.spectrum_along import print_along

        train = None
        if simulate:
            from attlas.verify.simulation.progress import progress_lines
            from attlas.verify.spectra.along import trainer

            width = whole("--d", d, at_least=1)
            train = trainer(width, chosen, algorithm, device, progress_lines())
        return print_along(axis, problems, train, picture, output)
    options: dict[str, Any] = {}
    if rtol is not None:
        options["rtol"] = float(positive("--rtol", rtol))

    from attlas.cli.display import tell, tell_file
    from attlas.cli.envelope import document, json_text, message_of, status_of
    from attlas.solver.learned_spectrum import spectrum as predict

    found = predict(problem, raise_on_failure=False, **options)
    runs: Simulation | None = None
    comparisons: tuple[Comparison, ...] = ()
    if simulate and found.status.ok:
        runs = _train(problem, whole("--d", d, at_least=1), chosen, algorithm, device)
        comparisons = _compare(runs)
    if picture is not None and found.status.ok:
        found.plot(picture, runs=() if runs is None else runs.runs)
    ok = found.status.ok and (runs is None or runs.status.ok)
    advice = _advice(found, runs)
    if output.json:
        result = found.present()
        if runs is not None:
            result["simulation"] = _simulated(runs, comparisons)
        print(
            json_text(
                document(
                    "spectrum",
                    parameters_of(problem),
                    result=result,
                    error=found.error.present(),
                    status={**status_of(found.status, advice), "ok": ok},
                    stats=dataclasses.asdict(found.stats),
                )
            )
        )
    else:
        _print(found, comparisons)
    tell(message_of(found.status, advice), ok=ok, as_json=output.json)
    if found.status.ok:
        tell_file(picture, as_json=output.json)
    return 0 if ok else 1


def _picture(plot: str | None) -> Path | None:
    if plot is None:
        return None
    from attlas.reports.figures.sheet import require_picture

    return require_picture("--plot", plot)


def _train(
    problem: Problem, d: int, seeds: Sequence[int], algorithm: str | None, device: str
) -> Simulation:
    from attlas.verify.simulation.progress import progress_bar, progress_lines
    from attlas.verify.spectra.heads import train_heads

    terminal = sys.stderr.isatty()
    with progress_bar(enabled=terminal) as progress:
        return train_heads(
            problem, d, seeds, algorithm, device, progress if terminal else progress_lines()
        )


def _compare(runs: Simulation) -> tuple[Comparison, ...]:
    from attlas.verify.data.randomness import generator
    from attlas.verify.spectra import compare, heads_of

    heads = heads_of(runs)
    return compare(heads, generator(runs.runs[0].seed, "predicted-law")) if heads else ()


def _advice(found: Spectrum, runs: Simulation | None) -> str:
    parts = [found.solution.advice]
    parts += [
        f"Spike {one.target:g} leaves no outlier, because {one.reason}; "
        f"one above {one.needs:.6g} would."
        for one in found.undetected or ()
    ]
    if runs is not None and not runs.status.ok:
        parts.append(runs.status.value)
    return " ".join(part for part in parts if part)


def _simulated(runs: Simulation, comparisons: tuple[Comparison, ...]) -> dict[str, Any]:
    return {
        "d": runs.runs[0].d,
        "status": runs.status.name.lower(),
        "runs": [
            {
                "seed": run.seed,
                "eigenvalues": list(run.eigenvalues),
                "teacher_eigenvalues": list(run.teacher_eigenvalues),
                "rank_fraction": run.observables.rank_fraction,
                "converged": run.converged,
                "data_hash": run.data_hash,
            }
            for run in runs.runs
        ],
        "comparison": [dataclasses.asdict(one) for one in comparisons],
    }


def _first(rows: list[Row], what: str) -> list[Row]:
    """The first rows, and a word on the others."""
    left = len(rows) - _PRINTED
    if left <= 0:
        return rows
    return [*rows[:_PRINTED], ("...", f"{left} more {what}: --json", "", "")]


def _print(found: Spectrum, comparisons: tuple[Comparison, ...]) -> None:
    from attlas.cli.display import print_result, print_table

    if not found.status.ok:
        return
    keys = ("mass_at_zero", "rank_fraction", "eta", "delta", "epsilon")
    print_result(found, keys)
    bands = [
        ("band", f"{band.lower:.6g} .. {band.upper:.6g}", f"{band.mass:.6g}", "")
        for band in found.bands
    ]
    outliers = [
        ("outlier", f"{one.location:.6g}", f"{one.multiplicity}", f"{one.overlap:.6g}")
        for one in found.outliers
    ]
    rows = [*_first(bands, "bands"), *_first(outliers, "outliers")]
    if rows:
        print_table(("of S", "where", "mass or number", "overlap"), rows)
    if comparisons:
        from attlas.verify.spectra import NAMES

        print_table(
            ("trained heads", "mean", "predicted law at this d", "p"),
            [
                (
                    NAMES[one.statistic],
                    f"{one.runs:.6g}",
                    f"{one.predicted:.6g} +- {one.spread:.1e}",
                    f"{one.p:.2g}",
                )
                for one in comparisons
            ],
        )
        print(
            "predicted law: mean of as many draws +- its standard deviation; p: chance of such a "
            "mean for draws.\nThe eta, delta and epsilon of a run are off by a multiple of 1/d, "
            "those of draws are not."
        )
