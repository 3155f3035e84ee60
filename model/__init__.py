"""What a problem is: Problem = Target x Channel x Estimator, exact and validated, no numerics."""

from model.channels import Channel, LinearChannel, SoftmaxChannel
from model.errors import BadInput
from model.estimators import (
    BayesOptimal,
    Direct,
    DirectPSD,
    Estimator,
    Factorised,
    WidthLimited,
)
from model.parameters import PARAMETERS, parameters_of, problem_from
from model.problem import Problem, require_problem
from model.targets import Atoms, PowerLaw, Spiked, Target, Wishart

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
