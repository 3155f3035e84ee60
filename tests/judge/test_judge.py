"""The judge on synthetic runs of known truth: right verdicts, promised error rates."""

from __future__ import annotations

import numpy as np
import pytest

from attlas.verify.judgement import LEVEL, Outcome, State, judge, judge_control, overall
from tests.judge.synthetic import question


def allowed(trials: int) -> float:
    """Most errors among ``trials`` that the promised rate explains at 3.5 standard deviations."""
    return LEVEL * trials + 3.5 * (LEVEL * (1 - LEVEL) * trials) ** 0.5


@pytest.mark.parametrize("seeds", [3, 6])
@pytest.mark.parametrize("truth", [0.02, -0.02])
def test_false_agreement_and_false_disagreement_at_the_edge_of_the_margin(truth: float, seeds: int):
    # On the edge both verdicts are wrong; this is the worst case for each.
    rng = np.random.default_rng(11)
    trials = 1200
    outcomes = [
        judge([question(rng, truth, seeds=seeds, spread=0.3)])[0].outcome for _ in range(trials)
    ]
    assert outcomes.count(Outcome.AGREES) <= allowed(trials)
    assert outcomes.count(Outcome.DISAGREES) <= allowed(trials)


def test_a_family_errs_no_more_often_than_one_question():
    rng = np.random.default_rng(5)
    trials, agreements, disagreements = 150, 0, 0
    for _ in range(trials):
        family = judge([question(rng, 0.02, spread=0.3) for _ in range(12)])
        agreements += any(v.outcome is Outcome.AGREES for v in family)
        disagreements += any(v.outcome is Outcome.DISAGREES for v in family)
    assert agreements <= allowed(trials)
    assert disagreements <= allowed(trials)


def test_power_where_the_spread_is_small():
    rng = np.random.default_rng(3)
    right = judge([question(rng, 0.0, spread=0.1, seeds=8) for _ in range(20)])
    wrong = judge([question(rng, 0.05, spread=0.1, seeds=8) for _ in range(20)])
    assert sum(v.outcome is Outcome.AGREES for v in right) >= 18
    assert sum(v.outcome is Outcome.DISAGREES for v in wrong) >= 18
    assert overall(wrong) is Outcome.DISAGREES


@pytest.mark.parametrize("truth", [0.0, 0.5])
def test_a_single_seed_gives_no_verdict(truth: float):
    verdict = judge([question(np.random.default_rng(0), truth, seeds=1, spread=1e-6)])[0]
    assert verdict.outcome is Outcome.UNDECIDED
    assert "2 seeds" in verdict.reason


def test_two_sizes_give_no_verdict():
    rng = np.random.default_rng(0)
    verdict = judge([question(rng, 0.0, sizes=(24, 48), spread=1e-3)])[0]
    assert verdict.outcome is Outcome.UNDECIDED
    assert "d = 96" in verdict.reason


def test_undecided_says_what_would_decide_and_is_right_about_it():
    rng = np.random.default_rng(2)
    verdict = judge([question(rng, 0.0, spread=1.0, seeds=6)])[0]
    assert verdict.outcome is Outcome.UNDECIDED
    seeds = int(verdict.reason.split("about ")[1].split(" seeds")[0])
    assert seeds > 6
    more = [judge([question(rng, 0.0, spread=1.0, seeds=seeds)])[0] for _ in range(40)]
    assert sum(v.outcome is Outcome.AGREES for v in more) >= 20


def test_theory_error_helps_neither_verdict():
    rng = np.random.default_rng(4)
    inside = judge([question(rng, 0.0, spread=0.01, theory_error=0.02)])[0]
    outside = judge([question(rng, 0.05, spread=0.01, theory_error=0.02)])[0]
    assert inside.outcome is Outcome.UNDECIDED
    assert outside.outcome is Outcome.UNDECIDED
    assert outside.systematic > 0.02


def test_sizes_that_follow_no_power_are_undecided():
    rng = np.random.default_rng(6)
    wiggly = question(rng, 0.0, sizes=(10, 20, 40, 80), spread=1e-3)
    bent = tuple(sample if sample.d != 40 else _scaled(sample, 1.3) for sample in wiggly.samples)
    verdict = judge([_with_samples(wiggly, bent)])[0]
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.order == 2
    assert verdict.goodness_of_fit < 0.05


