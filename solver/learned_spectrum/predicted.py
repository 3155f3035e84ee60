"""S0 + delta Z of a solution, and what the penalty makes of it: the law of the trained map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from attlas.model import Problem
from attlas.solver.learned_spectrum.result import Density, LearnedBand, LearnedOutlier, Undetected
from attlas.solver.learned_spectrum.rule import Rule, rule
from attlas.solver.solution import Observables
from attlas.solver.spectrum import (
    NoisyLaw,
    SpikedTargetLaw,
    TargetLaw,
    outliers,
    spiked,
    target_law,
)

#: The noise that stands for none where the target is recovered exactly: it moves no edge by more.
NO_NOISE = 1e-9
#: Eigenvalues of a recovered target below this share of its largest are its null space.
_NULL = 1e-6

#: Points of the density in each band, as fractions of it: square-root edges become smooth.
_FRACTIONS = np.sin(np.linspace(0, np.pi / 2, 49)) ** 2
_ENDS = np.array([0.0, 1.0])
#: Most bands with that many.
_GRIDDED = 60

_MERGED = "it does not detach from the bulk, and the learned map has no overlap with it"
_CROWDED = "it is too close to the bulk for d eigenvalues to resolve: raise d, or the spike"
_CUT = "it detaches from the bulk, but below the threshold epsilon under which all is set to zero"


@dataclass(frozen=True)
class Predicted:
    """The law of the trained map at one solution.

    Attributes
    ----------
    target : TargetLaw
    noisy : NoisyLaw
    delta : float
    rule : Rule
    d : int or None
        Number of eigenvalues of a target that is given by them.
    """

    target: TargetLaw
    noisy: NoisyLaw
    delta: float
    rule: Rule
    d: int | None

    @classmethod
    def of(cls, problem: Problem, solution: Observables, law: TargetLaw | None = None) -> Predicted:
        """The law at a solution; where the target is recovered exactly, that of the target.

        Parameters
        ----------
        problem : Problem
        solution : Observables
        law : TargetLaw, optional
            The target's, where it is at hand. By default eigenvalues in groups are resolved, so
            that every band is one of all d of them.
        """
        d, delta = problem.target.dimension, solution.delta or NO_NOISE
        if law is None:
            law = target_law(problem.target).resolved(delta)
        noisy = law.noisy(delta)
        if solution.delta == 0:
            exact = Rule(solution.eta, 0.0, _NULL * noisy.top)
            return cls(law, noisy, delta, exact, d)
        return cls(law, noisy, delta, rule(problem.estimator, solution, noisy), d)

    def moved(self, problem: Problem, solution: Observables) -> Predicted:
        """The law of the same target at a solution close by."""
        return Predicted.of(problem, solution, self.target)

    def coarser(self, problem: Problem, solution: Observables) -> Predicted | None:
        """With groups, if there are any, twice as wide in the bulk: what they change."""
        law = self.target.coarser(self.delta)
        return None if law is None else Predicted.of(problem, solution, law)

    @property
    def rank_fraction(self) -> float:
        """Share of eigenvalues beyond the cut."""
        if np.isneginf(self.rule.cut):
            return 1.0
        return self.noisy.truncated(self.rule.cut).mass

    def bands(self) -> tuple[LearnedBand, ...]:
        """Of the non-zero learned eigenvalues, increasing."""
        found, left = [], self.rank_fraction
        for band in reversed(self.noisy.bands()):
            if band.upper <= self.rule.cut:
                break
            mass = band.mass if band.lower >= self.rule.cut else left
            left -= mass
            found.append(
                LearnedBand(self.rule.above(band.lower), self.rule.above(band.upper), mass)
            )
        return tuple(reversed(found))

    @property
    def bulk_edge(self) -> float | None:
        """Where the lowest of several bands ends in the learned map."""
        bands = self.noisy.bands()
        if len(bands) == 1:
            return None
        return self.rule.above(bands[0].upper)

    def outliers(self) -> tuple[LearnedOutlier, ...]:
        """Learned ones, largest first."""
        return tuple(
            LearnedOutlier(
                location=self.rule.above(one.location),
                overlap=one.overlap,
                multiplicity=one.multiplicity,
                target=sum(one.spikes) / len(one.spikes),
            )
            for one in outliers(self.target, self.delta, self.d)
            if one.location > self.rule.cut
        )

    def undetected(self) -> tuple[Undetected, ...]:
        """Spikes that the learned map does not show, with the reason."""
        law = spiked(self.target)
        if law is None:
            return ()
        found = outliers(self.target, self.delta, self.d)
        detached = {spike for one in found for spike in one.spikes}
        shown = {s for one in found if one.location > self.rule.cut for s in one.spikes}
        missing = []
        for spike, _ in law.spikes:
            if spike in shown:
                continue
            needs = needed(law, self.delta, self.rule.cut, spike)
            reason = _CUT if spike in detached else _CROWDED if spike > needs else _MERGED
            missing.append(Undetected(spike, needs, reason))
        return tuple(missing)

    def density(self) -> Density:
        """On points that are dense towards the edges of each band: quadrature nodes, and more.

        Of very many bands only the heaviest have more than their nodes.
        """
        nodes = self.noisy.nodes(self.rule.cut)
        bands = [band for band in self.noisy.bands() if band.upper > self.rule.cut]
        heaviest = set(np.argsort([-band.mass for band in bands], kind="stable")[:_GRIDDED])
        x, rho = [], []
        for index, band in enumerate(bands):
            start = max(band.lower, self.rule.cut)
            gridded = index in heaviest
            grid = start + (band.upper - start) * (_FRACTIONS if gridded else _ENDS)
            heights = np.zeros_like(grid)
            if gridded or start > band.lower:
                heights = self.noisy.density(grid)
            if start == band.lower:
                heights[0] = 0.0
            heights[-1] = 0.0
            low, high = np.searchsorted(nodes.x, (start, band.upper))
            points = np.concatenate((grid, nodes.x[low:high]))
            points, order = np.unique(points, return_index=True)
            x.append(points)
            rho.append(np.concatenate((heights, nodes.rho[low:high]))[order])
        learned = self.rule.scale * (np.concatenate([*x, []]) - self.rule.shift)
        density = np.concatenate([*rho, []]) / self.rule.scale
        return Density(tuple(learned.tolist()), tuple(density.tolist()))


def needed(law: SpikedTargetLaw, delta: float, cut: float, above: float) -> float:
    """A spike above a given value from which on the learned map shows it.

    Parameters
    ----------
    law : SpikedTargetLaw
    delta : float
    cut : float
        Where S0 + delta Z is set to zero below.
    above : float
    """
    least = law.detectable(delta, above)
    if law.location(least * (1 + 1e-12), delta) >= cut:
        return least
    top = law.transform.top
    lowest = law.detectable(delta, max(top, above)) * (1 + 1e-12)
    if law.location(lowest, delta) >= cut:
        return lowest
    # location(spike) > spike, so that the cut itself is an upper bracket
    return float(brentq(lambda spike: law.location(spike, delta) - cut, lowest, cut))  # type: ignore[arg-type]
