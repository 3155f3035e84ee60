"""The judge: paired deviations in, verdicts with their numbers out."""

from attlas.verify.judgement.equivalence import band_test, established, holm, step_up
from attlas.verify.judgement.extrapolation import Extrapolation, extrapolate
from attlas.verify.judgement.judge import LEVEL, ControlVerdict, judge, judge_control
from attlas.verify.judgement.power import POWER, Plan, plan
from attlas.verify.judgement.question import Question, Sample
from attlas.verify.judgement.verdict import Outcome, State, Verdict, overall

__all__ = [
    "LEVEL",
    "POWER",
    "ControlVerdict",
    "Extrapolation",
    "Outcome",
    "Plan",
    "Question",
    "Sample",
    "State",
    "Verdict",
    "band_test",
    "established",
    "extrapolate",
    "holm",
    "judge",
    "judge_control",
    "overall",
    "plan",
    "step_up",
]
