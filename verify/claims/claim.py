"""What a claim is: a statement of the theory that runs can contradict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from attlas.model import Problem


@dataclass(frozen=True)
class Quantity:
    """A result key that a claim is about.

    Attributes
    ----------
    key : str
        Result key, e.g. ``"test_error"``.
    name : str
        In words.
    latex : str
        Its symbol.
    measured : str
        How a run measures it, in words.
    cap : float
        Largest margin: 0.02, or 0.05 for test errors.
    """

    key: str
    name: str
    latex: str
    measured: str
    cap: float = 0.02


@dataclass(frozen=True)
class Point:
    """A problem that a claim is checked at, its name in tables and rows, and the tokens' law."""

    key: str
    problem: Problem
    tokens_law: str = "gaussian"


@dataclass(frozen=True)
class Design:
    """How much a suite spends on a claim.

    Attributes
    ----------
    points : tuple of str
        Keys of the points that are run.
    runs : mapping from int to int
        Seeds at each dimension d.
    control_seeds : int
        Seeds at each dimension that are also paired with the wrong theories.
    """

    points: tuple[str, ...]
    runs: Mapping[int, int]
    control_seeds: int = 4


def _no_problem(problem: Problem) -> Problem:  # noqa: ARG001
    raise TypeError("this control is made by its claim's experiment, not by another problem")


def _everywhere(problem: Problem) -> bool:  # noqa: ARG001
    return True


@dataclass(frozen=True)
class Control:
    """A deliberately wrong theory, which a suite with any power must reject.

    Attributes
    ----------
    id : str
    statement : str
        What is wrong in it, in words.
    wrong : callable
        Takes the right problem to the one whose theory is the wrong theory. Left out where the
        claim's experiment makes what is wrong.
    where : callable
        Whether it says something wrong about a problem; elsewhere it is not paired with runs.
    """

    id: str
    statement: str
    wrong: Callable[[Problem], Problem] = _no_problem
    where: Callable[[Problem], bool] = _everywhere

    @property
    def is_problem(self) -> bool:
        """Whether the wrong theory is that of another problem."""
        return self.wrong is not _no_problem


@dataclass(frozen=True)
class Departure:
    """A known departure from theory.

    Attributes
    ----------
    point, quantity : str
    low, high : float
        Band of the relative deviation in which it is expected.
    reason : str
    """

    point: str
    quantity: str
    low: float
    high: float
    reason: str


@dataclass(frozen=True)
class Claim:
    """A statement of the theory with everything needed to check it.

    Attributes
    ----------
    id, title : str
    statement : str
        The claim in plain words.
    equation : str
        What it rests on, as a target of ``attlas derive``.
    measurement : str
        How runs and theory are compared, in words.
    points : tuple of Point
    quantities : tuple of Quantity
    controls : tuple of Control
    designs : mapping from suite name to Design
    departures : tuple of Departure
    curve_alphas : tuple of str
        Values of alpha at which the report draws the theory curve through the points.
    experiment : str
        ``"module:object"`` of the :class:`attlas.verify.experiments.experiment.Experiment`
        that makes the rows. Empty for the usual one: a head is trained and compared with the theory
        at its own teacher.
    """

    id: str
    title: str
    statement: str
    equation: str
    measurement: str
    points: tuple[Point, ...]
    quantities: tuple[Quantity, ...]
    controls: tuple[Control, ...]
    designs: Mapping[str, Design]
    departures: tuple[Departure, ...] = ()
    curve_alphas: tuple[str, ...] = field(default=())
    experiment: str = ""

    def points_of(self, suite: str) -> tuple[Point, ...]:
        """The points that a suite runs."""
        wanted = self.designs[suite].points
        return tuple(point for point in self.points if point.key in wanted)

    def quantity(self, key: str) -> Quantity:
        """The quantity of a result key."""
        return next(quantity for quantity in self.quantities if quantity.key == key)

    def control(self, id_: str) -> Control:
        """The control of an id."""
        return next(control for control in self.controls if control.id == id_)

    def departure(self, point: str, quantity: str) -> Departure | None:
        """The departure declared for a quantity at a point, if any."""
        return next(
            (d for d in self.departures if (d.point, d.quantity) == (point, quantity)), None
        )
