"""What every estimator is."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar


class Estimator(ABC):
    """A penalty, hence a spectral denoiser: how S is chosen given the data.

    Subclasses are frozen dataclasses whose fields are exact and validated.
    """

    name: ClassVar[str]
