"""Tokens as they are: embeddings or activations from a file, prepared and measured."""

from attlas.solver.tokens.measure import tokens
from attlas.solver.tokens.prepare import Prepared, prepare
from attlas.solver.tokens.read import read_tokens
from attlas.solver.tokens.result import MeasuredTokens

__all__ = ["MeasuredTokens", "Prepared", "prepare", "read_tokens", "tokens"]
