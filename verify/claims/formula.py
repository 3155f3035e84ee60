"""A statement of one's own in the place of the theory: result keys as a function of the problem."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from attlas.model import BadInput, Problem
from attlas.model.errors import ComputationFailed
from attlas.solver.solution import Observables, Solution

#: Size of the teacher at which a formula is asked for its limit where it needs eigenvalues.
TEACHER_SIZE = 200


@dataclass(frozen=True)
class Formula:
    """What somebody states of trained heads.

    Attributes
    ----------
    name : str
        In messages.
    keys : tuple of str
        The result keys that it is about.
    of : number, or callable from Problem
        A number; a mapping from keys to numbers; or anything that has the keys as attributes, as
        a Solution has, whose error bars then count.
    """

    name: str
    keys: tuple[str, ...]
    of: Any

    def __call__(self, problem: Problem) -> Solution:
        """Its values at a problem; a key is absent where it gives no finite number.

        Raises
        ------
        BadInput
            If it fails, naming where, or gives something else than numbers.
        """
        stated = self._evaluated(problem) if callable(self.of) else self.of
        values = {key: self._number(key, stated) for key in self.keys}
        bars = getattr(stated, "error", None)
        errors = {key: getattr(bars, key, None) or 0.0 for key in self.keys}
        kept = {key: value for key, value in values.items() if math.isfinite(value)}
        return Solution.of(
            Observables(**kept),
            problem=problem,
            error=Observables(**{key: float(errors[key]) for key in kept}),
        )

    def limit(self, problem: Problem) -> Solution:
        """Its values in the limit: of the problem itself, or beside one large teacher of it.

        The teacher is for formulas that ask for eigenvalues, which a law does not list.
        """
        try:
            return self(problem)
        except BadInput:
            from attlas.verify.simulation.pairing import paired_at
            from attlas.verify.store.case import Case

            return self(paired_at(Case(problem, problem.target.dimension or TEACHER_SIZE, seed=0)))

    def scaled(self, factor: float) -> Formula:
        """The same times a factor."""

        def of(problem: Problem) -> dict[str, float]:
            return {key: factor * value for key, value in self(problem).present().items()}

        return Formula(f"{factor:g} times {self.name}", self.keys, of)

    def _evaluated(self, problem: Problem) -> Any:
        try:
            return self.of(problem)
        except ComputationFailed:
            return dict.fromkeys(self.keys, math.nan)  # no solution there: it says nothing
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            raise BadInput(
                "formula",
                self.name,
                f"it ended in {type(error).__name__}: {error} ({frame.filename}, line "
                f"{frame.lineno})",
            ) from error

    def _number(self, key: str, stated: Any) -> float:
        if isinstance(stated, Mapping):
            value = stated.get(key, math.nan)
        elif isinstance(stated, Real) or hasattr(stated, "__float__"):
            value = stated if len(self.keys) == 1 else None
        else:
            value = getattr(stated, key, None)
        try:
            return float(value)  # pyright: ignore[reportArgumentType]
        except (TypeError, ValueError):
            raise BadInput(
                "formula",
                self.name,
                f"it must give a number for {key}",
                "for several keys, a mapping from key to number",
            ) from None


def formula_of(of: Any, keys: tuple[str, ...], name: str = "") -> Formula:
    """A formula, from what a user hands over.

    Raises
    ------
    BadInput
        If it is neither a finite number nor callable.
    """
    if isinstance(of, Formula):
        return of
    if isinstance(of, str) or not (callable(of) or isinstance(of, Mapping) or _is_finite(of)):
        raise BadInput("formula", of, "must be a finite number or a function of the problem")
    return Formula(name or _name(of), keys, of)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(float(value))


def _name(of: Any) -> str:
    return str(getattr(of, "__name__", of))
