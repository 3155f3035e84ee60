"""Derivations of the equations themselves: state evolution, spectrum, channel."""

from attlas.symbolic.derivations.channel import (
    channel_derivation,
    linear_derivation,
    softmax_derivation,
)
from attlas.symbolic.derivations.spectrum import spectrum_derivation
from attlas.symbolic.derivations.state_evolution import state_evolution_derivation

__all__ = [
    "channel_derivation",
    "linear_derivation",
    "softmax_derivation",
    "spectrum_derivation",
    "state_evolution_derivation",
]
