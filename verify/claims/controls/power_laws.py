"""Theories of a power-law target with another exponent, and with less noise."""

from __future__ import annotations

from attlas.verify.claims.claim import Control

GAMMA_SHIFTED = Control("gamma-shifted", "The target's exponent γ is larger by 1/4.")
NOISE_HALVED = Control("noise-halved", "The variance of the noise is half of what it is.")
