"""One test for each row of the list of faults that code of this kind is known for.

The inputs are those of the row; other rooms test the same kinds on many more. The rows:

1 adaptive quadrature misses a narrow band; 2 a root finder's flag; 3 a band lost on a grid;
4 damping taken for convergence; 5 a kink inside the interval; 6 atoms and multiple roots;
7 weight decay in the optimiser; 8 a seed that depends on threads; 9 eigenvalues around zero;
10 eigenvalues taken as independent; 11 a tail exponent with silent cut-offs; 12 lam = 0 and
lam -> 0+; 13 a threshold above the top edge; 14 precision silently capped; 15 labels saturate;
16 overflow and memory of integration nodes; 17 error bars from one run; 18 a typo ignored.
"""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.stats import ks_1samp

from attlas.cli.main import main
from attlas.model import Atoms, BadInput, problem_from
from attlas.solver import Status, solve, threshold
from attlas.solver.fixed_point import LeftDomain, find
from attlas.solver.spectrum import target_law
from attlas.solver.state_evolution import StateEvolution, hats
from attlas.solver.weights.tail import tail_of
from attlas.symbolic.free_convolution import WISHART, NumericLaw
from attlas.verify import draw_data, draw_teacher, simulate
from attlas.verify.judgement import Outcome, judge
from attlas.verify.training.factorised import spectrum_of_factor
from tests.judge.synthetic import question
from tests.learned_spectrum.test_comparison import p_values

BASE = {"alpha": "0.2", "lam": "0.01", "kappa0": "0.5"}


def noisy_wishart(kappa0: str, delta: float):
    return target_law(problem_from(alpha=1, lam=1, kappa0=kappa0).target).noisy(delta)


@pytest.mark.parametrize("kappa0", ["0.1", "1e-3"])
def test_row_01_a_narrow_band_keeps_its_moments(kappa0: str) -> None:
    mass, mean, second = noisy_wishart(kappa0, 1e-3).moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(math.sqrt(float(kappa0)), abs=1e-12)
    assert second == pytest.approx(1 + float(kappa0) + 1e-6, abs=1e-12)


def test_row_02_success_is_a_recomputed_residual() -> None:
    problem = problem_from(alpha="0.1", lam="1e-10", kappa0="0.01", tokens=1)
    solution = solve(problem)
    assert solution.status.ok
    system = StateEvolution.of(problem)
    exact = np.log([solution.delta, solution.m_hat, solution.eta])
    assert np.max(np.abs(system.step(exact, 0) - exact)) < 1e-6
    assert hats(exact).q_hat == pytest.approx(solution.q_hat, rel=1e-10)


@pytest.mark.parametrize("far", [(3, -3, 1), (-4, 2, -1), (6, 6, 0), (-8, -8, 0), (40, 0, 0)])
def test_row_02_starts_far_off_end_at_the_root_or_say_how_far_they_are(far) -> None:
    problem = problem_from(alpha="0.3", lam="0.05", kappa0="0.5", noise="0.1", tokens=1)
    solution = solve(problem)
    system = StateEvolution.of(problem)
    root = np.log([solution.delta, solution.m_hat, solution.eta])
    try:
        point = find(lambda x: system.step(x, 0), root + far, tolerance=1e-11, max_steps=3000)
    except LeftDomain:
        return
    residual = float(np.max(np.abs(system.step(point.x, 0) - point.x)))
    assert point.residual == pytest.approx(residual, rel=1e-6, abs=1e-13)
    assert point.residual > 1e-8 or np.max(np.abs(point.x - root)) < 1e-6


