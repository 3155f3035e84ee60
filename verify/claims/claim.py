"""What a claim is: a statement of the theory that runs can contradict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import ModuleType

from attlas.model import Problem
from attlas.solver.solution import Observables
from attlas.verify.claims.formula import Formula

#: Solves a problem for its limit; the only way in which margins see numbers.
Solve = Callable[[Problem], Observables | None]


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
class Statement:
    """What a claim tests, as the report's table of the theory lists it; claims may share one.

    Attributes
    ----------
    section : str
        Of theory.md, e.g. ``"6, 9"``.
    text : str
        In plain words.
    """

    section: str
    text: str


@dataclass(frozen=True)
class Point:
    """A problem that a claim is checked at, and its name in tables and rows."""

    key: str
    problem: Problem


@dataclass(frozen=True)
class LeftOut:
    """Questions that a suite does not ask, for a reason besides the scatter of its runs.

    Attributes
    ----------
    reason : str
        In words.
    points : tuple of str
        Where, and whether or not the design runs these; everywhere if empty.
    quantities : tuple of str
        Their result keys; all if empty.
    """

    reason: str
    quantities: tuple[str, ...] = ()
    points: tuple[str, ...] = ()


@dataclass(frozen=True)
class Design:
    """How much a suite spends on a claim.

    A suite asks what its runs find in agreement with a chance of at least 0.8 if theory is right
    (:mod:`attlas.verify.suite.design`), so these numbers say how much it asks, too.

    Attributes
    ----------
    points : tuple of str
        Keys of the points that are run.
    runs : mapping from int to int
        Seeds at each dimension d.
    control_seeds : int
        Seeds at each dimension that are also paired with the wrong theories.
    runs_at : mapping from point to its own runs
        In place of ``runs``, where a point scatters more or costs less than the others.
    left_out : tuple of LeftOut
    """

    points: tuple[str, ...]
    runs: Mapping[int, int]
    control_seeds: int = 4
    runs_at: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    def runs_of(self, point: str) -> Mapping[int, int]:
        """Seeds at each dimension d of a point."""
        return self.runs_at.get(point, self.runs)

    def reason(self, point: str, quantity: str) -> str:
        """Why the design leaves a quantity out at a point; empty where it does not."""
        return next(
            (
                one.reason
                for one in self.left_out
                if quantity in (one.quantities or (quantity,)) and point in (one.points or (point,))
            ),
            "",
        )


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
    formula : Formula, optional
        What is wrong, where it is stated by a formula: evaluated when runs are judged, and not
        stored.
    """

    id: str
    statement: str
    wrong: Callable[[Problem], Problem] = _no_problem
    where: Callable[[Problem], bool] = _everywhere
    formula: Formula | None = None

    @property
    def is_problem(self) -> bool:
        """Whether the wrong theory is that of another problem."""
        return self.wrong is not _no_problem

    def limit(self, problem: Problem, solve: Solve) -> Observables | None:
        """What the wrong theory says of a problem; None where it says nothing there."""
        if self.formula is not None:
            return self.formula.limit(problem)
        return solve(self.wrong(problem)) if self.is_problem else None


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
    absent : mapping from suite name to str
        Why a suite has no design for it, in a sentence.
    departures : tuple of Departure
    curve_alphas : tuple of str
        Values of alpha at which the report draws the theory curve through the points.
    experiment : str
        ``"module:object"`` of the :class:`attlas.verify.experiments.experiment.Experiment`
        that makes the rows. Empty for the usual one: a head is trained and compared with the theory
        at its own teacher.
    covers : Statement, optional
        Its line in the table of what is tested; by default its title, beside the section of its
        equation.
    picture : str
        Pictures on its page besides the usual figures: a key of
        ``attlas.reports.page.pictures.GALLERIES``.
    formula : Formula, optional
        Stands in the place of the theory, at each run's own teacher.
    latex : str
        A formula's own equation, where no derivation of the package is its ``equation``.
    file : str
        Path of the file that states it, where that is a user's.
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
    absent: Mapping[str, str] = field(default_factory=dict)
    departures: tuple[Departure, ...] = ()
    curve_alphas: tuple[str, ...] = field(default=())
    experiment: str = ""
    covers: Statement | None = None
    picture: str = ""
    formula: Formula | None = None
    latex: str = ""
    file: str = ""

    def limit(self, problem: Problem, solve: Solve) -> Observables | None:
        """What the claim says of a problem in the limit; None where it says nothing there."""
        return solve(problem) if self.formula is None else self.formula.limit(problem)

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


def claims_of(module: ModuleType) -> tuple[Claim, ...]:
    """The claims that a file states, in its order."""
    return tuple(value for value in vars(module).values() if isinstance(value, Claim))
