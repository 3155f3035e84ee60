"""Thresholds: reference digits, proofs, limits, and cases without a threshold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attlas.model import (
    Atoms,
    BadInput,
    Direct,
    Factorised,
    LinearChannel,
    Problem,
    SoftmaxChannel,
    Wishart,
)
from attlas.solver import ThresholdStatus, solve, threshold
from attlas.solver.thresholds.decimals import significant, upper_bound


def value(name: str, **parameters) -> Fraction:
    alpha = threshold(name, **parameters).alpha
    assert alpha is not None
    return Fraction(alpha)


@pytest.mark.parametrize(
    ("name", "parameters", "digits"),
    [
        # theory.md section 7; the second one checked by quadrature over the density to 40 digits
        (
            "interpolation",
            {"kappa0": "1/2", "noise": "1/2"},
            "0.153482102859080067573536069481189360096",
        ),
        (
            "interpolation",
            {"kappa0": "0.1", "noise": 1},
            "0.1297064910651703084519572760691024513",
        ),
        ("perfect-recovery", {"kappa0": "0.1", "tokens": 1}, "0.15757181511629545034"),
        ("perfect-recovery", {"kappa0": "0.5", "tokens": 1}, "0.42217498218550571851"),
        ("bayes", {"kappa0": "1/2", "tokens": 1}, "0.375000000000000"),
        ("bayes", {"kappa0": 3, "tokens": 3}, "0.100000000000000"),
    ],
)
def test_reference_digits(name, parameters, digits):
    answer = threshold(name, digits=max(len(digits.lstrip("0.")), 15), **parameters)
    assert answer.alpha is not None
    last = Fraction(10) ** -len(digits.partition(".")[2])
    assert abs(Fraction(answer.alpha) - Fraction(digits)) <= last
    assert answer.status is ThresholdStatus.FOUND


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("interpolation", {"kappa0": "1/3", "noise": "1/7"}),
        ("interpolation", {"kappa0": "3/2", "noise": "1e-12"}),
        ("perfect-recovery", {"kappa0": "1/3"}),
        ("bulk-split", {"kappa0": "1/3"}),
        ("bayes", {"kappa0": "1/3"}),
    ],
)
def test_certified_enclosure_holds_more_digits(name, parameters):
    proven = threshold(name, digits=25, certify=True, **parameters)
    finer = value(name, digits=60, **parameters)
    assert proven.certified
    assert proven.status is ThresholdStatus.ENCLOSED
    assert proven.alpha is not None
    assert proven.radius is not None
    assert len(proven.alpha.lstrip("0.")) == 25
    assert abs(Fraction(proven.alpha) - finer) <= Fraction(proven.radius) + Fraction(1, 10**59)
    assert Fraction(proven.radius) < Fraction(1, 10**23)


def test_a_thousand_digits():
    answer = threshold("perfect-recovery", kappa0="1/2", digits=1000)
    assert answer.alpha is not None
    assert len(answer.alpha.lstrip("0.")) == 1000
    assert Fraction(answer.alpha) == pytest.approx(0.21108749109275286, rel=1e-15)


def test_inputs_are_not_rounded_through_float():
    third = value("perfect-recovery", kappa0="1/3", digits=50)
    rounded = value("perfect-recovery", kappa0=Fraction(1 / 3), digits=50)
    assert 0 < abs(third - rounded) < 1e-15
    assert value("perfect-recovery", kappa0=0.1, digits=50) == value(
        "perfect-recovery", kappa0="1/10", digits=50
    )


def test_threads_at_other_precisions_do_not_interfere():
    questions = [
        ("interpolation", {"kappa0": "1/2", "noise": "1/2", "digits": 80}),
        ("perfect-recovery", {"kappa0": "1/5", "digits": 200}),
        ("interpolation", {"kappa0": "1/5", "noise": "1/2", "digits": 20, "certify": True}),
        ("bulk-split", {"kappa0": "1/2", "digits": 40}),
    ]
    alone = [threshold(name, **parameters) for name, parameters in questions]
    with ThreadPoolExecutor(4) as pool, mpmath.workdps(7):
        jobs = [pool.submit(threshold, name, **parameters) for name, parameters in questions]
        together = [job.result() for job in jobs]
    assert [one.alpha for one in together] == [one.alpha for one in alone]
    assert [one.radius for one in together] == [one.radius for one in alone]


def test_small_noise_tends_to_the_limit_as_its_cube_root():
    kappa0, noise = Fraction(1, 2), Fraction(1, 10**12)
    found = float(2 * value("interpolation", kappa0=kappa0, noise=noise))
    c3 = 8 * float(kappa0) ** 1.5 * 0.5**0.5 / (3 * mpmath.pi)
    limit = float(1 + 2 * kappa0 - kappa0**2) / 4
    assert limit - found == pytest.approx(0.75 * c3 ** (2 / 3) * 1e-4, rel=1e-3)


def test_full_rank_tends_to_one_half():
    # theory.md section 7: a_int -> 1/2 for kappa0 >= 1
    assert 2 * value("interpolation", kappa0="3/2", noise="1e-12") == pytest.approx(0.5, abs=1e-10)


def test_small_rank_series_of_perfect_recovery():
    kappa0 = 1e-6
    z = (7.5 * float(mpmath.pi) * kappa0) ** 0.2
    series = 3 - 10 / 7 * z**2 + 10 / 21 * z**4 - z**5 / (3 * float(mpmath.pi)) - 130 / 1617 * z**6
    found = float(value("perfect-recovery", kappa0=str(kappa0), tokens=1)) / kappa0
    assert found == pytest.approx(series, abs=z**7)


def test_two_bands_on_one_side_of_the_split_only():
    alpha = float(value("bulk-split", kappa0="1/2"))
    for factor, bands in ((0.999, 1), (1.001, 2)):
        problem = Problem(
            target=Wishart("1/2"),
            channel=SoftmaxChannel(),
            estimator=Factorised(0),
            alpha=alpha * factor,
        )
        from attlas.solver.spectrum import target_law

        delta = solve(problem).delta
        assert len(target_law(problem.target).noisy(delta).bands()) == bands


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("interpolation", {"kappa0": "1/2"}, "0.218750000000000.*perfect-recovery"),
        ("interpolation", {"kappa0": 2}, "0.250000000000000.*perfect-recovery"),
        ("perfect-recovery", {"kappa0": "1/2", "noise": "1/2"}, "never recovered exactly"),
        ("bayes", {"kappa0": "1/2", "noise": "1/2"}, "not even"),
        ("bulk-split", {"kappa0": 1}, "one band"),
        ("bulk-split", {"kappa0": "1/2", "noise": 1}, "noiseless"),
    ],
)
def test_no_threshold_is_answered_with_a_sentence(name, parameters, says):
    import re

    answer = threshold(name, **parameters)
    assert answer.alpha is None
    assert answer.status is ThresholdStatus.ABSENT
    assert re.search(says, answer.statement)


def test_recovery_of_a_full_rank_target_is_a_jump():
    answer = threshold("perfect-recovery", kappa0=2)
    # theory.md section 7, delta_c^2 at kappa0 = 2
    jump = (4 - 40 - 8 + 2**0.5 * 10**1.5) / 16
    assert answer.alpha == "0.250000000000000"
    assert f"{jump:.13f}"[:-1] in answer.statement


@settings(max_examples=15, deadline=None)
@given(kappa0=st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50)))
def test_bayes_needs_fewer_data_than_least_trace(kappa0):
    best = threshold("bayes", kappa0=kappa0, tokens=1)
    perfect = threshold("perfect-recovery", kappa0=kappa0, tokens=1)
    assert best.alpha is not None
    assert perfect.alpha is not None
    assert Fraction(best.alpha) < Fraction(perfect.alpha) < min(3 * Fraction(best.alpha), 0.5)
    three = threshold("perfect-recovery", kappa0=kappa0, tokens=3)
    assert three.alpha_times_D == perfect.alpha


def _problem(channel, target=None, estimator=None, alpha="0.2") -> Problem:
    return Problem(
        target=target or Wishart("1/2"),
        channel=channel,
        estimator=estimator or Factorised(1),
        alpha=alpha,
    )


def test_collapse_of_the_reference_point():
    # theory.md section 9
    answer = threshold("collapse", problem=_problem(SoftmaxChannel()))
    assert answer.lam is not None
    assert Fraction(answer.lam) == pytest.approx(0.87834, abs=5e-6)
    assert answer.alpha is None


def test_collapse_of_the_linear_channel_is_where_nothing_is_learned():
    answer = threshold("collapse", problem=_problem(LinearChannel("1/2")), digits=40, certify=True)
    assert answer.lam is not None
    assert answer.certified
    for factor, learned in ((1 - 1e-6, True), (1 + 1e-6, False)):
        lam = Fraction(answer.lam) * Fraction(factor)
        of = _problem(LinearChannel("1/2"), estimator=Factorised(lam))
        q = solve(of, raise_on_failure=False).q
        assert (q > 0) is learned


def test_collapse_scales_with_the_width():
    one = threshold("collapse", problem=_problem(LinearChannel()))
    wide = threshold("collapse", problem=_problem(LinearChannel(), estimator=Factorised(1, 4)))
    assert one.lam is not None
    assert wide.lam is not None
    assert Fraction(one.lam) == pytest.approx(float(2 * Fraction(wide.lam)), rel=1e-14)


def test_collapse_of_given_eigenvalues():
    target = Atoms([2.0, 1.0, 0.5, 0.0])
    answer = threshold("collapse", problem=_problem(LinearChannel(), target))
    assert answer.lam is not None
    lam = float(answer.lam)
    assert solve(_problem(LinearChannel(), target, Factorised(lam * 1.001))).q == 0
    assert solve(_problem(LinearChannel(), target, Factorised(lam * 0.999))).q > 0


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda: threshold("perfect-recovery"), "kappa0"),
        (lambda: threshold("perfect-recovery", kappa0=0), "kappa0"),
        (lambda: threshold("bayes", kappa0="1/2", digits=14), "digits"),
        (lambda: threshold("bayes", kappa0="1/2", digits=1001), "digits"),
        (lambda: threshold("bayes", kappa0="1/2", noise=-1), "noise"),
        (lambda: threshold("bayes", kappa0="1/2", tokens=0), "tokens"),
        (lambda: threshold("perfect-recovry", kappa0="1/2"), "threshold"),
        (lambda: threshold("collapse", kappa0="1/2"), "alpha"),
        (lambda: threshold("bulk-split", target=Atoms([1.0, 0.0])), "target"),
        (
            lambda: threshold("collapse", problem=_problem(LinearChannel(), estimator=Direct(1))),
            "training",
        ),
        (
            lambda: threshold("collapse", problem=_problem(SoftmaxChannel()), digits=20),
            "digits",
        ),
    ],
)
def test_bad_input(call, parameter):
    with pytest.raises(BadInput) as refusal:
        call()
    assert refusal.value.parameter == parameter


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6).filter(bool), st.integers(1, 40))
def test_decimal_text_is_the_nearest(number, digits):
    text = significant(number, digits)
    shown = Decimal(text)
    assert len(text.replace(".", "").lstrip("0")) >= digits
    assert abs(Fraction(shown) - number) <= Fraction(10) ** (shown.adjusted() - digits + 1) / 2
    assert number <= Fraction(upper_bound(number)) <= number * Fraction(102, 100)
