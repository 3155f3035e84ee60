"""Message passing, step by step, beside state evolution from the same start."""

from __future__ import annotations

from itertools import islice

from attlas.solver.trajectory import TrajectoryPoint, trajectory
from attlas.verify.claims.claim import Control
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.experiments.training import training_of
from attlas.verify.simulation.pairing import paired_at
from attlas.verify.store.case import Case
from attlas.verify.training.amp.passing import SIGMA_START
from attlas.verify.training.amp.training import message_passing

#: Iterations that are compared: undamped message passing at d of a hundred or less soon leaves its
#: state evolution for an oscillation (theory.md section 10).
STEPS = 4
#: Relative accuracy of the theory; its error counts as systematic.
RTOL = 2e-3
#: The damped map, as a wrong theory of undamped message passing.
WRONG_DAMPING = 0.25


def _undamped() -> float:
    return 0.0


def measure(case: Case) -> Measurement:
    """q, m and sigma after each of the first iterations, from S = 0."""
    _, training = training_of(case, onsager="sample")
    passing = message_passing(training, training.lams[0])
    steps = passing.iterate(passing.start(SIGMA_START), _undamped)
    records = [record for _, record in islice(steps, STEPS)]
    theory = trajectory(paired_at(case), STEPS, sigma_start=SIGMA_START, rtol=RTOL)
    reference = _keys(theory.points)
    return Measurement(
        measured={
            f"{key}_{record.step}": getattr(record, key)
            for record in records
            for key in ("q", "m", "sigma")
        },
        reference=reference,
        reference_error={key: theory.error * value for key, value in reference.items()},
        data_hash=training.data.digest,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:  # noqa: ARG001
    """The trajectory of the damped map, which has the same fixed point."""
    found = trajectory(
        paired_at(case), STEPS, sigma_start=SIGMA_START, damping=WRONG_DAMPING, rtol=RTOL
    )
    return _keys(found.points)


def _keys(points: tuple[TrajectoryPoint, ...]) -> dict[str, float]:
    return {
        f"{key}_{step}": getattr(point.overlaps, key)
        for step, point in enumerate(points, start=1)
        for key in ("q", "m", "sigma")
    }


TRACKING = Experiment(measure, wrong)
