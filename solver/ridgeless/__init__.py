"""The limit lam -> 0+, and the linear channel at any penalty, without iteration."""

from solver.ridgeless.route import penalised_solution

__all__ = ["penalised_solution"]
