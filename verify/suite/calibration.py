"""How often the judge errs: synthetic runs of known truth, in families, counted.

``python -m attlas.verify.suite.calibration --families 2000`` prints the table of docs/judge.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attlas.verify.judgement import LEVEL, POWER, Outcome, Question, Sample, extrapolate, judge
from attlas.verify.judgement.extrapolation import NEXT_COEFFICIENT
from attlas.verify.suite.allocation import PILOT, Cell, Need, allocate, needed_error
from attlas.verify.suite.design import Scatter

#: Half-width of the band, and questions of a family.
MARGIN, FAMILY = 0.02, 12

#: Standard deviation of one run's deviation times d, in every scenario.
SPREAD = 0.3


def _line(d: np.ndarray) -> np.ndarray:
    return 1.0 / d


def _curved(d: np.ndarray) -> np.ndarray:
    return 1.0 / d + NEXT_COEFFICIENT / d**2


def _bent(d: np.ndarray) -> np.ndarray:
    return 1.0 / d + 20.0 / d**2


def _root(d: np.ndarray) -> np.ndarray:
    return -0.03 / np.sqrt(d)


def _normal(rng: np.random.Generator, d: np.ndarray) -> np.ndarray:
    return SPREAD / d * rng.standard_normal(d.size)


def _heavy(rng: np.random.Generator, d: np.ndarray) -> np.ndarray:
    return SPREAD / d * rng.standard_t(5, d.size) / math.sqrt(5 / 3)


def _skew(rng: np.random.Generator, d: np.ndarray) -> np.ndarray:
    return SPREAD / d * (rng.exponential(size=d.size) - 1)


def _slow(rng: np.random.Generator, d: np.ndarray) -> np.ndarray:
    return SPREAD / np.sqrt(24 * d) * rng.standard_normal(d.size)


@dataclass(frozen=True)
class Scenario:
    """Runs of known truth.

    Attributes
    ----------
    name : str
    truth : float
        Deviation in the limit, over the margin. At 1, the edge, either verdict is wrong, and this
        is the worst case of both.
    sizes : tuple of int
    seeds : int
        At each size; on average where they are allocated.
    approach : callable
        Dimensions to what finite dimension adds.
    noise : callable
        A generator and the dimension of each run to its deviation from the mean.
    allocated : bool
        Whether the seeds are bought within a budget, after a pilot.
    right : int
        Questions of the family about which theory is right: the others are judged beside them.
    shared : float
        Part of the variance that all questions share, with signs that alternate.
    designed : bool
        Whether spreads differ between questions, from half to twice that of the others, and those
        are left out that the scatter of these same runs says would not be decided.
    """

    name: str
    truth: float = 1.0
    sizes: tuple[int, ...] = (24, 36, 60)
    seeds: int = 8
    approach: Callable[[np.ndarray], np.ndarray] = _line
    noise: Callable[[np.random.Generator, np.ndarray], np.ndarray] = _normal
    allocated: bool = False
    right: int = 0
    shared: float = 0.0
    designed: bool = False

    @property
    def runs(self) -> dict[int, int]:
        """Runs at each size; those of the pilot where seeds are allocated."""
        return dict.fromkeys(self.sizes, PILOT if self.allocated else self.seeds)


_FOUR = (16, 24, 36, 60)

#: Those with a star lie outside the promise, which is for powers of 1/d of like coefficients.
SCENARIOS = (
    Scenario("right theory", truth=0.0),
    Scenario("right theory, 30 seeds", truth=0.0, seeds=30),
    Scenario("wrong by two margins", truth=2.0),
    Scenario("wrong by two margins, 30 seeds", truth=2.0, seeds=30),
    Scenario("at the edge"),
    Scenario("at the edge, 3 seeds", seeds=3),
    Scenario("at the edge, 30 seeds", seeds=30),
    Scenario("at the edge, four sizes", sizes=_FOUR),
    Scenario("one at the edge, the others right", right=FAMILY - 1, seeds=30),
    Scenario("half at the edge, half right", right=FAMILY // 2, seeds=30),
    Scenario("at the edge, correlated", shared=0.5),
    Scenario(
        "two at the edge, correlated, the others right", right=FAMILY - 2, seeds=30, shared=0.5
    ),
    Scenario("at the edge, heavy tails", noise=_heavy),
    Scenario("at the edge, skew", noise=_skew),
    Scenario("at the edge, spread as d^-1/2", noise=_slow),
    Scenario("at the edge, 1/d + 3/d²", approach=_curved, seeds=30),
    Scenario("at the edge, 1/d + 3/d², four sizes", approach=_curved, seeds=30, sizes=_FOUR),
    Scenario("at the edge, 1/d + 20/d² *", approach=_bent, seeds=30),
    Scenario("at the edge, 1/d + 20/d², four sizes *", approach=_bent, seeds=30, sizes=_FOUR),
    Scenario("at the edge, approach as d^-1/2 *", approach=_root, seeds=30),
    Scenario("at the edge, asked by design", seeds=12, designed=True),
    Scenario("at the edge, correlated, asked by design", seeds=12, designed=True, shared=0.5),
    Scenario("right theory, asked by design", truth=0.0, seeds=12, designed=True),
    Scenario("at the edge, seeds allocated", allocated=True),
    Scenario("right theory, seeds allocated", truth=0.0, allocated=True),
)


@dataclass(frozen=True)
class Rates:
    """Fractions of families with at least one false verdict, and of questions that agree.

    Attributes
    ----------
    false_agreement, false_disagreement : float
        NaN where the truth makes that verdict right.
    agreement, disagreement : float
        Of all questions.
    families : int
    """

    false_agreement: float
    false_disagreement: float
    agreement: float
    disagreement: float
    families: int

    def error(self, rate: float) -> float:
        """Standard error of a measured fraction."""
        return math.sqrt(rate * (1 - rate) / self.families)


def measure(scenario: Scenario, families: int, seed: int = 0) -> Rates:
    """Judge families of questions of known truth.

    Parameters
    ----------
    scenario : Scenario
    families : int
    seed : int
    """
    rng = np.random.default_rng(seed)
    outcomes = []
    for _ in range(families):
        common = _noise(rng, scenario, scenario.runs)
        asked = [_question(rng, scenario, number, common) for number in range(FAMILY)]
        if scenario.allocated:
            asked = _with_allocated_seeds(rng, scenario, asked)
        if scenario.designed:
            asked = [one for one in asked if _decides(one, scenario.runs)]
        found = {verdict.point: verdict.outcome for verdict in judge(asked)}
        outcomes.append([found.get(str(number)) for number in range(FAMILY)])
    agreed = np.array([[one is Outcome.AGREES for one in group] for group in outcomes])
    disagreed = np.array([[one is Outcome.DISAGREES for one in group] for group in outcomes])
    wrong = agreed[:, scenario.right :]
    return Rates(
        false_agreement=float(np.any(wrong, axis=1).mean()) if scenario.truth >= 1 else math.nan,
        false_disagreement=(
            float(np.any(disagreed, axis=1).mean()) if scenario.truth <= 1 else math.nan
        ),
        agreement=float(np.mean(agreed)),
        disagreement=float(np.mean(disagreed)),
        families=families,
    )


def _question(
    rng: np.random.Generator, scenario: Scenario, number: int, common: np.ndarray
) -> Question:
    own = _noise(rng, scenario, scenario.runs)
    sign = 1 if number % 2 else -1
    noise = math.sqrt(1 - scenario.shared) * own + sign * math.sqrt(scenario.shared) * common
    if scenario.designed:
        noise = noise * 2.0 ** (2 * number / (FAMILY - 1) - 1)
    truth = 0.0 if number < scenario.right else scenario.truth
    samples = _samples(scenario, scenario.runs, truth, noise)
    return Question("synthetic", str(number), "q", -MARGIN, MARGIN, samples)


def _decides(question: Question, runs: dict[int, int]) -> bool:
    """Whether the scatter of the question's own runs foretells a decision."""
    fit = extrapolate([s.d for s in question.samples], [s.deviation("q") for s in question.samples])
    return Scatter.of(fit).chance(runs, MARGIN) >= POWER


