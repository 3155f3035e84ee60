"""What every target is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from attlas.model.names import Part
from attlas.model.registry import Named

if TYPE_CHECKING:
    from numpy.random import Generator


#: What may say the law of a target.
_LAWS = ("eigenvalues", "draw", "r_transform")


class Target(Named):
    """The law of the teacher map S0, a symmetric positive semi-definite d x d matrix or, where it
    is ``singular``, any d x d matrix of which singular values are said.

    A subclass is a frozen dataclass with a ``name``, whose fields are numbers (read exactly), and
    either ``eigenvalues`` or :meth:`r_transform`; :func:`attlas.register` puts it on the command
    line. The law of S0 + delta Z, its edges, J and its derivatives, and teachers
    follow; the other attributes are for targets of which more is known.

    Attributes
    ----------
    eigenvalues : sequence of float or None
        The d eigenvalues of S0, where it is given by them.
    by_value : bool
        Whether stored runs know the target by its eigenvalues, which its text may not say.
    singular : bool
        Whether it is a law of singular values; :meth:`r_transform` is then that of both signs.
    background : Target or None
        What is left without the :attr:`isolated` eigenvalues, where there are some.

    Notes
    -----
    theory.md sections 1 and 5.
    """

    parameter: ClassVar[str] = "target"
    by_value: ClassVar[bool] = False
    singular: ClassVar[bool] = False
    eigenvalues: Sequence[float] | None = None
    background: Target | None = None

    def r_transform(self, g: Any) -> Any:  # noqa: ARG002
        """R0(g) = mean + variance g + ..., the sum of free cumulants, or None where it is unknown.

        Parameters
        ----------
        g : number or sympy.Symbol
            The result is rational in it.
        """
        return None

    @classmethod
    def readers(cls) -> dict[str, Callable[[str], Target]]:
        """What reads the rest of ``--target``, by the name that stands before the colon."""
        return {cls.name: cls.from_grammar}

    @classmethod
    def lacks(cls) -> str:
        """What it must still have to be registered, in words; nothing if it is whole."""
        known = any(getattr(cls, key) is not getattr(Target, key) for key in _LAWS)
        listed = "eigenvalues" in getattr(cls, "__dataclass_fields__", {})
        valid = "must have eigenvalues or an r_transform(g)"
        return Part.lacks(cls) or ("" if known or listed else valid)

    @property
    def dimension(self) -> int | None:
        """The token dimension d that the target fixes, or None where it is a law for any d."""
        return None if self.eigenvalues is None else len(self.eigenvalues)

    @property
    def wishart_ratio(self) -> Fraction | None:
        """kappa0 where the law is that of ``Wishart(kappa0)``, whose closed forms then hold."""
        return None

    @property
    def factor_ratio(self) -> Fraction | None:
        """kappa0 where S0 has Gaussian factors of width kappa0 d, tied or not: ``--kappa0``."""
        return self.wishart_ratio

    @property
    def power_law_exponent(self) -> Fraction | None:
        """gamma where the eigenvalues are those of ``PowerLaw(gamma, d)``, up to a factor."""
        return None

    @property
    def isolated(self) -> tuple[Fraction, ...]:
        """Eigenvalues beside those of the background, descending (theory.md section 9)."""
        return ()

    def factor_width(self, d: int) -> int | None:  # noqa: ARG002
        """p of a teacher W W^T/sqrt(p d) with W a d x p standard Gaussian matrix, or None."""
        return None

    def draw(self, d: int, rng: Generator) -> Any:  # noqa: ARG002
        """One teacher at dimension d, where it has no Gaussian factor.

        Returns
        -------
        array, shape (d,) or (d, d), or None
            Eigenvalues, which get Haar-distributed eigenvectors, or the map S0 itself. None
            stands for the quantiles of the law. By default the eigenvalues, where there are any.
        """
        return self.eigenvalues
