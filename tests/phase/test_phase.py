"""Phase diagrams: boundaries within their brackets, straight within the tolerance, refusals."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from pyarrow import parquet

from attlas.cli.main import main
from attlas.model import BadInput, LinearChannel, Problem, problem_from
from attlas.solver import solve, threshold
from attlas.solver.largest_penalty import largest_penalty
from attlas.solver.phase import BOUNDARIES, PLANES, Axis, Plane, phase
from attlas.solver.phase.boundary import Lines
from attlas.solver.phase.row import Crossing, Row
from attlas.solver.phase.trace import trace
from attlas.symbolic.thresholds import critical_noise_level


def linear(**parameters: Any) -> Problem:
    return problem_from(
        **{"alpha": "0.2", "lam": "0.1", "kappa0": "0.3", "noise": "0.1", "tokens": 1, **parameters}
    )


def square() -> Plane:
    return Plane.of(linear(), "alpha,noise", "1:2:2", "1:2:2")


def test_curves_of_a_circle_close_and_are_straight_within_the_tolerance():
    plane, centre, radius = square(), 1.5, 0.3

    def row(along: float, tolerance: float, near: tuple[float, ...]) -> Row:  # noqa: ARG001
        height = radius**2 - (along - centre) ** 2
        if height <= 0:
            return Row((), 0)
        ends = (centre - math.sqrt(height), centre + math.sqrt(height))
        return Row(tuple(Crossing(end, end, end) for end in ends), 0)

    found = trace(plane, "circle", Lines("x", row), 1e-3)
    (curve,) = found.curves
    assert curve.points[0] == curve.points[-1]
    middles = [
        ((a.x + b.x) / 2, (a.y + b.y) / 2)
        for a, b in zip(curve.points, curve.points[1:], strict=False)
    ]
    # The two closing chords join the folds, within the tolerance along and its root across.
    off = sorted(abs(math.hypot(x - centre, y - centre) - radius) for x, y in middles)
    assert off[-1] < 5e-3
    assert off[len(off) // 2] < 1e-3


def test_closed_form_boundaries_hold_the_thresholds():
    found = phase(
        linear(noise="0", lam="0"),
        "alpha,kappa0",
        x="0.02:0.6:3",
        y="0.2:0.9:3",
        boundaries=["perfect-recovery", "bayes", "bulk-split"],
        tolerance=1e-2,
    )
    assert {curve.boundary for curve in found.curves} == {"perfect-recovery", "bayes", "bulk-split"}
    for curve in found.curves:
        point = curve.points[3]
        exact = threshold(curve.boundary, kappa0=point.y, tokens=1, digits=30).alpha
        assert exact is not None
        assert point.low <= float(exact) <= point.high
        assert point.high - point.low < 1e-13
    recovered = "weight decay recovers S₀ (λ→0⁺)"
    assert any(region.sides["perfect-recovery"] == recovered for region in found.regions)
    assert sum(region.share for region in found.regions) > 0.98


def test_interpolation_without_noise_is_the_limit_of_little_noise():
    curves = [
        phase(
            linear(noise=noise, lam="0"),
            "alpha,kappa0",
            x="0.02:0.6:3",
            y="0.3:0.5:2",
            boundaries=["interpolation"],
            tolerance=0.1,
        )
        for noise in ("0", "1e-12")
    ]
    for none, little in zip(*(one.curves[0].points for one in curves), strict=True):
        assert little.x == pytest.approx(none.x, abs=2e-4)
        assert little.x < none.x
    assert curves[0].regions[0].sides == {}  # without noise nothing changes there


def test_collapse_agrees_between_planes_and_with_solutions():
    one = phase(
        linear(), "alpha,lam", x="0.1:0.4:2", y="0.1:4:2:log", boundaries=["collapse"],
        tolerance=1e-2,
    )  # fmt: skip
    point = one.curves[0].points[2]
    other = phase(
        linear(lam=point.y), "alpha,noise", x="0.05:0.6:2", y="0.05:0.2:2",
        boundaries=["collapse"], tolerance=5e-3,
    )  # fmt: skip
    alongside = min(other.curves[0].points, key=lambda p: abs(p.y - 0.1))
    assert alongside.x == pytest.approx(point.x, rel=0.1)
    problem = other.plane.problem(alongside.x, alongside.y)
    assert largest_penalty(problem).lam == pytest.approx(point.y, rel=0.05)
    assert solve(problem.with_(alpha=0.8 * alongside.x)).q == 0
    assert solve(problem.with_(alpha=1.2 * alongside.x)).q > 0


def test_brackets_of_level_sets_hold_a_change_of_sign():
    found = phase(
        linear(), "alpha,lam", x="0.2:1:2:log", y="0.01:0.1:2:log", boundaries=["bulk-split"],
        tolerance=0.05,
    )  # fmt: skip
    (curve,) = found.curves
    point = curve.points[1]
    assert point.low < point.x < point.high
    critical = float(critical_noise_level("0.3"))
    few, many = (solve(found.plane.problem(x, point.y)).delta for x in (point.low, point.high))
    assert many < critical < few
    assert {"bulk-split": "two bands"} in [region.sides for region in found.regions]


def test_best_penalty_is_least_along_its_line():
    found = phase(
        linear(), "alpha,lam", x="0.3:0.4:2", y="0.01:1:2:log", boundaries=["best-lambda"],
        tolerance=0.1,
    )  # fmt: skip
    point = found.curves[0].points[0]
    here, less, more = (
        solve(found.plane.problem(point.x, factor * point.y)).test_error
        for factor in (1, 0.8, 1.25)
    )
    assert here < min(less, more)
    assert found.regions[0].sides == {}


def test_the_largest_spike_is_seen_beyond_its_boundary():
    spiked = problem_from(
        alpha="0.3", lam="0.05", noise="0.5", tokens=1,
        target="spiked:spikes=6,background=wishart:kappa0=0.1",
    )  # fmt: skip
    found = phase(
        spiked, "alpha,noise", x="0.02:1:2:log", y="0.3:0.7:2", boundaries=["bbp"],
        tolerance=0.05,
    )  # fmt: skip
    point = min(found.curves[0].points, key=lambda p: abs(p.y - 0.5))
    expected = threshold(
        "weak-recovery", problem=spiked.with_(channel=LinearChannel(noise=repr(point.y)))
    )
    assert point.low < float(expected.alpha or "nan") < point.high
    assert {"bbp": "largest spike seen"} in [region.sides for region in found.regions]


def test_every_boundary_says_where_it_exists_and_why_it_does_not():
    for boundary in BOUNDARIES.values():
        assert boundary.planes
        assert set(boundary.planes) <= set(PLANES)
    found = phase(
        linear(kappa0="2", training="direct"),
        "alpha,noise",
        x="0.1:0.2:2",
        y="0.1:0.2:2",
        boundaries=[name for name in BOUNDARIES if name != "best-lambda"],
    )
    assert set(found.absent) == set(BOUNDARIES) - {"best-lambda"}
    assert all(reason.endswith(".") for reason in found.absent.values())


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        ({"plane": "alpha,kapa0"}, "plane"),
        ({"plane": "alpha,lam", "y": "1:0.1:3"}, "y"),
        ({"plane": "alpha,lam", "x": "0.1"}, "x"),
        ({"boundaries": ["intepolation"]}, "boundaries"),
        ({"map_key": "test_eror"}, "map_key"),
        ({"tolerance": 1.0}, "tolerance"),
    ],
)
def test_bad_input_is_named_before_anything_is_solved(arguments, parameter):
    with pytest.raises(BadInput) as refusal:
        phase(linear(), **arguments)
    assert refusal.value.parameter == parameter


def test_a_plane_without_its_parameter_is_refused():
    with pytest.raises(BadInput, match="no parameter lam"):
        phase(problem_from(alpha=1, kappa0=1, training="bayes"), "alpha,lam")


@pytest.mark.parametrize(
    ("text", "middle"), [("0.01:4:5:log", 0.2), ("0.01:4:5", 2.005)], ids=["log", "linear"]
)
def test_axis_positions_round_trip(text, middle):
    axis = Axis.read("y", "noise", text)
    assert axis.unit(middle) == pytest.approx(0.5, rel=1e-14)
    assert axis.at(0.5) == pytest.approx(middle, rel=1e-14)
    assert axis.at(axis.unit(0.3)) == pytest.approx(0.3, rel=1e-14)
    assert (axis.at(0), axis.at(1)) == (0.01, 4.0)


@pytest.mark.parametrize("ending", ["json", "parquet", "svg", "png"])
def test_command_writes_every_format(ending, tmp_path, capsys):
    out = tmp_path / f"diagram.{ending}"
    code = main(
        [
            "phase", "--plane", "alpha,kappa0", "--tokens", "1", "--x", "0.1:0.6:3", "--y",
            "0.2:0.4:2", "--boundaries", "bayes", "--map", "mse", "--workers", "1",
            "--out", str(out), "--json",
        ]
    )  # fmt: skip
    assert code == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["schema"] == "attlas/phase/1"
    assert printed["result"]["boundaries"][0]["boundary"] == "bayes"
    assert len(printed["result"]["map"]["rows"]) == 6
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    if ending == "json":
        assert json.loads(out.read_text())["result"] == printed["result"]
    elif ending == "parquet":
        rows = parquet.read_table(out).to_pylist()
        assert {row["source"] for row in rows} == {"bayes", "map"}
        at = next(row for row in rows if row["source"] == "bayes" and row["kappa0"] == 0.2)
        assert at["low"] <= 0.18 <= at["high"]
    elif ending == "svg":
        text = out.read_text()
        assert "Bayes-optimal recovery" in text
        assert "samples per squared dimension" in text
    else:
        assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments",
    [["--alpha", "1"], ["--out", "x.pdf"], ["--out", "nowhere/x.svg"]],
)
def test_command_refuses_in_one_sentence(arguments, capsys):
    assert main(["phase", "--kappa0", "1", "--plane", "alpha,noise", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err
