"""The judge: paired deviations in, verdicts with their numbers out."""

from verify.judgement.equivalence import band_test, holm
from verify.judgement.extrapolation import Extrapolation, extrapolate
from verify.judgement.judge import LEVEL, ControlVerdict, judge, judge_control
from verify.judgement.power import POWER, Plan, plan
from verify.judgement.question import Question, Sample
from verify.judgement.verdict import Outcome, Verdict, overall

__all__ = [
    "LEVEL",
    "POWER",
    "ControlVerdict",
    "Extrapolation",
    "Outcome",
    "Plan",
    "Question",
    "Sample",
    "Verdict",
    "band_test",
    "extrapolate",
    "holm",
    "judge",
    "judge_control",
    "overall",
    "plan",
]