@pytest.mark.parametrize(("kappa0", "delta"), [("1e-3", 1.0), ("0.1", 0.01)])
def test_row_03_both_bands_are_listed_between_critical_values(kappa0: str, delta: float) -> None:
    """z(g) = R(g) + delta^2 g + 1/g has its critical values at the edges: a quartic in g."""
    s = math.sqrt(float(kappa0))
    # z'(g) = 0, times g^2 (1 - g/s)^2:  g^2 + (delta^2 g^2 - 1)(1 - g/s)^2 = 0.
    quartic = np.poly1d([1, 0, 0]) + np.poly1d([delta**2, 0, -1]) * np.poly1d([-1 / s, 1]) ** 2
    critical = [g.real for g in quartic.roots if abs(g.imag) < 1e-9]
    edges = sorted(s / (1 - g / s) + delta**2 * g + 1 / g for g in critical)
    assert len(edges) == 4
    bands = noisy_wishart(kappa0, delta).bands()
    found = [edge for band in bands for edge in (band.lower, band.upper)]
    assert found == pytest.approx(edges, rel=1e-6)
    assert [band.mass for band in bands] == pytest.approx([1 - s**2, s**2], rel=1e-12)


def test_row_04_tolerances_give_the_same_answer_within_their_errors() -> None:
    """Dampings 0.05 and 0.5: test_damping_is_not_convergence."""
    coarse, fine = (solve(problem_from(**BASE), rtol=rtol) for rtol in (1e-5, 1e-8))
    for key in ("q", "m", "sigma", "loss", "test_error"):
        distance = abs(getattr(coarse, key) - getattr(fine, key))
        assert distance <= getattr(coarse.error, key) + getattr(fine.error, key), key


def test_row_05_a_kink_inside_the_bulk_keeps_thirty_digits() -> None:
    parameters = {"s": mpmath.sqrt(mpmath.mpf(1) / 2), "delta": Fraction(1, 2)}
    with mpmath.workdps(90):
        parameters["s"] = mpmath.sqrt(mpmath.mpf(1) / 2)
    law = NumericLaw(WISHART, parameters, "mpmath", 30)
    (lower, upper), *_ = law.bands()
    with mpmath.workdps(40):
        kink = mpmath.mpf(3) / 4
        assert lower < kink < upper

        def density(x):
            # (x - delta^2 g - 1/g)(1 - g/s) = s, as a g^3 + b g^2 + c g = 1, by Cardano.
            s, square = parameters["s"], mpmath.mpf(1) / 4
            a, b, c = square / s, -(square + x / s), x + 1 / s - s
            p = c / a - (b / a) ** 2 / 3
            q = 2 * (b / a) ** 3 / 27 - b * c / (3 * a**2) - 1 / a
            root = mpmath.sqrt(max(0, (q / 2) ** 2 + (p / 3) ** 3))
            u, v = (mpmath.sign(y) * mpmath.cbrt(abs(y)) for y in (root - q / 2, -root - q / 2))
            return mpmath.sqrt(3) / 2 * (u - v) / mpmath.pi

        expected = mpmath.quad(lambda x: (x - kink) ** 2 * density(x), [kink, upper])
        assert abs(law.J(Fraction(3, 4)) - expected) < mpmath.mpf(10) ** -28


def critical_delta(kappa0: float) -> float:
    """Where the two bands touch (theory.md section 9)."""
    return (kappa0 ** (-1 / 3) - 1) ** 1.5


@pytest.mark.parametrize(
    ("kappa0", "delta"),
    [("1", 1e-6), ("1", 0.5), ("0.5", critical_delta(0.5)), ("0.1", critical_delta(0.1))],
)
def test_row_06_hard_edges_and_touching_bands(kappa0: str, delta: float) -> None:
    law = noisy_wishart(kappa0, delta)
    assert sum(band.mass for band in law.bands()) == pytest.approx(1, abs=1e-12)
    assert law.moments()[2] == pytest.approx(1 + float(kappa0) + delta**2, rel=1e-12)


@pytest.mark.parametrize(
    "values", [[2, 2, 2, 1, 1, 0], [1], [1, 1 + 1e-15, 1 - 1e-15], [3, 0, 0, 0]]
)
def test_row_06_repeated_eigenvalues(values: list[float], tmp_path: Path) -> None:
    path = tmp_path / "repeated.txt"
    path.write_text("\n".join(map(repr, values)))
    law = target_law(Atoms.from_file(path)).noisy(0.1)
    mass, mean, second = law.moments()
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(np.mean(values), abs=1e-12)
    assert second == pytest.approx(np.mean(np.square(values)) + 0.01, rel=1e-12)
    assert solve(problem_from(alpha="0.3", lam="0.05", target=f"file:{path}", tokens=1)).status.ok


