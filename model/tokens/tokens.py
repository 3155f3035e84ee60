"""The fourth part of a problem: what its tokens are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from attlas.model.errors import BadInput
from attlas.model.exact import Number
from attlas.model.names import Part
from attlas.model.tokens.covariance import COVARIANCES, Covariance, Eigenvalues
from attlas.model.tokens.law import LAWS, TokenLaw
from attlas.model.tokens.laws import of_fixed_length, of_normalised
from attlas.model.tokens.positions import POSITIONS, Matrix, Positions, Rows


@dataclass(frozen=True, init=False)
class Tokens(metaclass=Part):
    """The law of the tokens: by default independent N(0, 1) entries.

    Tokens are x_a = sum_b (A^(1/2))_ab C^(1/2) z_b with z isotropic. How many there are in a
    sequence is the channel's ``tokens``.

    Parameters
    ----------
    law : str or TokenLaw
        Of z: ``gaussian``, ``rademacher``, ``sphere``, ``normalised``, ``student:nu=7``,
        ``kurtosis:k=-2`` or ``three-point``. ``normalised`` brings Gaussian tokens of any
        covariance to the length sqrt(d), as models do it.
    covariance : str, Covariance, sequence of number or None
        C, the covariance of the coordinates, by its eigenvalues, which are scaled to mean 1:
        ``atoms:0.25/1.75`` (equal weights), ``ar1:rho=0.5``, ``power-law:a=1,d=400``,
        ``file:PATH`` (a list or C itself), or a list. None stands for the identity.
    positions : str, Positions, T x T matrix or None
        A, the correlation of the positions of a sequence: ``ar1:rho=0.3``, ``rows:1,0.3:0.3,1``
        or the matrix. None stands for independent tokens.

    Raises
    ------
    BadInput
        For an unknown law, a matrix that is no correlation, or parts that do not go together.

    Notes
    -----
    docs/tokens.md. The teacher's eigenvectors are uniform whatever the basis of C.
    """

    law: TokenLaw
    covariance: Covariance | None
    correlation: Positions | None

    def __init__(
        self,
        law: str | TokenLaw = "gaussian",
        covariance: str | Covariance | Iterable[Number] | None = None,
        positions: str | Positions | Iterable[Iterable[Number]] | None = None,
    ) -> None:
        object.__setattr__(self, "law", _law(law))
        object.__setattr__(self, "covariance", _covariance(covariance))
        object.__setattr__(self, "correlation", _correlation(positions))
        if self.covariance is not None and not self.law.turns and self.excess_kurtosis != 0:
            raise BadInput(
                "token_covariance",
                self.covariance.grammar(),
                f"does not go with `tokens_law={self.law.grammar()}`",
                "its entries are independent in the basis of the covariance itself, where the "
                "diagonal of C^(1/2) S C^(1/2), which their kurtosis multiplies, does not "
                "concentrate; take gaussian, sphere or normalised",
            )
        if self.correlation is not None and self.normalised:
            raise BadInput(
                "token_positions",
                self.correlation.grammar(),
                "does not go with `tokens_law=normalised`",
                "correlated tokens of fixed length are not in the theory",
            )

    @property
    def is_default(self) -> bool:
        """Whether these are independent N(0, 1) entries, the tokens of theory.md section 1."""
        return self == Tokens()

    @property
    def like_gaussian(self) -> bool:
        """Whether the theory does not tell these from the default: three moments of order one.

        Those are the fluctuation of the norm, the covariance and the correlation of positions.
        """
        plain = self.covariance is None and self.correlation is None
        return plain and not self.normalised and self.excess_kurtosis == 0

    @property
    def normalised(self) -> bool:
        """Whether tokens are brought to the length sqrt(d) after they got their covariance."""
        return self.law.normalised

    @property
    def gaussian(self) -> bool:
        """Whether tokens are Gaussian and independent of each other, whatever their covariance."""
        return self.law == _law("gaussian") and self.correlation is None

    @property
    def excess_kurtosis(self) -> Fraction:
        """k of z: Var(||z||^2)/d = 2 + k."""
        return self.law.excess_kurtosis

    @property
    def positions(self) -> Matrix | None:
        """A as a T x T matrix; None where positions are independent.

        An autoregressive one gets its size from the problem that the tokens are part of.
        """
        return self.correlation.rows if isinstance(self.correlation, Rows) else None

    def flat(self) -> dict[str, str]:
        """What differs from the usual tokens, as the flat parameters of a problem."""
        parts = {
            "tokens_law": self.law,
            "token_covariance": self.covariance,
            "token_positions": self.correlation,
        }
        usual = _law("gaussian")
        return {name: part.grammar() for name, part in parts.items() if part not in (None, usual)}

    def of_length(self, tokens: int) -> Tokens:
        """The same in sequences of T tokens, where the correlation of positions is a matrix.

        Raises
        ------
        BadInput
            If it is of another size.
        """
        if self.correlation is None:
            return self
        rows = Rows(self.correlation.matrix(tokens))
        identity = all(rows.rows[a][b] == 0 for a in range(tokens) for b in range(a))
        return Tokens(self.law, self.covariance, None if identity else rows)

    def at_dimension(self, d: int) -> Tokens:
        """What the theory of runs at dimension d is of: the covariance that its tokens have."""
        if self.covariance is None:
            return self
        return Tokens(self.law, Eigenvalues(self.second_moments(d)), self.correlation)

    def second_moments(self, d: int) -> np.ndarray:
        """E x_i^2 of the d coordinates that :meth:`draw` makes, of mean 1.

        The eigenvalues of C; where tokens are normalised, what that leaves of them.
        """
        if self.covariance is None:
            return np.ones(d)
        values = self.covariance.eigenvalues(d)
        return of_normalised(values) if self.normalised else values

    def draw(self, rng: np.random.Generator, shape: tuple[int, int, int]) -> np.ndarray:
        """n sequences of T tokens of dimension d, shape (n, T, d), in the eigenbasis of C."""
        x = self.law.draw(rng, shape)
        if self.positions is not None:
            values, vectors = np.linalg.eigh(np.array(self.positions, dtype=float))
            x = np.einsum("ab,nbi->nai", (vectors * values**0.5) @ vectors.T, x)
        if self.covariance is not None:
            x = x * self.covariance.eigenvalues(shape[2]) ** 0.5
        return of_fixed_length(x) if self.normalised else x


def _law(given: Any) -> TokenLaw:
    if isinstance(given, TokenLaw):
        return given
    name, law, rest = LAWS.named(given)
    with LAWS.within(name):
        return law.from_grammar(rest)


def _covariance(given: Any) -> Covariance | None:
    if given is None or isinstance(given, Covariance):
        return given
    if not isinstance(given, str):
        return Eigenvalues(given)
    name, reader, rest = COVARIANCES.named(given)
    with COVARIANCES.within(name):
        return reader(rest)


def _correlation(given: Any) -> Positions | None:
    if given is None or isinstance(given, Positions):
        return given
    if not isinstance(given, str):
        return Rows(given)
    name, form, rest = POSITIONS.named(given)
    with POSITIONS.within(name):
        return form.from_grammar(rest)
