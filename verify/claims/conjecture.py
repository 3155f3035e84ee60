"""A user's conjecture as a claim: the same margins, controls and verdicts as the package's own."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from attlas.model import BadInput, Problem, require_problem
from attlas.model.errors import unknown_name
from attlas.model.exact import Number, positive, whole
from attlas.verify.claims.claim import Claim, Control, Design, Point, Quantity
from attlas.verify.claims.formula import Formula, formula_of
from attlas.verify.claims.quantities import QUANTITIES

#: Sizes of a check that names none: enough for a verdict, and seconds of training.
SIZES = (16, 24, 36)
#: The wrong theory of a claim that names none: this much larger.
SLIP = 1.05
#: Seeds at a size; further ones belong to other sizes.
_MOST_SEEDS = 1_000
#: Sizes below have no limit to speak of.
_SMALLEST = 8


def claim(
    problem: Problem | Mapping[str, Problem],
    *,
    key: str | tuple[str, ...] = "q",
    d: Iterable[int] | Mapping[int, int] = SIZES,
    seeds: int = 8,
    margin: Number | None = None,
    wrong: Mapping[str, Any] | None = None,
    title: str = "",
    statement: str = "",
    latex: str = "",
    picture: str = "",
) -> Callable[[Callable[[Problem], Any]], Claim]:
    """Decorate a function of the problem: heads are trained to contradict what it states.

    ``attlas verify --claim-file my_claims.py`` and ``attlas report --claim-file my_claims.py`` run
    all claims of a file, in every suite with the design that they state.

    Parameters
    ----------
    problem : Problem, or mapping from name to Problem
        Where it is checked.
    key : str or tuple of str
        Result keys that the function states: q, m, mse, rank_fraction, loss, train_error,
        test_error or test_error_clean. With several it returns a mapping from key to number, or a
        Solution.
    d : iterable of int, or mapping from int to int
        Dimensions, three or more for a verdict; as a mapping, with the seeds at each.
    seeds : int
        Runs at each dimension.
    margin : number in (0, 1), optional
        Relative deviation that still counts as agreement; by default 0.02, and 0.05 for errors.
        It is halved where a wrong theory is nearer, as for the package's claims.
    wrong : mapping from str to number or function, optional
        Theories that are wrong on purpose, which the runs must reject, by what is wrong in them;
        by default the formula times 1.05.
    title, statement : str
        By default the function's name, and its docstring.
    latex : str
        The formula in LaTeX, for the page.
    picture : str
        Pictures besides the usual figures: "spectra" or "rivals".

    Returns
    -------
    callable
        Takes the function and returns the :class:`attlas.verify.claims.Claim`.

    Notes
    -----
    The function is called with the problem of each run: its target is the run's own teacher, with
    ``target.eigenvalues`` those of S0, and alpha = n/d^2 and kappa = p/d are those of the run.
    """

    def decorate(function: Callable[[Problem], Any]) -> Claim:
        keys = (key,) if isinstance(key, str) else tuple(key)
        formula = formula_of(function, keys)
        named = title or formula.name.replace("_", " ").capitalize()
        said = statement or inspect.getdoc(function) or f"{named}."
        points = _points(problem)
        return Claim(
            id=re.sub(r"[^a-z0-9]+", "-", formula.name.lower()).strip("-") or "formula",
            title=named,
            statement=" ".join(said.split()),
            equation="",
            latex=_readable(latex),
            measurement=(
                "A head is trained to a certificate on each teacher, what is stated is evaluated "
                "at that teacher's own eigenvalues, and the relative deviation is extrapolated to "
                "infinite dimension by a straight line in 1/d, with an error bar from seeds alone."
            ),
            points=points,
            quantities=tuple(quantity_of(one, margin) for one in keys),
            controls=_controls(formula, wrong),
            designs=_Always(_design(points, d, seeds)),
            formula=formula,
            picture=picture,
        )

    return decorate


class _Always(dict[str, Design]):
    """One design, whatever suite it is asked for."""

    def __init__(self, design: Design) -> None:
        super().__init__()
        self._design = design

    def __missing__(self, suite: str) -> Design:
        return self._design

    def __contains__(self, suite: object) -> bool:
        return True


def _points(problem: Problem | Mapping[str, Problem]) -> tuple[Point, ...]:
    if isinstance(problem, Mapping):
        if not problem:
            raise BadInput("problem", "{}", "must hold at least one Problem")
        return tuple(Point(str(name), require_problem(one)) for name, one in problem.items())
    return (Point("the problem", require_problem(problem)),)


def _readable(latex: str) -> str:
    """LaTeX that a page can show: refused before the runs, not after them."""
    from latex2mathml.converter import convert

    try:
        convert(latex or "m")
    except Exception as error:
        raise BadInput("latex", latex, f"cannot be shown: {type(error).__name__}") from error
    return latex


def quantity_of(key: str, margin: Number | None) -> Quantity:
    """The quantity of a key, with a margin of one's own as its cap.

    Raises
    ------
    BadInput
        For a key that heads are not measured by, or a margin that is none.
    """
    if key not in QUANTITIES:
        raise unknown_name("key", key, QUANTITIES)
    quantity = QUANTITIES[key]
    if margin is None:
        return quantity
    cap = float(positive("margin", margin))
    if cap >= 1:
        raise BadInput("margin", margin, "must be greater than 0 and below 1")
    return replace(quantity, cap=cap)


def _design(points: tuple[Point, ...], d: Iterable[int] | Mapping[int, int], seeds: int) -> Design:
    if not isinstance(d, Iterable):
        raise BadInput("d", d, "must be several dimensions", "give e.g. `d=(16, 24, 36)`")
    runs = dict(d) if isinstance(d, Mapping) else dict.fromkeys(d, seeds)
    if not runs:
        raise BadInput("d", "()", "must be several dimensions", "give e.g. `d=(16, 24, 36)`")
    read = {
        whole("d", size, at_least=_SMALLEST): whole("seeds", count, at_least=1, at_most=_MOST_SEEDS)
        for size, count in runs.items()
    }
    return Design(tuple(point.key for point in points), read, control_seeds=_MOST_SEEDS)


def _controls(formula: Formula, wrong: Mapping[str, Any] | None) -> tuple[Control, ...]:
    if wrong is None:
        wrong = {f"{SLIP - 1:.0%} larger": formula.scaled(SLIP)}
    if not isinstance(wrong, Mapping):
        raise BadInput("wrong", wrong, "must be a mapping from what is wrong to a formula")
    return tuple(
        Control(
            id=str(name),
            statement=f"{str(name)[:1].upper()}{str(name)[1:]}.",
            formula=formula_of(of, formula.keys, name=str(name)),
        )
        for name, of in wrong.items()
    )