def test_row_07_the_penalty_is_in_the_loss(capsys: pytest.CaptureFixture[str]) -> None:
    """The loss is a sum over samples plus lam |W|^2: a factor 2, or n, would be seen."""
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens=1)
    (run,) = simulate(problem, d=20, seeds=[0], paired=False).runs
    assert run.certificate.converged
    # h is linear in S, so S . dL/dS = 0 at the minimum: sum of y h - h^2 is half the penalty.
    penalty = run.observables.loss - float(problem.alpha) * run.observables.train_error
    trace = np.mean(run.eigenvalues)
    assert penalty == pytest.approx(0.1 * trace, rel=1e-6)
    assert main(["simulate", "--optimizer", "adamw", "--alpha", "1", "--kappa0", "1"]) == 2
    assert "--optimizer is not an option" in capsys.readouterr().err


def test_row_08_a_seed_fixes_the_data_on_any_number_of_threads() -> None:
    torch = pytest.importorskip("torch")
    problem = problem_from(**BASE)
    before, hashes = torch.get_num_threads(), set()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            teacher = draw_teacher(problem.target, 48, 0)
            hashes.add(draw_data(problem, teacher, 300, 0).digest)
    finally:
        torch.set_num_threads(before)
    assert len(hashes) == 1


def test_row_09_eigenvalues_come_from_singular_values() -> None:
    """kappa = 0.5, d = 200, in float32: no negative eigenvalue, and the rank is p."""
    w = np.random.default_rng(0).standard_normal((200, 100)).astype(np.float32)
    spectrum = spectrum_of_factor(w)
    assert spectrum.dtype == np.float64
    assert np.count_nonzero(spectrum) == 100
    assert np.all(spectrum >= 0)
    naive = np.linalg.eigvalsh(w @ w.T)
    assert np.sum(naive > 0) > 100  # what the row warns of


def test_row_10_eigenvalues_repel() -> None:
    """The p of independent samples is far too large; p from draws of the law is spread evenly.

    More right and wrong laws are in tests/learned_spectrum/test_comparison.py.
    """
    d, rng = 100, np.random.default_rng(0)

    def semicircle(x):
        y = np.clip(x / 2, -1, 1)
        return 0.5 + (y * np.sqrt(1 - y**2) + np.arcsin(y)) / np.pi

    values = []
    for _ in range(20):
        z = rng.standard_normal((d, d))
        x = np.linalg.eigvalsh((z + z.T) / np.sqrt(2 * d))
        values.append(ks_1samp(x, semicircle)[1])
    assert min(values) > 0.5  # independent samples would spread over 0 to 1
    right = [p for seed in range(6) for p in p_values(seed).values()]
    assert np.mean(right) == pytest.approx(0.5, abs=0.15)
    assert np.mean(np.array(right) < 0.5) == pytest.approx(0.5, abs=0.2)
    wrong = [min(p_values(seed, delta=1.1).values()) for seed in range(3)]
    assert max(wrong) < 0.1


def test_row_11_a_tail_is_fitted_on_outliers_with_its_cut_and_count() -> None:
    d, delta = 400, 0.3
    s = np.sqrt(d) / np.arange(1, d + 1)
    z = np.random.default_rng(1).standard_normal((d, d))
    x = np.linalg.eigvalsh(np.diag(s) + delta * (z + z.T) / np.sqrt(2 * d))
    tail = tail_of(x, 4 * delta)
    assert tail is not None
    assert tail.cut == 4 * delta
    assert tail.count == np.sum(x > tail.cut)
    assert tail.exponent == pytest.approx(2, abs=max(0.1, 3 * tail.error))


