"""The parts of the squared error of a trained head, from its eigenvectors."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

from model import Problem
from solver.decomposition import LearnedSpectrum, decompose, split_error
from solver.spectrum import target_law
from verify.case import Case
from verify.experiment import Experiment, Measurement
from verify.pairing import paired_problem
from verify.simulate import simulate
from verify.spectra.parts import measured_parts
from verify.student import width_of
from verify.teacher import draw_teacher

#: Relative accuracy of the theory.
RTOL = 1e-4
#: What the control changes the noise of the law by.
FACTOR = 1.1
_KEYS = ("over", "under", "approx", "error_scaled")


def measure(case: Case) -> Measurement:
    """The parts of a trained head beside those of theory at its own teacher."""
    clock = perf_counter()
    (run,) = simulate(
        case.problem,
        d=case.d,
        seeds=[case.seed],
        algorithm=case.algorithm,
        centring=case.centring,
        tokens_law=case.tokens_law,
        paired=False,
        overlaps=True,
        raise_on_failure=False,
    ).runs
    theory = decompose(_paired(case), rtol=RTOL)
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
    paired = _paired(case)
    theory = decompose(paired, rtol=RTOL)
    solution = theory.solution
    learned = LearnedSpectrum(solution.eta, solution.delta, solution.epsilon)
    changed = {
        "threshold-missing": replace(learned, epsilon=0.0),
        "delta-larger": replace(learned, delta=FACTOR * learned.delta),
    }
    parts = split_error(target_law(paired.target), changed[control], theory.eta_star)
    return {key: getattr(parts, key) for key in _KEYS}


def _paired(case: Case) -> Problem:
    problem, d = case.problem, case.d
    teacher = draw_teacher(problem.target, d, case.seed)
    return paired_problem(problem, teacher, problem.samples(d), width_of(problem.estimator, d))


DECOMPOSITION = Experiment(measure, wrong)
