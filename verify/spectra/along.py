"""The spectrum and the errors of a head along one parameter, in theory and on trained heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attlas.model import Problem
from attlas.model.exact import decimal_text
from attlas.solver.decomposition import Decomposition, decompose
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.learned_spectrum import Spectrum, spectrum
from attlas.solver.spectrum import target_law
from attlas.verify.simulation.progress import Progress
from attlas.verify.simulation.result import Run, Simulation, SimulationError, SimulationStatus
from attlas.verify.spectra.heads import paired_law, train_heads
from attlas.verify.spectra.parts import MeasuredParts, measured_parts, paired_parts


@dataclass(frozen=True)
class Mean:
    """Mean over runs, its standard error, and the mean of the paired theory."""

    value: float
    error: float
    paired: float

    @classmethod
    def of(cls, values: Sequence[float], paired: Sequence[float]) -> Mean:
        """Of one value a run; the error of a single run is unknown, NaN."""
        count = len(values)
        spread = float(np.std(values, ddof=1)) / np.sqrt(count) if count > 1 else float("nan")
        return cls(float(np.mean(values)), float(spread), float(np.mean(paired)))


@dataclass(frozen=True)
class SpectrumRow:
    """One value of the parameter.

    Attributes
    ----------
    alpha, lam : str
        Exact.
    rank_fraction, mse, test_error : float
    bands, outliers : int
    recovered : float
        Share of the target's directions that lie beyond the lowest band of the spectrum, in bands
        or outliers of their own.
    collapse_lam : float
        S = 0 beyond this penalty.
    measured : dict from str to Mean
        Of rank_fraction, recovered, mse and test_error, where heads were trained.
    """

    alpha: str
    lam: str
    rank_fraction: float
    bands: int
    outliers: int
    recovered: float
    mse: float
    test_error: float
    collapse_lam: float
    measured: dict[str, Mean]


@dataclass(frozen=True)
class PartsRow:
    """A decomposition, and the same measured on trained heads where there are any."""

    alpha: str
    decomposition: Decomposition
    measured: dict[str, Mean]


#: Relative accuracy of the solutions: far below what a picture or finite d shows.
RTOL = 1e-4

#: How heads are trained at a problem; None trains none.
Train = Callable[[Problem], Simulation]


def spectrum_along(problems: Iterable[Problem], train: Train | None = None) -> list[SpectrumRow]:
    """Rank, recovered directions and errors of some problems (theory.md sections 6 and 9)."""
    rows = []
    for problem in problems:
        found = spectrum(problem, rtol=RTOL)
        runs = () if train is None else train(problem).runs
        rows.append(
            SpectrumRow(
                alpha=decimal_text(problem.alpha),
                lam=decimal_text(problem.estimator.lam),  # type: ignore[attr-defined]
                rank_fraction=found.rank_fraction,
                bands=len(found.bands),
                outliers=len(found.outliers),
                recovered=recovered(found),
                mse=found.solution.mse,
                test_error=found.solution.test_error,
                collapse_lam=largest_penalty(problem).lam,
                measured=_measured(problem, runs),
            )
        )
    return rows


def recovered(found: Spectrum) -> float:
    """Share of the target's directions beyond the lowest band of the learned spectrum."""
    law = target_law(found.problem.target)
    return _beyond(found) / law.rank_fraction


def _beyond(found: Spectrum) -> float:
    edge = found.bulk_edge
    if edge is None:
        return 0.0
    return sum(band.mass for band in found.bands if band.upper > edge * (1 + 1e-9))


def _measured(problem: Problem, runs: Sequence[Run]) -> dict[str, Mean]:
    pairs = [(run, run.theory) for run in runs if run.theory is not None]
    if not pairs:
        return {}
    found = {
        key: Mean.of(
            [getattr(run.observables, key) for run, _ in pairs],
            [getattr(theory, key) for _, theory in pairs],
        )
        for key in ("rank_fraction", "mse", "test_error")
    }
    counts = [_recovered_by(problem, run) for run, _ in pairs]
    found["recovered"] = Mean.of([one for one, _ in counts], [two for _, two in counts])
    return found


def _recovered_by(problem: Problem, run: Run) -> tuple[float, float]:
    """Learned eigenvalues beyond the middle of the first gap, and as many as theory has there.

    Theory is that at the run's own teacher; both as shares of the teacher's directions.
    """
    predicted = paired_law(problem, run)
    bands = predicted.noisy.bands()
    directions = sum(value > 0 for value in run.teacher_eigenvalues)
    if len(bands) == 1:
        return 0.0, 0.0
    middle = predicted.rule.above((bands[0].upper + bands[1].lower) / 2)
    expected = sum(band.mass for band in predicted.bands() if band.upper > middle) * run.d
    seen = int(np.sum(run.non_zero_eigenvalues > middle))
    return seen / directions, round(expected) / directions


def parts_along(problems: Iterable[Problem], train: Train | None = None) -> list[PartsRow]:
    """The error decomposition of some problems (theory.md section 13)."""
    rows = []
    for problem in problems:
        found = decompose(problem, rtol=RTOL)
        measured: dict[str, Mean] = {}
        if train is not None:
            measured = measured_means(problem, train(problem).runs, found.eta_star)
        rows.append(PartsRow(decimal_text(problem.alpha), found, measured))
    return rows


def measured_means(problem: Problem, runs: Sequence[Run], eta_star: float) -> dict[str, Mean]:
    """The parts of some runs beside their paired theory."""
    kept = [run for run in runs if run.theory is not None]
    if not kept:
        return {}
    seen: list[MeasuredParts] = [measured_parts(run, eta_star) for run in kept]
    theory = [paired_parts(problem, run, eta_star) for run in kept]
    return {
        key: Mean.of([getattr(one, key) for one in seen], [getattr(one, key) for one in theory])
        for key in ("over", "under", "approx", "error_scaled")
    }


def trainer(
    d: int,
    seeds: Sequence[int],
    algorithm: str | None,
    device: str,
    progress: Progress | None = None,
) -> Train:
    """Train heads at dimension d, keeping overlaps, as `train_heads` does.

    A run without a certificate raises; one whose paired theory did not reach its accuracy is left
    out of the means.
    """

    def train(problem: Problem) -> Simulation:
        found = train_heads(problem, d, seeds, algorithm, device, progress)
        if not found.status.ok and found.status is not SimulationStatus.NO_THEORY:
            raise SimulationError(found)
        return found

    return train