def test_row_12_zero_penalty_is_the_limit(capsys: pytest.CaptureFixture[str]) -> None:
    narrow = {"alpha": "0.1", "kappa0": "0.2", "kappa": "0.6", "noise": "0.5", "tokens": 1}
    limit = solve(problem_from(**narrow, lam=0))
    small = [solve(problem_from(**narrow, lam=lam)) for lam in ("1e-4", "1e-5")]
    far, near = (abs(one.mse - limit.mse) for one in small)
    assert near < 0.2 * far
    flags = [part for key, value in narrow.items() for part in (f"--{key}", str(value))]
    assert main(["simulate", *flags, "--lam", "0", "--d", "12"]) == 2
    err = capsys.readouterr().err
    assert "--lam = 0 is not valid" in err
    assert "--lam-path" in err


@pytest.mark.parametrize("tokens", [1, 2])
def test_row_13_a_threshold_above_the_top_edge_is_collapse(tokens: int) -> None:
    solution = solve(problem_from(alpha="0.2", lam="1e3", kappa0="0.5", tokens=tokens))
    assert solution.status is Status.COLLAPSED
    assert (solution.q, solution.m, solution.sigma, solution.rank_fraction) == (0, 0, 0, 0)
    assert solution.mse == pytest.approx(1.5, rel=1e-14)
    assert math.isfinite(solution.test_error)


def test_row_14_fifty_digits_from_floats_and_in_threads() -> None:
    exact = threshold("perfect-recovery", kappa0="1/10", digits=60).alpha
    assert exact is not None

    def digits(number: int) -> str:
        found = threshold("perfect-recovery", kappa0=0.1, digits=number).alpha
        assert found is not None
        return found

    with ThreadPoolExecutor(3) as pool:
        answers = dict(zip((20, 50, 100), pool.map(digits, (20, 50, 100)), strict=True))
    for number, answer in answers.items():
        agreed = min(number, 60)
        with mpmath.workdps(120):
            relative = abs(mpmath.mpf(answer) / mpmath.mpf(exact) - 1)
        assert relative < mpmath.mpf(10) ** (1 - agreed), number


def test_row_15_saturated_labels_are_finite() -> None:
    problem = problem_from(**{**BASE, "lam": "0.1"}, tokens=4, beta0=50)
    (run,) = simulate(problem, d=12, seeds=[0], paired=False).runs
    assert all(map(math.isfinite, run.observables.present().values()))
    solution = solve(problem, rtol=0.05, raise_on_failure=False)
    assert all(map(math.isfinite, solution.present().values()))
    assert solution.present()


def test_row_16_too_many_nodes_are_refused_or_the_error_says_so() -> None:
    with pytest.raises(BadInput, match=r"^tokens = 40 is not valid: must be at most 8"):
        solve(problem_from(**BASE, tokens=40))
    four = solve(problem_from(**BASE, tokens=4), rtol=0.02, raise_on_failure=False)
    assert four.status.ok
    assert 1e-8 < four.error.test_error / four.test_error < 0.05


def test_row_17_one_seed_is_no_verdict() -> None:
    problem = problem_from(alpha="0.3", lam="0.1", kappa0="0.5", tokens=1)
    one = simulate(problem, d=12, seeds=[0], paired=False)
    assert one.spread.present() == {}
    (verdict,) = judge([question(np.random.default_rng(0), 0.0, seeds=1, spread=1e-9)])
    assert verdict.outcome is Outcome.UNDECIDED


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kapa0", "0.5"], "--kapa0 is not an option of attlas solve: did you mean --kappa0?"),
        (["--target", "wishart:kapa0=0.5"], "did you mean kappa0"),
        (["--target", "power-law:gama=1,d=9"], "did you mean gamma"),
        (["--target", "spiked:spike=2,d=9"], "did you mean spikes"),
    ],
)
def test_row_18_a_typo_names_the_nearest_key(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["solve", "--alpha", "0.2", "--lam", "0.01", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_row_18_a_typo_in_a_mapping_or_a_file_is_no_value(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="did you mean kappa0"):
        problem_from(**{"alpha": 1, "lam": 1, "kapa0": 0.5})
    path = tmp_path / "typo.json"
    path.write_text(json.dumps({"kapa0": 0.5}))
    with pytest.raises(BadInput, match="must hold one number a line"):
        Atoms.from_file(path)
