"""The parts of the squared error of a trained head, from its eigenvectors."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from solver.decomposition import LearnedSpectrum, decompose, split_error
from solver.spectrum import target_law
from verify.experiments.experiment import Experiment, Measurement
from verify.simulation.pairing import paired_at
from verify.spectra.parts import measured_parts
from verify.store.case import Case
from verify.suite.case_run import run_of

#: Relative accuracy of the theory.
RTOL = 1e-4
#: What the control changes the noise of the law by.
FACTOR = 1.1
_KEYS = ("over", "under", "approx", "error_scaled")


def measure(case: Case) -> Measurement:
    """The parts of a trained head beside those of theory at its own teacher."""
    clock = perf_counter()
    run = run_of(case, overlaps=True)
    theory = decompose(paired_at(case), rtol=RTOL)
    measured = measured_parts(run, theory.eta_star)
    return Measurement(
        measured={key: getattr(measured, key) for key in _KEYS},
        reference={key: getattr(theory, key) for key in _KEYS},
        reference_error={key: getattr(theory.error, key) for key in _KEYS},
        converged=run.converged and run.certificate.minimal,
        certificate=run.certificate.gradient,
        data_hash=run.data_hash,
        seconds=perf_counter() - clock,
    )


def wrong(case: Case, control: str) -> dict[str, float]:
    """The parts under a law with one parameter changed."""
    paired = paired_at(case)
    theory = decompose(paired, rtol=RTOL)
    solution = theory.solution
    learned = LearnedSpectrum(solution.eta, solution.delta, solution.epsilon)
    changed = {
        "threshold-missing": replace(learned, epsilon=0.0),
        "delta-larger": replace(learned, delta=FACTOR * learned.delta),
    }
    parts = split_error(target_law(paired.target), changed[control], theory.eta_star)
    return {key: getattr(parts, key) for key in _KEYS}


DECOMPOSITION = Experiment(measure, wrong)
