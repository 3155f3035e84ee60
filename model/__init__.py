"""What a problem is: Problem = Target x Channel x Estimator, exact and validated, no numerics."""

from model.channels import Channel, LinearChannel, SoftmaxChannel
from model.errors import BadInput
from model.estimators import Estimator, Factorised
from model.problem import Problem
from model.targets import Atoms, Target, Wishart

__all__ = [
    "Atoms",
    "BadInput",
    "Channel",
    "Estimator",
    "Factorised",
    "LinearChannel",
    "Problem",
    "SoftmaxChannel",
    "Target",
    "Wishart",
]
