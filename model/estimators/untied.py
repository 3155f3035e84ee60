"""Training of two factors: queries and keys of their own."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from attlas.model.errors import BadInput
from attlas.model.estimators.estimator import Estimator
from attlas.model.estimators.penalty import Penalty, weight_decay
from attlas.model.exact import Number, whole
from attlas.model.scores import Scores

#: Keys that are the sequence's other tokens, and keys that are all of its tokens.
MASKED, OWN = "masked", "self"


@dataclass(frozen=True, init=False)
class Untied(Estimator):
    """S = W_Q W_K^T/sqrt(p d), p = kappa d, penalty (lam/2)(||W_Q||_F^2 + ||W_K||_F^2) in the loss.

    The penalty is a nuclear norm: its minimum over the factors of S is d lam_tilde ||S||_*, with
    lam_tilde = sqrt(kappa) lam.

    Parameters
    ----------
    lam : number >= 0
        Weight decay, in the loss that is summed over samples. 0 means the limit lam -> 0+.
    kappa : number > 0
        Width ratio p/d of both factors; queries and keys have the same width and dimension.
    keys : int >= 1 or "masked", optional
        How many keys every query attends to, of tokens of their own (cross-attention); by default
        as many as there are queries. "masked": the other tokens of the same sequence, without the
        diagonal, which has the same limit at T - 1 keys.

    Raises
    ------
    BadInput
        For a field that is no number, or out of range; for self-attention with its diagonal.

    Notes
    -----
    theory.md section 19. With the diagonal, x^T S x senses the symmetric part of S alone, and the
    theory misses the test error by 10 to 20 %.
    """

    lam: Fraction
    kappa: Fraction
    keys: int | str | None

    name: ClassVar[str] = "untied"

    def __init__(self, lam: Number, kappa: Number = 1, keys: Number | str | None = None) -> None:
        self._read(lam=lam, kappa=kappa)
        object.__setattr__(self, "keys", _keys(keys))

    @property
    def penalty(self) -> Penalty:
        decay = weight_decay(self.lam, self.kappa)
        return Penalty(decay, positive=False, width=self.kappa, symmetric=False)

    @property
    def masked(self) -> bool:
        """Whether keys are the other tokens of the sequence that the queries are of."""
        return self.keys == MASKED

    def scores(self, tokens: int) -> Scores:
        if self.masked:
            if tokens < 3:
                raise BadInput(
                    "tokens", tokens, "must be 3 or more for `keys=masked`, to attend to two others"
                )
            return Scores(tokens, tokens - 1, symmetric=False)
        keys = tokens if self.keys is None else int(self.keys)
        if (tokens == 1) != (keys == 1):
            valid = "must be 1 for one token" if tokens == 1 else "must be 2 or more"
            raise BadInput("keys", keys, valid, "the softmax of one score is 1 whatever it is")
        return Scores(tokens, keys, symmetric=False)


def _keys(given: Any) -> int | str | None:
    if given is None or given == MASKED:
        return given
    if given == OWN:
        raise BadInput(
            "keys",
            given,
            "must be a number of keys from other tokens, or masked: with the diagonal in it "
            "x^T S x senses the symmetric part of S alone, which no theory here covers",
            "mask the diagonal",
        )
    return whole("keys", given, at_least=1)
