"""What a problem is: Problem = Target x Channel x Estimator, exact and validated, no numerics."""

from attlas.model.channels import Channel, LinearChannel, SoftmaxChannel
from attlas.model.errors import BadInput
from attlas.model.estimators import (
    BayesOptimal,
    Direct,
    DirectPSD,
    Estimator,
    Factorised,
    Penalty,
    WidthLimited,
)
from attlas.model.parameters import PARAMETERS, parameters_of, problem_from
from attlas.model.problem import Problem, require_problem
from attlas.model.targets import Atoms, PowerLaw, Spiked, Target, Wishart

__all__ = [
    "PARAMETERS",
    "Atoms",
    "BadInput",
    "BayesOptimal",
    "Channel",
    "Direct",
    "DirectPSD",
    "Estimator",
    "Factorised",
    "LinearChannel",
    "Penalty",
    "PowerLaw",
    "Problem",
    "SoftmaxChannel",
    "Spiked",
    "Target",
    "WidthLimited",
    "Wishart",
    "parameters_of",
    "problem_from",
    "require_problem",
]