def _noise(rng: np.random.Generator, scenario: Scenario, runs: dict[int, int]) -> np.ndarray:
    return scenario.noise(rng, np.repeat(list(runs), list(runs.values())))


def _samples(
    scenario: Scenario, runs: dict[int, int], truth: float, noise: np.ndarray
) -> tuple[Sample, ...]:
    d = np.repeat(list(runs), list(runs.values()))
    deviations = truth * MARGIN + scenario.approach(d) + noise
    return tuple(
        Sample(d=int(size), seed=number, measured={"q": 1 + float(value)}, theory={"q": 1.0})
        for number, (size, value) in enumerate(zip(d, deviations, strict=True))
    )


def _with_allocated_seeds(
    rng: np.random.Generator, scenario: Scenario, pilots: Sequence[Question]
) -> list[Question]:
    """Runs bought by the spreads of the pilot, at a cost of d^4, added to the pilot's."""
    counts: dict[Cell, int] = {
        ("synthetic", one.point, d): PILOT for one in pilots for d in scenario.sizes
    }
    seconds = {cell: (cell[2] / 60) ** 4 for cell in counts}
    needs = [
        Need.of(("synthetic", one.point), needed_error(MARGIN, FAMILY), _groups(one))
        for one in pilots
    ]
    budget = sum(seconds[cell] * (scenario.seeds - PILOT) for cell in counts)
    bought = allocate(needs, counts, seconds, budget)
    completed = []
    for one in pilots:
        more = {d: bought["synthetic", one.point, d] - PILOT for d in scenario.sizes}
        noise = _noise(rng, scenario, more)
        samples = one.samples + _samples(scenario, more, scenario.truth, noise)
        completed.append(replace(one, samples=samples))
    return completed


def _groups(question: Question) -> dict[int, np.ndarray]:
    return {
        d: np.array([s.deviation("q") for s in question.samples if s.d == d])
        for d in {s.d for s in question.samples}
    }


def table(families: int, seed: int = 0) -> str:
    """All scenarios as a Markdown table, in per cent with standard errors."""
    lines = [
        "| truth | false agreement | false disagreement | questions that agree | that disagree |",
        "|---|---|---|---|---|",
    ]
    for scenario in SCENARIOS:
        rates = measure(scenario, families, seed)
        false = [_cell(rates, rate) for rate in (rates.false_agreement, rates.false_disagreement)]
        shares = [f"{rate:.1%}" for rate in (rates.agreement, rates.disagreement)]
        lines.append(f"| {' | '.join([scenario.name, *false, *shares])} |")
    return "\n".join(lines)


def _cell(rates: Rates, rate: float) -> str:
    return "-" if math.isnan(rate) else f"{rate:.1%} ± {rates.error(rate):.1%}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure how often the judge errs.")
    parser.add_argument("--families", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(
        f"{arguments.families} families of {FAMILY} questions, band ± {MARGIN:.0%}; promised: at "
        f"most {LEVEL:.0%} of families with a false verdict of either kind."
    )
    print(table(arguments.families, arguments.seed))


if __name__ == "__main__":
    main()
