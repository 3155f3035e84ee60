"""What every law of the tokens' entries is."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from attlas.model.registry import Named, Registry

if TYPE_CHECKING:
    import numpy as np


class TokenLaw(Named):
    """The law of isotropic tokens z, before they are given a covariance.

    A subclass is a frozen dataclass with a ``name``, whose fields are numbers (read exactly);
    :func:`attlas.register` puts it on the command line. Of a law the theory sees the
    fluctuation of the squared length alone: Var(||z||^2)/d = 2 + k with k the
    :attr:`excess_kurtosis`.

    Attributes
    ----------
    turns : bool
        Whether z has the same law in every basis. Where it does not, its entries are independent
        in one basis.
    normalised : bool
        Whether tokens are brought to the length sqrt(d) after they got their covariance.
    """

    parameter: ClassVar[str] = "tokens_law"
    turns: ClassVar[bool] = False
    normalised: ClassVar[bool] = False

    @property
    @abstractmethod
    def excess_kurtosis(self) -> Fraction:
        """k, exactly; at least -2."""

    @abstractmethod
    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Tokens z of mean 0 and covariance 1, along the last axis of ``shape``."""


#: The law of each ``--tokens-law``, by name.
LAWS: Registry[type[TokenLaw]] = Registry("tokens_law", "law", base=TokenLaw)
