"""What a band of a learned spectrum is: the bulk, the signal, or an outlier's."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from attlas.solver.learned_spectrum import LearnedBand, LearnedOutlier, Spectrum


class Kind(Enum):
    """Kinds of bands, each in a colour of its own wherever it is drawn."""

    BULK = "bulk"
    SIGNAL = "band of the signal"
    OUTLIERS = "bands of outliers"


def band_kind(band: LearnedBand, spectrum: Spectrum) -> Kind:
    """The kind of one of the bands of a spectrum."""
    if _of_outlier(band, spectrum.outliers):
        return Kind.OUTLIERS
    if spectrum.bulk_edge is None or band.upper <= spectrum.bulk_edge * (1 + 1e-9):
        return Kind.BULK
    return Kind.SIGNAL


def _of_outlier(band: LearnedBand, outliers: Sequence[LearnedOutlier]) -> bool:
    """Whether a band is that of an outlier of a target given by d eigenvalues."""
    return any(band.lower <= one.location <= band.upper for one in outliers) and band.mass < 0.1
