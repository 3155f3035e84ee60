"""Tokens: the law of their entries, their covariance, and the correlation of positions."""

from attlas.model.tokens.covariance import COVARIANCES, Covariance, Eigenvalues
from attlas.model.tokens.law import LAWS, TokenLaw
from attlas.model.tokens.tokens import Tokens

__all__ = ["COVARIANCES", "LAWS", "Covariance", "Eigenvalues", "TokenLaw", "Tokens"]
