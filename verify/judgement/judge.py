"""From questions to verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

from attlas.verify.judgement.equivalence import BandTest, band_test, established, holm, step_up
from attlas.verify.judgement.extrapolation import Extrapolation, extrapolate
from attlas.verify.judgement.power import plan, power_of
from attlas.verify.judgement.question import Question
from attlas.verify.judgement.rate import rate
from attlas.verify.judgement.verdict import Outcome, Verdict

#: Family-wise level of both kinds of verdict.
LEVEL = 0.05

#: p-value at which a fit is given up for one more power of 1/d, and without a verdict where there
#: are too few sizes to test that one. Not corrected for the number of questions: a good fit called
#: bad costs power alone, a bad fit called good costs the promise.
FIT_LEVEL = 0.01

#: A misfit that moves no mean by this share of the band's half-width cannot change the verdict,
#: however significant it is: differences of rounding have no power of d.
IMMATERIAL = 0.01

#: Fewest sizes for a verdict: two fix the line, the third can contradict it.
FEWEST_SIZES = 3

#: With a larger share of runs that did not converge, those that did are a biased selection.
MOST_FAILURES = 0.1


@dataclass(frozen=True)
class ControlVerdict:
    """A deliberately wrong theory, judged on the same runs.

    Attributes
    ----------
    claim, control : str
    rejected : bool
        Whether at least one quantity at one point lies significantly outside its band. A control
        that is not rejected is accepted, and the suite has failed.
    verdicts : tuple of Verdict
        Those of the wrong theory, strongest evidence against it first.
    """

    claim: str
    control: str
    rejected: bool
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class _Measured:
    """A question whose runs allow an extrapolation."""

    fit: Extrapolation
    fits_well: bool
    systematic: float
    test: BandTest


@dataclass(frozen=True)
class _Corrected:
    """The p-values of one question after correction, and the family they were corrected in.

    Attributes
    ----------
    agree, disagree : float
    level : float
    family : int
        Questions in all.
    rank : int
        1 plus the other questions that do not agree: agreement is tested at the level over it.
    """

    agree: float
    disagree: float
    level: float
    family: int
    rank: int


def judge(questions: Sequence[Question], level: float = LEVEL) -> tuple[Verdict, ...]:
    """Judge all questions of a suite together.

    Parameters
    ----------
    questions : sequence of Question
        One family. For agreement the correction is Hochberg's: questions that pass do not weigh on
        one another, each that does not makes it harder for the others. For disagreement, which is
        not expected of any, it is Holm's.
    level : float
        Chance, over the whole family, of any false agreement, and of any false disagreement.

    Returns
    -------
    tuple of Verdict
        In the order of the questions.
    """
    answerable = [question for question in questions if _answerable(question)]
    measured = _measure(answerable)
    barred = [_barred(question, item) for question, item in zip(answerable, measured, strict=True)]
    # What is barred from a verdict is not tested, whatever its numbers.
    inside = [
        1.0 if bar else item.test.p_inside for bar, item in zip(barred, measured, strict=True)
    ]
    agree = step_up(inside)
    disagree = holm([item.test.p_outside for item in measured])
    left = sum(p > level for p in agree)
    verdicts = {
        id(question): _verdict(
            question,
            item,
            bar,
            _Corrected(p, q, level, len(measured), left + (p <= level)),
        )
        for question, item, bar, p, q in zip(
            answerable, measured, barred, agree, disagree, strict=True
        )
    }
    return tuple(verdicts.get(id(question)) or _unmeasured(question) for question in questions)


def judge_control(
    claim: str, control: str, questions: Sequence[Question], level: float = LEVEL
) -> ControlVerdict:
    """Judge a wrong theory: ``questions`` hold the runs paired with it."""
    verdicts = judge(questions, level)
    ordered = tuple(sorted(verdicts, key=lambda verdict: verdict.p_disagree))
    rejected = any(verdict.outcome is Outcome.DISAGREES for verdict in ordered)
    return ControlVerdict(claim, control, rejected, ordered)


def _answerable(question: Question) -> bool:
    """Whether there is theory, a second size, and a second seed somewhere."""
    sizes = [sample.d for sample in question.usable]
    return question.has_theory and 1 < len(set(sizes)) < len(sizes)


def _measure(questions: Sequence[Question]) -> list[_Measured]:
    """Extrapolate each question by a line, and by a parabola where the line is ruled out."""
    measured = []
    for question in questions:
        fit = _fit(question, order=1)
        ruled_out = _ruled_out(fit)
        systematic = _theory_error(question, fit)
        if ruled_out and fit.residual <= IMMATERIAL * (question.high - question.low) / 2:
            ruled_out = False
            systematic += fit.residual * math.fsum(abs(weight) for weight in fit.weights)
        elif ruled_out and len(fit.sizes) > 2:
            fit = _fit(question, order=2)
            # A parabola through three means always fits: the line's failure then stands.
            ruled_out = _ruled_out(fit) or fit.misfit.dof == 0
            systematic = _theory_error(question, fit)
        systematic += fit.truncation
        test = band_test(
            fit.intercept, fit.standard_error, fit.dof, question.low, question.high, systematic
        )
        measured.append(_Measured(fit, not ruled_out, systematic, test))
    return measured


def _fit(question: Question, order: int) -> Extrapolation:
    samples = question.usable
    deviations = [sample.deviation(question.quantity) for sample in samples]
    return extrapolate([sample.d for sample in samples], deviations, order)


def _ruled_out(fit: Extrapolation) -> bool:
    return fit.misfit.p <= FIT_LEVEL  # never where it is NaN


def _theory_error(question: Question, fit: Extrapolation) -> float:
    """Worst effect of the theory's error bars, which may have the same sign in all runs."""
    return math.fsum(
        abs(weight)
        * max(s.relative_theory_error(question.quantity) for s in question.usable if s.d == size)
        for weight, size in zip(fit.weights, fit.sizes, strict=True)
    )


