"""The matrix side of state evolution: from conjugates to overlaps, for any spectral penalty."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from attlas.model import Penalty
from attlas.model.errors import BadInput
from attlas.solver.order_parameters import Conjugates, Overlaps
from attlas.solver.spectrum import TargetLaw, Truncated, WhitenedLaw, mean_squared_slope
from attlas.solver.spectrum.kept import limited, shifted

#: Which function of C each statistic that tokens reveal is the trace of: of C^-1, 1 and C.
_TILTS = {"t": 1, "c2": 2}


@dataclass(frozen=True)
class MatrixState:
    """What a penalty makes of the matrix field at given conjugates (theory.md sections 3, 6, 11).

    Attributes
    ----------
    overlaps : Overlaps
    free_energy : float
        The matrix term of Phi, -(m_hat^2 / 4 s) J.
    penalty : float
        The penalty's share of the loss: Phi = alpha train_error + penalty at a fixed point, a sum
        of positive terms.
    eta, delta, epsilon : float
        Scale, noise and threshold of the learned spectrum eta ReLU(S0 + delta Z - epsilon), or of
        eta ReLU(S~0 + delta Z - epsilon C^-1 - ...) where tokens have a covariance.
    rank_fraction : float
        Fraction of eigenvalues that are not zero.
    mse : float
        q - 2m + Q0, computed without the cancellation of that form.
    error : float
        Relative error of the overlaps from the spectral integrals, not understated.
    mse_error, sigma_error : float
        Absolute errors of ``mse`` and of sigma from the same source. Next to collapse the overlaps
        are tiny and keep few digits, while these stay small beside the scores' own scale.
    trace : float or None
        Tr S/d of the map itself, where the rest is about that of tokens with a covariance.
    """

    overlaps: Overlaps
    free_energy: float
    penalty: float
    eta: float
    delta: float
    epsilon: float
    rank_fraction: float
    mse: float
    error: float
    mse_error: float
    sigma_error: float
    trace: float | None = None

    @property
    def collapsed(self) -> bool:
        """Whether nothing is learned: S = 0."""
        return self.overlaps.q == 0


@dataclass(frozen=True)
class Denoiser:
    """The spectral denoiser of a penalty on one target: (x - 2 linear)_+/s of the matrix field.

    s = sigma_hat + 4 quadratic; of a symmetric map both signs are shrunk, of one of limited width
    only the largest eigenvalues are kept. Of a map that is not symmetric the law is that of its
    singular values with both signs, and coefficients are those per ``freedom``, as is all that
    state evolution makes of this. Statistics of S that tokens reveal, in ``traces``, are penalised
    each by its conjugate. Where tokens have a covariance, ``whitened`` is the law of what they see,
    C^(1/2) S C^(1/2), and the penalty is linear C^-1. theory.md sections 3, 11, 13b, 17 and 19.
    """

    law: TargetLaw
    linear: float
    quadratic: float
    positive: bool
    limit: float | None
    traces: tuple[str, ...] = ()
    whitened: WhitenedLaw | None = None

    @classmethod
    def of(
        cls,
        penalty: Penalty,
        law: TargetLaw,
        traces: tuple[str, ...] = (),
        whitened: WhitenedLaw | None = None,
    ) -> Denoiser:
        """The denoiser of a penalty's data, and of what tokens reveal.

        Raises
        ------
        BadInput
            For a covariance of tokens beside a penalty that is not Tr S of positive maps.
        """
        if whitened is not None and not penalty.nuclear:
            raise BadInput(
                "token_covariance",
                "a covariance",
                "has a theory for weight decay on a factor of any rank alone (training=factorised)",
            )
        return cls(
            law=law,
            linear=float(penalty.linear) / penalty.freedom,
            quadratic=float(penalty.quadratic) / penalty.freedom,
            positive=penalty.positive,
            limit=float(penalty.width) if penalty.limited and penalty.width else None,
            traces=traces,
            whitened=whitened,
        )

    def state(self, hats: Conjugates) -> MatrixState:
        """Overlaps and the learned spectrum at given conjugates."""
        delta, epsilon = self._level(hats)
        if self.whitened is not None:
            integrals, by_tilt = self.whitened.integrals(delta, self._tilts(hats))
            slopes = [by_tilt[_TILTS[name]] for name in self.traces]
            tilts = tuple(
                (2 * pull / hats.m_hat, one) for pull, one in zip(hats.pulls, slopes, strict=True)
            )
            state = _denoised(hats, self._stiffness(hats), integrals, delta, epsilon, tilts)
            return replace(state, trace=-0.5 * state.eta * integrals.j2)
        shift = self._shift(hats)
        integrals, slope = shifted(
            self.law, delta, epsilon, shift, positive=self.positive, limit=self.limit
        )
        tilts = tuple((2 * pull / hats.m_hat, slope) for pull in hats.pulls)
        state = _denoised(hats, self._stiffness(hats), integrals, delta, epsilon, tilts)
        return replace(state, epsilon=epsilon + shift)

    def slope(self, hats: Conjugates) -> float:
        """s^-2 times the mean squared divided difference of the denoiser, for the replicon.

        Infinite where the width limits the rank: the denoiser jumps at the cut, and eigenvalues on
        both sides of it come arbitrarily close, so that it diverges (as log d).
        """
        delta, epsilon = self._level(hats)
        if self.whitened is not None:
            spread = self.whitened.mean_squared_slope(delta, self._tilts(hats))
            return spread / self._stiffness(hats) ** 2
        epsilon += self._shift(hats)
        if self.linear == 0 and not self.positive:
            return self._stiffness(hats) ** -2
        noisy = self.law.noisy(delta)
        if self.limit is not None and limited(noisy, epsilon, self.limit):
            return math.inf
        spread = mean_squared_slope(noisy, epsilon, signed=not self.positive)
        return spread / self._stiffness(hats) ** 2

    def _level(self, hats: Conjugates) -> tuple[float, float]:
        return hats.delta, 2 * self.linear / hats.m_hat

    @staticmethod
    def _shift(hats: Conjugates) -> float:
        """What the statistics that tokens reveal take off S0 + delta Z."""
        return 2 * sum(hats.pulls) / hats.m_hat

    def _tilts(self, hats: Conjugates) -> tuple[float, float, float]:
        """Coefficients of C^-1, 1 and C that are taken off S~0 + delta Z."""
        tilts = [self._level(hats)[1], 0.0, 0.0]
        for name, pull in zip(self.traces, hats.pulls, strict=True):
            tilts[_TILTS[name]] += 2 * pull / hats.m_hat
        return tilts[0], tilts[1], tilts[2]

    def _stiffness(self, hats: Conjugates) -> float:
        return hats.sigma_hat + 4 * self.quadratic


def _denoised(
    hats: Conjugates,
    stiffness: float,
    integrals: Truncated,
    delta: float,
    epsilon: float,
    tilts: tuple[tuple[float, float], ...] = (),
) -> MatrixState:
    """Stationarity of the matrix term: the one place where these equations are evaluated.

    Parameters
    ----------
    hats : Conjugates
    stiffness : float
        s: sigma_hat, plus whatever a Frobenius penalty adds to it.
    integrals : Truncated
        J, its derivatives and the mass at (delta, epsilon).
    delta, epsilon : float
        Noise and threshold in units of the target's eigenvalues.
    tilts : tuple of (float, float)
        Of each statistic that tokens reveal, the coefficient in those units and dJ by it.
    """
    eta = hats.m_hat / stiffness
    j, j1, j2 = integrals.j, integrals.j1, integrals.j2
    bent = delta * j1 + epsilon * j2 + sum(size * slope for size, slope in tilts)
    thresholds = abs(epsilon) + sum(abs(size) for size, _ in tilts)
    scale = abs(j) + abs(delta * j1) + thresholds * abs(j2)
    bent_error = delta * integrals.j1_error + thresholds * integrals.j2_error
    error = integrals.j_error + bent_error
    mse = integrals.squared_error + (eta - 1) ** 2 * j + (eta - 1) * bent
    return MatrixState(
        overlaps=Overlaps(
            q=eta * eta * j,
            m=0.5 * eta * (2 * j - bent),
            sigma=j1 / (2 * delta * stiffness),
            mse=mse,
            traces=tuple(-0.5 * eta * slope for _, slope in tilts),
        ),
        free_energy=-(hats.m_hat**2) / (4 * stiffness) * j,
        penalty=((stiffness - hats.sigma_hat) * eta * eta * j - hats.m_hat * epsilon * eta * j2)
        / 4,
        eta=eta,
        delta=delta,
        epsilon=epsilon,
        rank_fraction=integrals.mass,
        mse=mse,
        error=error / scale if scale > 0 else 0.0,
        mse_error=integrals.squared_error_error
        + (eta - 1) ** 2 * integrals.j_error
        + abs(eta - 1) * bent_error,
        sigma_error=integrals.j1_error / (2 * delta * stiffness),
    )
