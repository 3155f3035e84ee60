"""What a problem is: Target x Channel x Estimator x Tokens, exact and validated, no numerics."""

from attlas.model.channels import (
    Channel,
    KLChannel,
    LinearChannel,
    NextTokenChannel,
    SoftmaxChannel,
)
from attlas.model.errors import BadInput
from attlas.model.estimators import (
    BayesOptimal,
    Direct,
    DirectPSD,
    Estimator,
    Factorised,
    Penalty,
    Untied,
    WidthLimited,
)
from attlas.model.parameters import PARAMETERS, parameters_of, problem_from
from attlas.model.problem import Problem, require_isotropic, require_problem
from attlas.model.registry import load_plugin, register
from attlas.model.targets import Atoms, PowerLaw, Product, Spiked, Target, Wishart
from attlas.model.tokens import Tokens

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
    "KLChannel",
    "LinearChannel",
    "NextTokenChannel",
    "Penalty",
    "PowerLaw",
    "Problem",
    "Product",
    "SoftmaxChannel",
    "Spiked",
    "Target",
    "Tokens",
    "Untied",
    "WidthLimited",
    "Wishart",
    "load_plugin",
    "parameters_of",
    "problem_from",
    "register",
    "require_isotropic",
    "require_problem",
]
