"""The limit lam -> 0+, and the linear channel at any penalty, without iteration."""

from attlas.solver.ridgeless.route import branch_from_peak, penalised_solution

__all__ = ["branch_from_peak", "penalised_solution"]
