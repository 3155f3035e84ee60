"""What heads must contradict: that state evolution describes my model."""

from my_model import Elastic, LogCosh, TwoScales

import attlas

problem = attlas.Problem(
    alpha=3,
    target=TwoScales("1/4", 2),
    channel=LogCosh("0.2"),
    estimator=Elastic(lam=1, ridge="0.5"),
)


def without_ridge(problem):
    return attlas.solve(problem.with_(estimator=Elastic(problem.estimator.lam)))


@attlas.claim(problem, key=("loss", "test_error"), seeds=8, wrong={"no ridge": without_ridge})
def elastic_log_cosh(problem):
    """Heads trained on log cosh under an elastic penalty follow state evolution."""
    return attlas.solve(problem)
