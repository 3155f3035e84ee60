"""The theory with the threshold of the Bayes-optimal estimate."""

from __future__ import annotations

from attlas.verify.claims.claim import Control

BAYES_THRESHOLD = Control(
    id="bayes-threshold",
    statement=(
        "Recovery takes as many samples as for the Bayes-optimal estimate: the theory is taken at "
        "as much more data as training needs more than that."
    ),
)
