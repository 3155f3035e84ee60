"""S0 + delta Z of a solution, and what the penalty makes of it: the law of the trained map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from model import Problem
from solver.learned_spectrum.result import Density, LearnedBand, LearnedOutlier, Undetected
from solver.learned_spectrum.rule import Rule, rule
from solver.solution import Solution
from solver.spectrum import NoisyLaw, SpikedTargetLaw, TargetLaw, outliers, target_law

#: The noise that stands for none where the target is recovered exactly: it moves no edge by more.
NO_NOISE = 1e-9
#: Eigenvalues of a recovered target below this share of its largest are its null space.
_NULL = 1e-6

#: Points of the density on each piece of the quadrature.
_POINTS = 64

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
    def of(cls, problem: Problem, solution: Solution) -> Predicted:
        """The law at a solution; where the target is recovered exactly, that of the target."""
        law, d = target_law(problem.target), problem.target.dimension
        if solution.delta == 0:
            noisy = law.noisy(NO_NOISE)
            exact = Rule(solution.eta, 0.0, _NULL * noisy.top)
            return cls(law, noisy, NO_NOISE, exact, d)
        noisy = law.noisy(solution.delta)
        return cls(law, noisy, solution.delta, rule(problem.estimator, solution, noisy), d)

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
        if not isinstance(self.target, SpikedTargetLaw):
            return ()
        found = outliers(self.target, self.delta, self.d)
        detached = {spike for one in found for spike in one.spikes}
        shown = {s for one in found if one.location > self.rule.cut for s in one.spikes}
        needs = needed(self.target, self.delta, self.rule.cut)
        missing = []
        for spike, _ in self.target.spikes:
            if spike in shown:
                continue
            reason = _CUT if spike in detached else _CROWDED if spike > needs else _MERGED
            missing.append(Undetected(spike, needs, reason))
        return tuple(missing)

    def density(self) -> Density:
        """On the quadrature nodes of the law, which are dense towards its edges, and the edges."""
        nodes = self.noisy.nodes(self.rule.cut, _POINTS)
        x, rho = [nodes.x], [nodes.rho]
        for band in self.noisy.bands():
            if band.upper <= self.rule.cut:
                continue
            inside = band.lower < self.rule.cut
            start = max(band.lower, self.rule.cut)
            x.append(np.array([start, band.upper]))
            height = float(self.noisy.density(start)) if inside else 0.0
            rho.append(np.array([height, 0.0]))
        points, heights = np.concatenate(x), np.concatenate(rho)
        order = np.argsort(points, kind="stable")
        learned = self.rule.scale * (points[order] - self.rule.shift)
        return Density(tuple(learned.tolist()), tuple((heights[order] / self.rule.scale).tolist()))


def needed(law: SpikedTargetLaw, delta: float, cut: float) -> float:
    """The least spike above the background that the learned map shows.

    Parameters
    ----------
    law : SpikedTargetLaw
    delta : float
    cut : float
        Where S0 + delta Z is set to zero below.
    """
    least = law.detectable(delta)
    lowest = least * (1 + 1e-12)
    if law.location(lowest, delta) >= cut:
        return least
    # location(spike) > spike, so that the cut itself is an upper bracket
    return float(brentq(lambda spike: law.location(spike, delta) - cut, lowest, cut))  # type: ignore[arg-type]
