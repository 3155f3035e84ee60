"""``attlas spectrum --weights``: the query-key maps of a trained model."""

from __future__ import annotations

import dataclasses
import sys
import time
from typing import TYPE_CHECKING, Any

from attlas.cli.flags import OutputFlags, ProblemFlags
from attlas.model import BadInput
from attlas.model.exact import whole

if TYPE_CHECKING:
    from attlas.solver.weights import WeightsDescription

_MESSAGE = (
    "No theory: queries and keys of this model are untied and its tokens are not Gaussian. "
    "The predicted family is shown beside it, not fitted."
)
#: What the columns are that no key of the JSON document names.
_LEGEND = (
    "edge: largest singular value over shuffles of the same weights; beyond: how many are larger;\n"
    "shuffled: stable rank of the shuffles; symmetric, positive: share of the squared norm in\n"
    "(M + M^T)/2, and of that share in its positive eigenvalues; tail: exponent of a power law\n"
    "fitted to the values beyond +- its standard error, empty for fewer than 8; fitted beyond:\n"
    "where the fit begins, and to how many values."
)


def describe(
    weights: str,
    heads: str | None,
    fused: str | None,
    flags: ProblemFlags,
    simulate: bool,
    plot: str | None,
    output: OutputFlags,
) -> int:
    """Print one line a head, or one document."""
    given = flags.given()
    for name, value in given.items():
        raise BadInput(f"--{name}", value, "has no meaning beside --weights", "leave it out")
    if simulate:
        raise BadInput("--simulate", True, "has no meaning beside --weights", "leave it out")
    if heads is None:
        raise BadInput("--heads", None, "the number of attention heads of a layer is required")
    number = whole("--heads", heads, at_least=1)
    split = None if fused is None else _split(fused)
    picture = None
    if plot is not None:
        from attlas.reports.figures.sheet import require_picture

        picture = require_picture("--plot", plot)

    from attlas.cli.display import tell_file
    from attlas.solver.weights import describe_weights

    began = time.perf_counter()
    found = describe_weights(weights, number, fused=split)
    if picture is not None:
        found.plot(picture)
    if output.json:
        from attlas.cli.envelope import document, json_text

        status = {"name": "no_theory", "ok": True, "message": _MESSAGE}
        stats = {"seconds": time.perf_counter() - began, "heads": len(found.heads)}
        result: dict[str, Any] = dataclasses.asdict(found)
        print(
            json_text(
                document("spectrum", None, result=result, error={}, status=status, stats=stats)
            )
        )
    else:
        _print(found)
        print(_MESSAGE, file=sys.stderr)
    tell_file(picture, as_json=output.json)
    return 0


def _print(found: WeightsDescription) -> None:
    from attlas.cli.display import print_table

    columns = ("layer", "head", "d", "rank", "at zero", "largest", "edge", "beyond", "stable rank")
    more = ("shuffled", "symmetric", "positive", "tail", "fitted beyond")
    rows = [
        (
            head.layer,
            str(head.head),
            str(head.d),
            str(head.rank),
            f"{head.mass_at_zero:.4f}",
            f"{head.singular_values[0]:.4g}",
            f"{head.edge:.4g}",
            str(len(head.outliers)),
            f"{head.stable_rank:.2f}",
            f"{head.reference_stable_rank:.2f}",
            f"{head.symmetric:.3f}",
            f"{head.positive:.3f}",
            "" if head.tail is None else f"{head.tail.exponent:.2f} +- {head.tail.error:.2f}",
            "" if head.tail is None else f"{head.tail.cut:.3g}, {head.tail.count} values",
        )
        for head in found.heads
    ]
    print_table((*columns, *more), rows)
    print(_LEGEND)


def _split(text: str) -> tuple[int, int, int]:
    pieces = text.split(",")
    if len(pieces) != 3:
        raise BadInput("--fused", text, "must be three whole numbers, such as 768,256,256")
    query, key, value = (whole("--fused", piece, at_least=1) for piece in pieces)
    return query, key, value