def test_three_sizes_that_rule_out_a_line_do_not_agree():
    rng = np.random.default_rng(12)
    straight = question(rng, 0.0, spread=1e-3)
    bent = tuple(sample if sample.d != 36 else _scaled(sample, 1.01) for sample in straight.samples)
    verdict = judge([_with_samples(straight, bent)])[0]
    assert verdict.outcome is Outcome.UNDECIDED
    assert "a line in 1/d is ruled out" in verdict.reason
    assert "d = 120" in verdict.reason
    assert judge([straight])[0].outcome is Outcome.AGREES


def test_a_misfit_far_below_the_margin_changes_no_verdict():
    """Differences of rounding follow no power of d, and cannot matter."""
    rng = np.random.default_rng(12)
    straight = question(rng, 0.0, slope=0.0, spread=1e-8)
    bent = tuple(
        sample if sample.d != 36 else _scaled(sample, 1 + 1e-8) for sample in straight.samples
    )
    verdict = judge([_with_samples(straight, bent)])[0]
    assert verdict.goodness_of_fit < 0.01
    assert verdict.outcome is Outcome.AGREES
    assert verdict.systematic > 1e-8


@pytest.mark.parametrize("seeds", [8, 12, 20])
def test_power_is_the_chance_of_agreement(seeds: int):
    rng = np.random.default_rng(seeds)
    trials = 300
    # No slope, so that the systematic error is small beside the margin in every trial.
    verdicts = [
        judge([question(rng, 0.0, spread=0.35, slope=0.0, seeds=seeds)])[0] for _ in range(trials)
    ]
    found = sum(v.outcome is Outcome.AGREES for v in verdicts) / trials
    promised = float(np.mean([v.power for v in verdicts]))
    assert 0.2 < promised < 0.999
    assert found == pytest.approx(promised, abs=0.1)


def test_a_detectable_deviation_is_detected():
    rng = np.random.default_rng(21)
    at = float(np.median([judge([question(rng, 0.0, slope=0.0)])[0].detectable for _ in range(40)]))
    assert 0.02 < at < 1
    seen = [judge([question(rng, at, slope=0.0)])[0].outcome for _ in range(200)]
    assert seen.count(Outcome.DISAGREES) / 200 == pytest.approx(0.8, abs=0.12)


def test_runs_that_failed_bar_a_verdict():
    rng = np.random.default_rng(8)
    few = judge([question(rng, 0.0, spread=0.02, failed=1)])[0]
    many = judge([question(rng, 0.0, spread=0.02, failed=3)])[0]
    assert few.outcome is Outcome.AGREES
    assert few.failed_runs == 1
    assert many.outcome is Outcome.UNDECIDED
    assert "3 of 18 runs did not converge" in many.reason


def test_a_declared_departure_is_expected_and_only_inside_its_band():
    rng = np.random.default_rng(9)
    kept = judge(
        [question(rng, 0.13, spread=0.02, departure="scores not Gaussian", band=(0.1, 0.2))]
    )
    broken = judge(
        [question(rng, 0.0, spread=0.02, departure="scores not Gaussian", band=(0.1, 0.2))]
    )
    assert kept[0].outcome is Outcome.DISAGREES
    assert kept[0].expected
    assert overall(kept) is Outcome.AGREES
    assert not broken[0].expected
    assert overall(broken) is Outcome.DISAGREES


def test_without_theory_there_is_no_verdict():
    asked = question(np.random.default_rng(0), 0.0)
    bare = tuple(_without_theory(sample) for sample in asked.samples)
    verdicts = judge([_with_samples(asked, bare)])
    assert verdicts[0].outcome is Outcome.NO_THEORY
    assert overall(verdicts) is Outcome.NO_THEORY


