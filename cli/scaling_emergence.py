"""``attlas scaling --emergence``: modes of a power law, one after another."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attlas.model.errors import required
from attlas.model.files import write_whole
from attlas.model.targets import Target

if TYPE_CHECKING:
    from attlas.solver.emergence import Curve
    from attlas.verify.simulation.emergence import TrainedModes

#: Every so manieth point of the curve is trained.
_EVERY = 4

_MODES_LEGEND = (
    "detaches: the n at which a gap of the spectrum opens below the mode; half: at which half of\n"
    "its direction is learned; sharpness: slope of that share there, in log n; predicted: the\n"
    "same to leading order, where label noise dominates or is 0; in between (noise well below 1)\n"
    "it can be far off. Empty: no such n within a factor 4096 of the prediction."
)
_HEADS_LEGEND = (
    "±: standard error over the trained heads (nan for one); theory: at the target's own\n"
    "eigenvalues; ratio: of the two."
)


def print_emergence(
    target: Target,
    noise: float,
    *,
    tokens: int,
    modes: int,
    n: Sequence[float] | None,
    lam: float | None,
    seeds: Sequence[int],
    out: Path | None,
    as_json: bool,
) -> int:
    """Follow the modes, train heads beside them, and print or draw both."""
    from attlas.cli.display import counting, print_table, tell_file
    from attlas.cli.envelope import document, json_text, status_of
    from attlas.solver.emergence import learning_curve
    from attlas.solver.status import Status

    if seeds:
        required("torch")
    with counting("modes") as progress:
        curve = learning_curve(
            target, noise, modes=modes, n=n, lam=lam, tokens=tokens, progress=progress
        )
    trained = _trained(curve, seeds)
    text = json_text(
        document(
            "scaling",
            {"target": target.grammar(), "noise": str(noise), "tokens": tokens},
            result=_result(curve, trained),
            error={},
            status=status_of(Status.CONVERGED),
            stats=dataclasses.asdict(curve.stats),
        )
    )
    if out is not None and out.suffix.lower() == ".json":
        write_whole(out, text + "\n")
    elif out is not None:
        curve.plot(out, trained=trained)
    tell_file(out, as_json=as_json)
    if as_json:
        print(text)
        return 0
    pairs = ("detaches", "half", "sharpness")
    print_table(
        ("mode", "eigenvalue", *(name for key in pairs for name in (key, "predicted"))),
        [
            [
                str(mode.mode),
                f"{mode.strength:.4g}",
                *(
                    cell
                    for key in pairs
                    for cell in (
                        _cell(getattr(mode, key)),
                        f"{getattr(mode, f'predicted_{key}'):.4g}",
                    )
                ),
            ]
            for mode in curve.modes
        ],
    )
    print(_MODES_LEGEND)
    if trained:
        print_table(("heads: n", "n/d", "squared error", "theory", "ratio"), _rows(curve, trained))
        print(_HEADS_LEGEND)
    return 0


def _trained(curve: Curve, seeds: Sequence[int]) -> tuple[TrainedModes, ...]:
    if not seeds:
        return ()
    from attlas.cli.display import counting
    from attlas.verify.simulation.emergence import trained_modes

    samples = [point.n for point in curve.points[:: _EVERY if len(curve.points) > _EVERY else 1]]
    with counting("heads") as progress:
        return trained_modes(
            curve.target,
            samples,
            curve.noise,
            seeds=seeds,
            lam=curve.lam,
            tokens=curve.tokens,
            progress=progress,
        )


def _result(curve: Curve, trained: Sequence[TrainedModes]) -> dict[str, Any]:
    count = len(curve.modes)
    return {
        **curve.to_dict(),
        "heads": [
            {
                "n": heads.n,
                "lam": heads.lam,
                "mse": heads.error.sum(axis=1).tolist(),
                "captured": heads.captured[:, :count].tolist(),
            }
            for heads in trained
        ],
    }


def _rows(curve: Curve, trained: Sequence[TrainedModes]) -> list[list[str]]:
    from attlas.solver.emergence import modes_at

    rows = []
    for heads in trained:
        theory = modes_at(curve.target, heads.n, curve.noise, curve.lam, curve.tokens).mse.value
        totals = heads.error.sum(axis=1)
        spread = totals.std(ddof=1) / len(totals) ** 0.5 if len(totals) > 1 else float("nan")
        rows.append(
            [
                str(heads.n),
                f"{heads.n / curve.target.d:.3g}",
                f"{totals.mean():.4g} ± {spread:.1g}",
                f"{theory:.4g}",
                f"{totals.mean() / theory:.3f} ± {spread / theory:.1g}",
            ]
        )
    return rows


def _cell(value: Any) -> str:
    return "" if value is None else f"{value.value:.4g}"
