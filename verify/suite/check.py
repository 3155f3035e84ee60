"""``attlas.check``: a conjecture against trained heads, in one call."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from attlas.model import Problem
from attlas.model.exact import Number
from attlas.solver.result import Answer, table_html
from attlas.verify.claims.conjecture import SIZES, claim
from attlas.verify.claims.formula import formula_of
from attlas.verify.judgement import ControlVerdict, Outcome, Verdict
from attlas.verify.suite.pace import SuiteProgress
from attlas.verify.suite.result import SuiteResult


@dataclass(frozen=True)
class Check(Answer):
    """What runs say: of a conjecture, or of the theory.

    Attributes
    ----------
    result : SuiteResult
        Runs, margins and verdicts, as a report takes them.
    """

    result: SuiteResult

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """One for each key at each problem."""
        return self.result.verdicts

    @property
    def controls(self) -> tuple[ControlVerdict, ...]:
        """The theories that are wrong on purpose, judged on the same runs."""
        return self.result.controls

    @property
    def verdict(self) -> str:
        """agrees, disagrees, undecided, or no-theory where the conjecture gives no number."""
        return self.result.claims[0].outcome.value

    @property
    def deviation(self) -> float:
        """(measured - stated)/stated as d -> infinity, of the first key."""
        return self.verdicts[0].deviation

    @property
    def interval(self) -> tuple[float, float]:
        """The deviation's 90 % interval."""
        return self.verdicts[0].interval

    @property
    def established(self) -> float:
        """The margin within which the first key is shown to agree, whatever was wanted."""
        return self.verdicts[0].margin

    @property
    def determined(self) -> bool:
        """Whether anything could be judged: a seed at one size has no error bar."""
        return any(verdict.coefficients for verdict in self.verdicts)

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        several = len({verdict.point for verdict in self.verdicts}) > 1
        said = [
            (f"At {verdict.point}, " if several else "") + _said(verdict)
            for verdict in self.verdicts
        ]
        missed = [control.control for control in self.controls if not control.rejected]
        if missed:
            said.append(f"The runs do not rule out what is wrong on purpose: {', '.join(missed)}.")
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: verdict, sentence, and the numbers of every comparison and control."""
        return {
            "verdict": self.verdict,
            "sentence": self.sentence,
            "comparisons": [
                {
                    "point": one.point,
                    "key": one.quantity,
                    "verdict": one.outcome.value,
                    "reason": one.reason,
                    "deviation": one.deviation,
                    "interval": list(one.interval),
                    "established": one.margin,
                    "allowed": [one.low, one.high],
                    "d": list(one.sizes),
                    "seeds": list(one.seeds),
                    "failed_runs": one.failed_runs,
                }
                for one in self.verdicts
            ],
            "rejected": {one.control: one.rejected for one in self.controls},
        }

    def __repr__(self) -> str:
        return f"Check({self.verdict}: {self.sentence})"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each comparison."""
        return self.to_dict()["comparisons"]

    def _repr_html_(self) -> str:
        names = ("point", "key", "verdict", "deviation", "90 % interval", "allowed")
        cells = [
            (
                one.point,
                one.quantity,
                one.outcome.value,
                f"{one.deviation:+.2%}",
                f"{one.interval[0]:+.2%} .. {one.interval[1]:+.2%}",
                f"{one.low:+.2%} .. {one.high:+.2%}",
            )
            for one in self.verdicts
        ]
        return f"<p>{html.escape(self.sentence)}</p>{table_html(names, cells)}"


def _said(verdict: Verdict) -> str:
    """A comparison in a sentence."""
    key, state = verdict.quantity, verdict.state.value
    if not math.isfinite(verdict.deviation):
        return f"{key}: not determined ({state}), {verdict.reason}."
    low, high = verdict.interval
    found = f"off by {verdict.deviation:+.2%} ({low:+.2%} to {high:+.2%})"
    wanted = f"{verdict.wanted:.2%} allowed"
    if verdict.outcome is Outcome.AGREES:
        return f"{key} agrees with trained heads to within {verdict.margin:.2%}: {found}, {wanted}."
    if verdict.outcome is Outcome.DISAGREES:
        return f"{key} disagrees with trained heads: {found}, {wanted}."
    return f"{key} is undecided ({state}): {found}, {wanted}; {verdict.reason}."


def check(
    formula: Any,
    problem: Problem | Mapping[str, Problem],
    *,
    key: str | tuple[str, ...] = "q",
    d: Iterable[int] | Mapping[int, int] = SIZES,
    seeds: int = 8,
    margin: Number | None = None,
    wrong: Mapping[str, Any] | None = None,
    seed: int = 0,
    device: str = "auto",
    store: str | Path | None = None,
    processes: int | None = 1,
    progress: SuiteProgress | None = None,
) -> Check:
    """Train heads to contradict a conjecture, and judge it as the package's own claims are.

    Parameters
    ----------
    formula : number or callable
        What is conjectured of ``key``: a number, or a function of the problem, called with each
        run's own: its target holds the eigenvalues of the run's teacher.
    problem, key, d, seeds, margin, wrong
        As of :func:`attlas.claim`.
    seed : int
        Another one gives other teachers and data.
    device : {"auto", "cpu", "cuda"}
    store : path, optional
        Folder that keeps the runs: what is there is not trained again. By default nothing is kept.
    processes : int, optional
        Worker processes; None is one a processor.
    progress : callable, optional
        Receives :class:`attlas.verify.suite.pace.SuiteEvent`.

    Returns
    -------
    Check

    Raises
    ------
    BadInput
        Naming the parameter, its value and the valid range; or the line on which the formula
        failed.

    Notes
    -----
    Each run's deviation (measured - stated)/stated is extrapolated to d -> infinity; an agreement
    is shown by equivalence tests within the margin, and at least three sizes are needed
    (docs/judge.md).
    """
    from attlas.verify.suite.run import run_suite

    keys = (key,) if isinstance(key, str) else tuple(key)
    stated = claim(problem, key=keys, d=d, seeds=seeds, margin=margin, wrong=wrong)(
        formula_of(formula, keys)
    )
    with nullcontext(store) if store is not None else TemporaryDirectory() as folder:
        result = run_suite(
            "quick",
            store=folder,
            claims=[stated],
            device=device,
            seed=seed,
            processes=processes,
            progress=progress,
        )
    return Check(result)
