"""The law of S0 + delta Z: from an R-transform or atoms to polynomials, edges and closed forms."""

from attlas.symbolic.free_convolution.closed_forms import ClosedForms, closed_forms
from attlas.symbolic.free_convolution.curve import Curve, from_r_transform
from attlas.symbolic.free_convolution.numeric_law import NumericLaw
from attlas.symbolic.free_convolution.targets import (
    PRODUCT,
    SEMICIRCLE,
    WISHART,
    Law,
    Spiked,
    atoms,
    law_of,
    r_transform_of,
)

__all__ = [
    "PRODUCT",
    "SEMICIRCLE",
    "WISHART",
    "ClosedForms",
    "Curve",
    "Law",
    "NumericLaw",
    "Spiked",
    "atoms",
    "closed_forms",
    "from_r_transform",
    "law_of",
    "r_transform_of",
]