def _unmeasured(question: Question) -> Verdict:
    if not question.has_theory and question.samples:
        outcome, reason = Outcome.NO_THEORY, "theory gives no value here"
    elif len({sample.d for sample in question.usable}) < FEWEST_SIZES:
        outcome = Outcome.UNDECIDED
        reason = f"fewer than {FEWEST_SIZES} sizes with converged runs: add sizes"
    else:
        outcome = Outcome.UNDECIDED
        reason = "a single seed has no error bar: at least 2 seeds at each size would decide"
    return Verdict(
        claim=question.claim,
        point=question.point,
        quantity=question.quantity,
        outcome=outcome,
        reason=reason,
        low=question.low,
        high=question.high,
        failed_runs=len(question.samples) - len(question.usable),
    )


def _verdict(
    question: Question, measured: _Measured, barred: str, corrected: _Corrected
) -> Verdict:
    fit = measured.fit
    outcome, reason = (
        (Outcome.UNDECIDED, barred) if barred else _decide(question, measured, corrected)
    )
    half = fit.standard_error * float(stats.t.isf(corrected.level, fit.dof)) + measured.systematic
    wanted = (question.high - question.low) / 2
    margin = established(
        fit.intercept - (question.low + question.high) / 2,
        fit.standard_error,
        fit.dof,
        corrected.level / corrected.family,
        measured.systematic,
    )
    if barred:
        margin = math.inf
    elif outcome is Outcome.AGREES:
        margin = min(margin, wanted)
    expected = bool(question.departure) and outcome is Outcome.AGREES
    if expected:
        # Inside its declared band, a departure is a disagreement that was announced.
        outcome = Outcome.DISAGREES
        reason = f"departs from theory as declared: {question.departure}"
    band = (question.low, question.high, measured.systematic, corrected.level)
    power = power_of(fit, *band, corrected.rank)[0]
    detectable = power_of(fit, *band, corrected.family)[1]
    return Verdict(
        claim=question.claim,
        point=question.point,
        quantity=question.quantity,
        outcome=outcome,
        reason=reason,
        expected=expected,
        low=question.low,
        high=question.high,
        sizes=fit.sizes,
        seeds=fit.counts,
        failed_runs=len(question.samples) - len(question.usable),
        deviation=fit.intercept,
        standard_error=fit.standard_error,
        dof=fit.dof,
        interval=(fit.intercept - half, fit.intercept + half),
        margin=margin,
        systematic=measured.systematic,
        coefficients=fit.coefficients,
        order=fit.order,
        goodness_of_fit=fit.misfit.p,
        chi_square=fit.misfit.chi_square,
        fit_dof=fit.misfit.dof,
        power=power if len(fit.sizes) >= FEWEST_SIZES else 0.0,
        detectable=detectable,
        rate=rate(
            [sample.d for sample in question.usable],
            [sample.deviation(question.quantity) for sample in question.usable],
        ),
        p_agree=measured.test.p_inside,
        p_disagree=measured.test.p_outside,
        p_agree_step_up=corrected.agree,
        p_disagree_holm=corrected.disagree,
    )


def _barred(question: Question, measured: _Measured) -> str:
    """Why runs allow no verdict, whatever they found; empty where they allow one."""
    fit = measured.fit
    failed = len(question.samples) - len(question.usable)
    if failed > MOST_FAILURES * len(question.samples):
        return (
            f"{failed} of {len(question.samples)} runs did not converge, and the others may be a "
            "biased selection: more optimiser steps would decide"
        )
    if len(fit.sizes) < FEWEST_SIZES:
        return (
            f"{len(fit.sizes)} sizes cannot contradict an extrapolation: d = {2 * fit.sizes[-1]} "
            "besides would decide"
        )
    return "" if measured.fits_well else _misfit_sentence(fit)


def _decide(question: Question, measured: _Measured, corrected: _Corrected) -> tuple[Outcome, str]:
    fit, level = measured.fit, corrected.level
    if corrected.agree <= level:
        return Outcome.AGREES, "the interval lies inside the band, corrected for all tests"
    if corrected.disagree <= level:
        return Outcome.DISAGREES, "the interval lies outside the band, corrected for all tests"
    test = measured.test
    family = corrected.rank if test.p_inside < test.p_outside else corrected.family
    way = plan(fit, question.low, question.high, measured.systematic, level, family)
    alone = ""
    if test.p_inside <= level:
        alone = f"agrees alone, but not beside {corrected.rank - 1} others that are undecided; "
    elif test.p_outside <= level:
        alone = f"outside alone, but not among {corrected.family} tests; "
    return Outcome.UNDECIDED, alone + way.sentence()


def _misfit_sentence(fit: Extrapolation) -> str:
    more = f"d = {2 * fit.sizes[-1]} besides would decide"
    if fit.misfit.dof == 0:
        return (
            f"a line in 1/d is ruled out, and {len(fit.sizes)} sizes cannot contradict a parabola: "
            + more
        )
    misfit = fit.misfit
    return (
        f"the sizes do not follow powers of 1/d up to {fit.order} (chi-square "
        f"{misfit.chi_square:.3g} for {misfit.dof} degrees of freedom, p = {misfit.p:.2g}): {more}"
    )
