"""A loss, a penalty and a target of one's own."""

from dataclasses import dataclass
from fractions import Fraction

import attlas


@attlas.register
@dataclass(frozen=True)
class LogCosh(attlas.Channel):
    noise: Fraction = Fraction(0)
    name = "log-cosh"
    convex = True

    def loss(self, labels, scores, f):
        r = abs(labels[0][0] - scores[0][0])
        return r + f.log(1 + f.exp(-2 * r))  # log(2 cosh r), which does not overflow


@attlas.register
@dataclass(frozen=True)
class Elastic(attlas.Estimator):
    lam: Fraction
    ridge: Fraction = Fraction(0)
    name = "elastic"

    @property
    def penalty(self):
        return attlas.Penalty(self.lam, self.lam * self.ridge / 2, positive=True)


@attlas.register
@dataclass(frozen=True)
class TwoScales(attlas.Target):
    share: Fraction
    scale: Fraction
    name = "two-scales"

    def r_transform(self, g):  # of two Wishart matrices, one of them times the scale
        return self.share / (1 - g) + self.share * self.scale / (1 - self.scale * g)
