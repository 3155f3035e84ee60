"""What is asked of a threshold, and the answers that every threshold gives in the same form."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attlas.model import Estimator, Factorised, Problem, Target
from attlas.model.channels import channel_of
from attlas.solver.spectrum import target_law
from attlas.solver.thresholds.decimals import significant, upper_bound
from attlas.solver.thresholds.evaluation import GUARD, SymbolicValue, evaluated
from attlas.solver.thresholds.result import ThresholdResult, ThresholdStats, ThresholdStatus

if TYPE_CHECKING:
    from attlas.symbolic.free_convolution import Law

_PROVEN = " Existence and uniqueness within the radius are proven by interval arithmetic."


@dataclass(frozen=True)
class Question:
    """A threshold to compute.

    Attributes
    ----------
    name : str
    target : Target
    noise : Fraction
    tokens : int
        Of the channel of that many tokens, unless ``problem`` says more.
    digits : int
    certify : bool
    problem : Problem or None
        For thresholds that depend on a whole problem.
    began : float
        When the question was asked.
    """

    name: str
    target: Target
    noise: Fraction
    tokens: int
    digits: int
    certify: bool
    problem: Problem | None = None
    began: float = field(default_factory=time.perf_counter)

    @property
    def label_rank(self) -> int:
        """D of theory.md section 7."""
        if self.problem is None:
            return channel_of(self.tokens).label_rank
        return self.problem.label_rank

    @property
    def estimator(self) -> Estimator:
        """What is trained; weight decay on a factor unless ``problem`` says otherwise."""
        return Factorised(1) if self.problem is None else self.problem.estimator

    @property
    def freedom(self) -> int:
        """Free entries of the map over d^2/2: 2 where queries and keys are untied."""
        penalty = self.estimator.penalty
        return 1 if penalty is None else penalty.freedom

    @property
    def law(self) -> Law:
        """The law of the target, for closed forms."""
        from attlas.symbolic.free_convolution import law_of

        target_law(self.target)  # says where it is none
        return law_of(self.target)

    @property
    def rank(self) -> Fraction:
        """The share of the target's eigenvalues that are not 0: kappa0, or 1."""
        if self.target.factor_ratio is not None:
            return min(self.target.factor_ratio, Fraction(1))
        if self.target.eigenvalues is not None:
            return Fraction(sum(x != 0 for x in self.target.eigenvalues), self.target.dimension)
        return Fraction(str(self.law.rank))

    def absent(self, statement: str) -> ThresholdResult:
        """The answer where there is no threshold."""
        return self._result(None, None, statement, ThresholdStatus.ABSENT)

    def answer(
        self, value: SymbolicValue, unique: Callable[[int], bool], statement: str
    ) -> ThresholdResult:
        """The answer a = alpha D with all digits asked for."""
        found = evaluated(value, self.digits, self.certify, unique)
        alpha = found.value / self.label_rank
        text = significant(alpha, self.digits)
        radius = None
        if found.radius is not None:
            rounding = abs(Fraction(text) - alpha)
            radius = upper_bound(found.radius / self.label_rank + rounding)
        return self._result(
            text,
            significant(found.value, self.digits),
            statement + (_PROVEN if radius is not None else ""),
            self.status(radius),
            radius,
        )

    def status(self, radius: str | None) -> ThresholdStatus:
        """Whether the proof that was asked for was found."""
        if radius is not None:
            return ThresholdStatus.ENCLOSED
        return ThresholdStatus.NOT_ENCLOSED if self.certify else ThresholdStatus.FOUND

    def limited(self, alpha: float, error: float, statement: str) -> ThresholdResult:
        """The answer in double precision, with the digits that its error bar supports."""
        digits = min(self.digits, max(1, math.floor(-math.log10(2 * error / alpha))))
        product = Fraction(alpha) * self.label_rank
        status = ThresholdStatus.FOUND if digits >= self.digits else ThresholdStatus.LIMITED
        texts = significant(Fraction(alpha), digits), significant(product, digits)
        return replace(self._result(*texts, statement, status), digits=digits)

    def stats(self) -> ThresholdStats:
        """The cost so far."""
        return ThresholdStats(time.perf_counter() - self.began, self.digits + GUARD)

    def _result(
        self,
        alpha: str | None,
        product: str | None,
        statement: str,
        status: ThresholdStatus,
        radius: str | None = None,
    ) -> ThresholdResult:
        return ThresholdResult(
            name=self.name,
            alpha=alpha,
            alpha_times_D=product,
            digits=self.digits,
            certified=radius is not None,
            radius=radius,
            statement=statement,
            status=status,
            stats=self.stats(),
        )
