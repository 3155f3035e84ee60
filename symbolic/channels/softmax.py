# sympy's own annotations are narrower than what its functions return.
# pyright: reportOperatorIssue=false, reportReturnType=false
"""The scores of the softmax channel: gradient and Hessian of the loss, invariances, basis."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from attlas.model import SoftmaxChannel
from attlas.symbolic.channels.equations import channel_loss
from attlas.symbolic.channels.loss import symmetric


@dataclass(frozen=True)
class Softmax:
    """Labels softmax_rows(beta0 z0), squared loss to softmax_rows(beta h), for T tokens.

    Attributes
    ----------
    count : int
        T >= 2.
    """

    count: int

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The independent entries (a, b), a <= b, of a symmetric score matrix."""
        return tuple((i, j) for i in range(self.count) for j in range(i, self.count))

    @cached_property
    def scores(self) -> sp.Matrix:
        """The student's symmetric score matrix h, as symbols."""
        return symmetric("h", self.count)

    @cached_property
    def teacher_scores(self) -> sp.Matrix:
        """The scores z0 behind the labels, as symbols."""
        return symmetric("z", self.count)

    @cached_property
    def metric(self) -> tuple[int, ...]:
        """1 + delta_ab for each pair: the variance of a score relative to an off-diagonal one."""
        return tuple(2 if i == j else 1 for i, j in self.pairs)

    @cached_property
    def loss(self) -> sp.Expr:
        """Sum over all ordered (a, b) of the squared difference of labels."""
        return channel_loss(SoftmaxChannel(self.count))

    def independent(self, scores: sp.Matrix) -> list[sp.Symbol]:
        """The entries a <= b of a symmetric matrix, in the order of ``pairs``."""
        return [scores[i, j] for i, j in self.pairs]

    def gradient(self) -> sp.Matrix:
        """Derivative of the loss in each independent score."""
        return sp.Matrix([sp.diff(self.loss, h) for h in self.independent(self.scores)])

    def hessian(self) -> sp.Matrix:
        """Second derivatives of the loss in the independent scores."""
        return sp.hessian(self.loss, self.independent(self.scores))

    def label_jacobian(self) -> sp.Matrix:
        """Derivative of the T^2 outputs in the independent scores, in exact rationals.

        Taken at scores log(r_ab)/beta with r_ab distinct primes, where every probability is
        rational: the rank of a rational matrix is decided exactly, and it is the generic one
        because a rank can only drop at special points.
        """
        size = self.count
        primes = [sp.prime(index + 1) for index in range(len(self.pairs))]
        place = dict(zip(self.pairs, primes, strict=True))
        weight = sp.Matrix(size, size, lambda i, j: place[min(i, j), max(i, j)])
        rows = [sp.Add(*weight.row(i)) for i in range(size)]
        share = sp.Matrix(size, size, lambda i, j: sp.Rational(weight[i, j], rows[i]))

        def entry(output: int, pair: int) -> sp.Expr:
            i, j = divmod(output, size)
            columns = {(i, b) for b in range(size) if self.pairs[pair] == (min(i, b), max(i, b))}
            return sp.Add(*(share[i, j] * (int(j == b) - share[i, b]) for _, b in columns))

        return sp.Matrix(size * size, len(self.pairs), entry)

    @cached_property
    def invariances(self) -> tuple[sp.Matrix, ...]:
        """A basis of the score directions that no label sees."""
        return tuple(self.label_jacobian().nullspace())

    @property
    def label_rank(self) -> int:
        """D: how many combinations of scores a label sees, the rank of the label's Jacobian."""
        return len(self.pairs) - len(self.invariances)

    @cached_property
    def basis(self) -> sp.Matrix:
        """E, with h_ab = sum_k E_ab,k zeta_k: columns orthonormal in sum_(a<=b) h^2/(1+delta_ab).

        The columns span the complement of the invariances in that metric, so that zeta has
        independent components of the variance of one off-diagonal score, and the proximal metric
        is |zeta - zeta_omega|^2/(2 sigma).
        """
        inverse = sp.diag(*(sp.Rational(1, weight) for weight in self.metric))
        columns: list[sp.Matrix] = [
            direction / sp.sqrt((direction.T * inverse * direction)[0])
            for direction in self.invariances
        ]
        skipped = len(columns)
        for index in range(len(self.pairs)):
            new = sp.Matrix([int(row == index) for row in range(len(self.pairs))])
            for column in columns:
                new -= column * (column.T * inverse * new)[0]
            norm = sp.sqrt(sp.nsimplify((new.T * inverse * new)[0]))
            if norm != 0:
                columns.append((new / norm).applyfunc(sp.simplify))
        return sp.Matrix.hstack(*columns[skipped:])
