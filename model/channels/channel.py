"""What every channel is."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from attlas.model.channels.functions import Functions, Plain
from attlas.model.errors import BadInput
from attlas.model.exact import exact, non_negative, positive, whole
from attlas.model.names import Part
from attlas.model.scores import Scores

#: A T x T matrix of scores or labels, read as ``scores[a][b]``.
Matrix = Sequence[Sequence[Any]]


def _tokens(parameter: str, value: Any) -> int:
    return whole(parameter, value, at_least=1)


#: Fields that have flags of their own, with their ranges.
READERS = {"tokens": _tokens, "beta": positive, "beta0": positive, "noise": non_negative}


@dataclasses.dataclass(frozen=True)
class Channel(metaclass=Part):
    """How scores become labels, and what a misfit costs.

    A subclass has a ``name`` and a ``loss``; derivation, theory, training and the command line
    follow from these. Where it has parameters it is a frozen dataclass, and they are its fields,
    read exactly; ``tokens`` and ``noise`` may be among them. theory.md section 1.

    Attributes
    ----------
    tokens : int
        T, the number of tokens in a sequence.
    noise : Fraction
        Delta, the variance of the label noise on a diagonal score; off the diagonal it is half.

    Raises
    ------
    BadInput
        For a field that is no number, or out of range.
    """

    #: Of ``--channel``.
    name: ClassVar[str]
    #: Outputs that the loss may compare (``--task``).
    tasks: ClassVar[tuple[str, ...]] = ("seq2lab",)
    #: Whether the label is the only score and the loss the squared difference: M is closed.
    linear: ClassVar[bool] = False
    #: Whether the loss is convex in the student's scores.
    convex: ClassVar[bool] = False
    #: Whether the loss of a sample is least where, and only where, the student's scores are
    #: ``scale`` times those behind the label, up to shifts that no label sees.
    interpolates: ClassVar[bool] = True

    #: The labels that a sample may have where they are drawn; none where scores decide the label.
    outcomes: ClassVar[Sequence[Matrix]] = ()

    #: In words, for derivations; a loss without words is shown as an expression.
    label_law: ClassVar[str] = "y = h(S0) + sqrt(noise) xi"
    loss_law: ClassVar[str] = ""

    # Not annotated, so that they are no fields: a channel that has a choice says so.
    tokens = 1
    noise = Fraction(0)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if {"labels", "loss"} & vars(cls).keys():  # what held for another loss is not inherited
            for claim in ("linear", "convex"):
                if claim not in vars(cls):
                    setattr(cls, claim, False)

    def __post_init__(self) -> None:
        for name in self.fields():
            reader = READERS.get(name, exact)
            where = name if name in READERS else f"channel {self.name}: {name}"
            object.__setattr__(self, name, reader(where, getattr(self, name)))

    @classmethod
    def fields(cls) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(field.name for field in dataclasses.fields(cls))

    def fault(self, valid: str, advice: str = "") -> BadInput:
        """The error for what is wrong with it, and where it is written."""
        return BadInput("channel", self.name, f"{valid}{type(self).place}", advice)

    def labels(self, scores: Matrix, f: Functions) -> Matrix:  # noqa: ARG002
        """Labels of the teacher's noisy scores; the scores themselves unless a channel says more.

        Where they are drawn (``outcomes``), their mean.

        Parameters
        ----------
        scores : T x T matrix
            Of numbers, of arrays or of symbols, as ``scores[a][b]``.
        f : Functions
            exp, log, ... for them.
        """
        return scores

    def probabilities(self, scores: Matrix, f: Functions) -> Sequence[Any]:  # noqa: ARG002
        """Of each of ``outcomes``, given the teacher's noisy scores."""
        return ()

    @abstractmethod
    def loss(self, labels: Matrix, scores: Matrix, f: Functions) -> Any:
        """What a sample costs whose student has these scores.

        Parameters
        ----------
        labels, scores : T x T matrix
        f : Functions
        """

    @property
    def attention(self) -> Channel | None:
        """The squared loss of the attention matrices, where a student is also compared by that."""
        return None

    @property
    def scale(self) -> Fraction:
        """Factor between the student's scores and the teacher's that fits the labels exactly."""
        return Fraction(1)

    @property
    def sharpness(self) -> Fraction:
        """Inverse of the scale of scores on which the loss bends."""
        return Fraction(1)

    @cached_property
    def shift_invariant(self) -> bool:
        """Whether neither label nor loss sees a constant added to all scores, by trial."""
        size = range(self.tokens)
        z, h = ([[(a + b + 2) ** k % 5 / 7 for b in size] for a in size] for k in (2, 3))

        def cost(shift: float, other: float) -> float:
            moved = [[entry + shift for entry in row] for row in z]
            label = self.labels(moved, Plain())
            return self.loss(label, [[entry + other for entry in row] for row in h], Plain())

        here = cost(0.0, 0.0)
        return all(abs(cost(*at) - here) < 1e-9 * (1 + abs(here)) for at in ((0.6, 0), (0, 0.6)))

    @property
    def label_rank(self) -> int:
        """D, the number of combinations of scores that a label sees (theory.md section 7)."""
        return self.tokens * (self.tokens + 1) // 2 - self.shift_invariant

    def rank_of(self, scores: Scores) -> int:
        """D of scores of any shape; independent ones lose a shift of every row."""
        if scores.symmetric:
            return self.label_rank
        return scores.queries * (scores.keys - self.shift_invariant)


def label_strength(q0: Any, noise: Any) -> Any:
    """Q = Q0 + noise/2, the strength of the scores behind the labels (theory.md section 1)."""
    return q0 + noise / 2
