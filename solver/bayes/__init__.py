"""The Bayes-optimal reference: the best that any method can do with the data."""

from attlas.solver.bayes.solution import bayes_solution

__all__ = ["bayes_solution"]
