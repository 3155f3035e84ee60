"""What a channel's numeric kernel computes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Protocol, runtime_checkable

from attlas.solver.order_parameters import Overlaps

#: Absolute accuracy of a kernel's test errors where its integral is deterministic but not exact.
TEST_ACCURACY = 2e-9


@dataclass(frozen=True)
class ChannelMoments:
    """Gaussian expectations of the proximal operator at given overlaps (theory.md section 3).

    Attributes
    ----------
    energy : float
        M, the mean Moreau envelope of the loss per sample.
    d_sigma, d_m, d_q : float
        Its partial derivatives, in envelope (Stein) form.
    train_error : float
        Mean loss at the proximal point, the part of M without the proximal distance.
    response : float
        <Tr C r' C r'>, the sample factor of the replicon (theory.md section 10), smooth part.
    multi_minima_weight : float
        Probability that the proximal problem has two local minima.
    d_own, d_shared : float
        Its derivatives in what tokens add to the variance of a diagonal score of the student, and
        to its covariance with the teacher's (theory.md section 17).
    """

    energy: float
    d_sigma: float
    d_m: float
    d_q: float
    train_error: float
    response: float
    multi_minima_weight: float
    d_own: float = 0.0
    d_shared: float = 0.0

    @classmethod
    def of(
        cls,
        usual: Iterable[Any],
        multi_minima_weight: float,
        of_tokens: Iterable[Any] = (0.0, 0.0),
    ) -> ChannelMoments:
        """From the first six in their order, and the last two where tokens need them."""
        one, two, three, four, five, six = map(float, usual)
        own, shared = map(float, of_tokens)
        return cls(one, two, three, four, five, six, multi_minima_weight, own, shared)


MOMENT_KEYS: tuple[str, ...] = tuple(field.name for field in fields(ChannelMoments))


@dataclass(frozen=True)
class ScoreTokens:
    """What a kernel has to know of tokens that are not Gaussian and isotropic.

    Attributes
    ----------
    teacher : float
        What they add to the variance of the teacher's diagonal scores.
    positions : T x T array of rows, or None
        The correlation A of the positions of a sequence.

    Notes
    -----
    theory.md section 17. In coordinates of the scores in which both are diagonal, component k has
    the strengths q + p_k X, m + p_k Y and Q + p_k W + (n_k - 1) noise/2 in place of q, m and Q:
    X, Y, W are what is added to diagonal scores, n_k what correlated positions make of the noise.
    """

    teacher: float = 0.0
    positions: tuple[tuple[float, ...], ...] | None = None


USUAL = ScoreTokens()


@dataclass(frozen=True)
class TestErrors:
    """Test error against noisy and against clean labels (theory.md section 6).

    Of a cross-entropy also the squared distance of the attention matrices, and the accuracy.
    """

    noisy: float
    clean: float
    square: float | None = None
    accuracy: float | None = None

    @property
    def observed(self) -> dict[str, float]:
        """Those that there are, by result key."""
        keys = ("test_error", "test_error_clean", "test_square", "accuracy")
        pairs = zip(keys, (self.noisy, self.clean, self.square, self.accuracy), strict=True)
        return {key: value for key, value in pairs if value is not None}


class ChannelKernel(Protocol):
    """Expectations over the scores of one fresh sample, by a deterministic rule.

    ``level`` selects the fineness of the rule: 0 is the coarsest, ``finest`` the last. The nodes
    of a level depend on the overlaps smoothly and hold no random numbers, so that a fixed-point
    iteration at one level converges to machine precision.

    Attributes
    ----------
    finest : int
        The last level; 0 means that the expectations are in closed form.
    scale : float
        Factor between the teacher and the student that fits its clean labels (beta0/beta).
    """

    @property
    def finest(self) -> int: ...

    @property
    def scale(self) -> float: ...

    def nodes(self, signal: float, level: int) -> int:
        """Number of integration nodes used at a level."""
        ...

    def moments(self, overlaps: Overlaps, signal: float, level: int) -> ChannelMoments:
        """Moments at given overlaps; ``signal`` is Q = Q0 + noise/2."""
        ...

    def test_errors(
        self,
        q: float,
        m: float,
        q0: float,
        mse: float | None = None,
        revealed: tuple[float, float] = (0.0, 0.0),
    ) -> TestErrors:
        """Test errors of a student with overlaps q, m against a target of second moment q0.

        ``mse`` is q - 2m + q0 where it is known without the cancellation of that form, and
        ``revealed`` as in :class:`Overlaps`.
        """
        ...


class PopulationLoss(Protocol):
    """The loss of infinitely many samples, e(q, m): the test error on noisy labels."""

    def value(self, q: float, m: float) -> float:
        """e(q, m), at q > 0 with m^2 <= q q0."""
        ...

    def slopes(self, q: float, m: float) -> tuple[float, float]:
        """(de/dq, de/dm) there."""
        ...


@runtime_checkable
class TokenKernel(ChannelKernel, Protocol):
    """A kernel for tokens that are not Gaussian and isotropic (theory.md section 17)."""

    def with_tokens(self, tokens: ScoreTokens) -> ChannelKernel:
        """The kernel of the same channel for such tokens.

        Raises
        ------
        BadInput
            For tokens that it cannot take.
        """
        ...


@runtime_checkable
class PopulationKernel(ChannelKernel, Protocol):
    """A kernel that has the population loss with its slopes: training in time asks for it."""

    def population_losses(self, q0: float) -> tuple[PopulationLoss, ...]:
        """The loss against a target of second moment q0.

        One that is right to about 1e-10, or several that each use other random nodes, whose
        spread is the integration error.
        """
        ...


@runtime_checkable
class ReplicatedKernel(ChannelKernel, Protocol):
    """A kernel that averages over independent randomisations of its nodes.

    The nodes of each randomisation are fixed once and for all. The spread between them measures
    the integration error, which successive levels would not.

    Attributes
    ----------
    replicates : int
        Number of randomisations.
    rtol : float
        Relative accuracy to ask of a solve when the caller names none.
    """

    @property
    def replicates(self) -> int: ...

    @property
    def rtol(self) -> float: ...

    def replicate_moments(
        self, overlaps: Overlaps, signal: float, level: int
    ) -> tuple[ChannelMoments, ...]:
        """Moments from each randomisation alone; their mean is ``moments``."""
        ...

    def replicate(self, index: int) -> ChannelKernel:
        """The kernel of one randomisation alone."""
        ...
