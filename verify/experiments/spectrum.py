"""The spectrum of a trained head beside draws of eta ReLU(S0 + delta Z - epsilon) at the same d."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attlas.solver import solve
from attlas.solver.learned_spectrum.rule import Rule, rule
from attlas.solver.spectrum import target_law
from attlas.verify.claims.claim import Control
from attlas.verify.claims.controls.larger_parameters import DELTA_LARGER, EPSILON_LARGER, LARGER
from attlas.verify.data.randomness import generator
from attlas.verify.experiments.experiment import Experiment, Measurement
from attlas.verify.simulation.case_run import run_of
from attlas.verify.simulation.pairing import RTOL, paired_at
from attlas.verify.spectra import Draw, Quantiles, draw_learned, statistics
from attlas.verify.store.case import Case

#: Draws of the predicted law at each teacher. Their own error is part of the scatter over seeds.
DRAWS = 200


def measure(case: Case) -> Measurement:
    """Statistics of a trained map beside their means over draws of the law at its own teacher."""
    run = run_of(case, overlaps=True)
    assert run.overlaps is not None
    law = _Law.of(case)
    quantiles = Quantiles.of(law.draws(case))
    trained = Draw(np.array(run.eigenvalues), run.overlaps)
    reference = law.expected(case, quantiles)
    return Measurement(
        measured=_relative(statistics(trained, law.teacher, quantiles), quantiles),
        reference=reference,
        reference_error={key: RTOL * abs(value) for key, value in reference.items()},
        converged=run.converged and run.certificate.minimal,
        certificate=run.certificate.gradient,
        data_hash=run.data_hash,
    )


def wrong(case: Case, control: Control) -> dict[str, float]:
    """The same statistics under a law with one parameter changed.

    Distances are measured from the quantiles of the right law, as those of the run are.
    """
    law = _Law.of(case)
    quantiles = Quantiles.of(law.draws(case))
    changed = {
        EPSILON_LARGER.id: replace(law, rule=_with_threshold(law.rule, LARGER * law.rule.shift)),
        DELTA_LARGER.id: replace(law, delta=LARGER * law.delta),
    }
    return changed[control.id].expected(case, quantiles)


def _with_threshold(right: Rule, threshold: float) -> Rule:
    return Rule(right.scale, threshold, threshold)


def _relative(found: dict[str, float], quantiles: Quantiles) -> dict[str, float]:
    """The distance as 1 + distance/(mean eigenvalue): it vanishes as d grows, like its law."""
    mean = float(quantiles.mean.mean())
    return found | {"wasserstein": 1 + found["wasserstein"] / mean}


@dataclass(frozen=True, eq=False)
class _Law:
    """The law predicted at the teacher of a case."""

    teacher: tuple[float, ...]
    rule: Rule
    delta: float

    @classmethod
    def of(cls, case: Case) -> _Law:
        paired = paired_at(case)
        solution = solve(paired, rtol=RTOL)
        noisy = target_law(paired.target).noisy(solution.delta)
        eigenvalues = paired.target.eigenvalues
        assert eigenvalues is not None
        learned = rule(paired.estimator, solution, noisy)
        return cls(tuple(eigenvalues), learned, solution.delta)

    def draws(self, case: Case) -> list[Draw]:
        """The same noise Z for every law at this case."""
        rng = generator(case.seed, "predicted-law")
        return list(draw_learned(self.teacher, self.rule, self.delta, DRAWS, rng))

    def expected(self, case: Case, quantiles: Quantiles) -> dict[str, float]:
        """Mean statistics over draws, their distance from given quantiles among them."""
        rows = [
            _relative(statistics(one, self.teacher, quantiles), quantiles)
            for one in self.draws(case)
        ]
        return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


SPECTRUM = Experiment(measure, wrong)
