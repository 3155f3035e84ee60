"""The parts of the squared error of a trained head, from its eigenvectors."""

from __future__ import annotations

from attlas.solver.decomposition import decompose, split_error
from attlas.solver.learned_spectrum.rule import Rule
from attlas.solver.spectrum import target_law
from attlas.verify.claims.claim import Control
from attlas.verify.claims.controls.larger_parameters import DELTA_LARGER, LARGER
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.simulation.case_run import run_of
from attlas.verify.simulation.pairing import RTOL, paired_at
from attlas.verify.spectra.parts import measured_parts
from attlas.verify.store.case import Case

_KEYS = ("over", "under", "approx", "error_scaled")


def measure(case: Case) -> Measurement:
    """The parts of a trained head beside those of theory at its own teacher."""
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
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The parts under a law with one parameter changed."""
    paired = paired_at(case)
    theory = decompose(paired, rtol=RTOL)
    solution = theory.solution
    epsilon, delta = {
        "threshold-missing": (0.0, solution.delta),
        DELTA_LARGER.id: (solution.epsilon, LARGER * solution.delta),
    }[control.id]
    law = target_law(paired.target)
    learned = Rule(solution.eta, epsilon, epsilon)
    parts = split_error(law, law.noisy(delta), learned, theory.eta_star)
    return {key: getattr(parts, key) for key in _KEYS}


DECOMPOSITION = Experiment(measure, wrong)
