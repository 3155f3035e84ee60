"""Numbers are read exactly, written exactly, and refused when they cannot be used."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attlas.model import BadInput, Wishart
from attlas.model.exact import decimal_text, exact, non_negative, positive, whole

FIFTY_DIGITS = "0.12345678901234567890123456789012345678901234567891"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(3), Fraction(3)),
        (Decimal("0.1"), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 1 / 3 ", Fraction(1, 3)),
        ("1e-3/2", Fraction(1, 2000)),
        ("-2", Fraction(-2)),
        (0, Fraction(0)),
        (FIFTY_DIGITS, Fraction(int(FIFTY_DIGITS[2:]), 10**50)),
    ],
)
def test_reads_exactly(value: object, expected: Fraction) -> None:
    assert exact("alpha", value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "/", "1/", "/2", "1/0", "0/0", "1/2/3", "nan", "inf", "-inf", "inf/1", "1/nan",
        "abc", "0x10", "1,5", "lam", float("nan"), float("inf"), Decimal("NaN"), True, False,
        [1.0], {}, 1j, "1e51", "-1e51", "1e-51", "1e999999999", "1e-999999999", "1e999999999/3",
        Decimal("1e999999"), 10**51, Fraction(1, 10**51), np.float64("nan"),
    ],
)  # fmt: skip
def test_refuses_with_one_sentence(value: object) -> None:
    with pytest.raises(BadInput) as caught:
        exact("alpha", value)
    message = str(caught.value)
    assert message.startswith("alpha = ")
    assert "\n" not in message
    assert message.endswith(".")
    assert caught.value.parameter == "alpha"


@given(st.fractions(min_value=-(10**6), max_value=10**6, max_denominator=10**12))
def test_text_of_a_fraction_reads_back_unchanged(number: Fraction) -> None:
    assert exact("x", decimal_text(number)) == number


@given(st.floats(min_value=1e-49, max_value=1e49))
def test_text_of_a_float_reads_back_unchanged(number: float) -> None:
    assert float(exact("x", decimal_text(exact("x", number)))) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [("0.10", "0.1"), ("2/6", "1/3"), ("4/2", "2"), ("1e22", "1e+22"), (FIFTY_DIGITS[:-1], None)],
)
def test_text_is_the_short_form(number: str, text: str | None) -> None:
    written = decimal_text(exact("x", number))
    assert exact("x", written) == exact("x", number)
    assert text is None or written == text


def test_ranges() -> None:
    assert non_negative("lam", "0") == 0
    assert positive("kappa", "1e-9") == Fraction(1, 10**9)
    assert whole("tokens", "3", at_least=1) == 3
    assert whole("tokens", 3.0, at_least=1) == 3
    for reader, value in ((non_negative, -1), (positive, 0), (positive, "-0.5")):
        with pytest.raises(BadInput, match="must be"):
            reader("x", value)
    for value in (0, "2.5", -3):
        with pytest.raises(BadInput, match="whole number, 1 or more"):
            whole("tokens", value, at_least=1)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 3), "1/3"),
        (Fraction(1, 3**200), "3.76486e-96"),
        (Fraction(10**400, 3), "3.33333e+399"),
        (10**30, "1e+30"),
        (1000000, "1000000"),
        (0.1, "0.1"),
        ("0.10", "'0.10'"),
        (Wishart("1/2"), "'wishart:kappa0=0.5'"),
    ],
)
def test_errors_show_values_as_they_are_written(value: object, shown: str) -> None:
    assert str(BadInput("x", value, "no")) == f"x = {shown} is not valid: no."


def test_whole_numbers_have_bounds() -> None:
    assert whole("x", "3", at_least=1, at_most=3) == 3
    for value in ("0", "4", "2.5"):
        with pytest.raises(BadInput, match="must be a whole number from 1 to 3"):
            whole("x", value, at_least=1, at_most=3)
