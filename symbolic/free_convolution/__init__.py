"""The law of S0 + delta Z: from an R-transform or atoms to polynomials, edges and closed forms."""

from symbolic.free_convolution.closed_forms import ClosedForms, closed_forms
from symbolic.free_convolution.curve import Curve, from_r_transform
from symbolic.free_convolution.numeric_law import NumericLaw
from symbolic.free_convolution.targets import SEMICIRCLE, WISHART, Spiked, atoms

__all__ = [
    "SEMICIRCLE",
    "WISHART",
    "ClosedForms",
    "Curve",
    "NumericLaw",
    "Spiked",
    "atoms",
    "closed_forms",
    "from_r_transform",
]