def test_undecided_is_split_by_what_the_interval_says():
    """A wider margin where theory is inside the interval, tension where it is not, else open."""
    rng = np.random.default_rng(14)
    wide = judge([question(rng, 0.0, spread=1.0, slope=0.0)])[0]
    assert (wide.outcome, wide.state) == (Outcome.UNDECIDED, State.WIDER)
    assert wide.interval[0] < 0 < wide.interval[1]
    assert wide.margin > wide.wanted == 0.02
    tense = judge([question(rng, 0.02, spread=0.2, slope=0.0)])[0]
    assert (tense.outcome, tense.state) == (Outcome.UNDECIDED, State.TENSION)
    assert tense.interval[0] > 0
    band = {"departure": "announced", "band": (0.01, 0.05)}
    assert judge([question(rng, 0.03, spread=1.0, slope=0.0, **band)])[0].state is State.WIDER
    # Excluded alone, and not among a hundred.
    near = question(rng, 0.0, spread=0.3, slope=0.0, **band)
    assert judge([near] * 100)[0].state is State.TENSION
    few = judge([question(rng, 0.0, seeds=1)])[0]
    assert (few.state, few.margin) == (State.OPEN, np.inf)
    assert judge([question(rng, 0.0, sizes=(24, 48))])[0].state is State.OPEN
    assert judge([question(rng, 0.1, spread=0.1)])[0].state is State.DISAGREES


def test_an_agreement_never_states_more_than_was_wanted():
    rng = np.random.default_rng(15)
    family = judge([question(rng, 0.0, spread=s, slope=0.0) for s in (0.01, 0.1, 0.2, 0.25, 1.0)])
    agreed = [v for v in family if v.outcome is Outcome.AGREES]
    assert len(agreed) >= 3
    assert all(abs(v.deviation) < v.margin <= v.wanted for v in agreed)


def test_no_row_is_lost_because_others_were_asked():
    """Thirty that agree alone agree together; one that does not halves the level of the rest."""
    rng = np.random.default_rng(17)
    near = [question(rng, 0.0, spread=0.55, slope=0.0) for _ in range(200)]
    alone = [(asked, judge([asked])[0].p_agree) for asked in near]
    passing = [asked for asked, p in alone if 0.026 < p <= LEVEL][:3]
    assert len(passing) == 3
    assert all(v.outcome is Outcome.AGREES for v in judge(passing))
    beside = judge([*passing, question(rng, 0.0, spread=3.0)])
    assert all(v.outcome is Outcome.UNDECIDED for v in beside)
    assert "beside 3 others" in beside[0].reason


def test_what_is_barred_from_a_verdict_is_no_agreement_however_small_its_p_value():
    rng = np.random.default_rng(18)
    failing = question(rng, 0.0, spread=1e-3, failed=3)
    verdict = judge([failing, question(rng, 0.0, spread=0.1)])[0]
    assert verdict.p_agree < 1e-6
    assert (verdict.outcome, verdict.p_agree_step_up) == (Outcome.UNDECIDED, 1.0)


def test_all_margins_of_a_family_hold_at_once():
    rng = np.random.default_rng(16)
    trials, missed = 300, 0
    for _ in range(trials):
        truths = (0.0, 0.015, -0.02, 0.03)
        family = judge([question(rng, t, spread=0.4, slope=0.0) for t in truths])
        missed += any(abs(t) > v.margin for t, v in zip(truths, family, strict=True))
    assert missed <= allowed(trials)


def test_controls():
    rng = np.random.default_rng(10)
    wrong = judge_control("claim", "wrong", [question(rng, t, spread=0.1) for t in (0.0, 0.3)])
    right = judge_control("claim", "right", [question(rng, t, spread=0.1) for t in (0.0, 0.0)])
    assert wrong.rejected
    assert wrong.verdicts[0].deviation == pytest.approx(0.3, abs=0.05)
    assert not right.rejected


def _scaled(sample, factor):
    return type(sample)(sample.d, sample.seed, {"q": sample.measured["q"] * factor}, sample.theory)


def _without_theory(sample):
    return type(sample)(sample.d, sample.seed, sample.measured, {})


def _with_samples(asked, samples):
    return type(asked)(asked.claim, asked.point, asked.quantity, asked.low, asked.high, samples)
