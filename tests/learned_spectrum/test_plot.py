"""``solution.plot()``, from the front door."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import attlas
from attlas.solver.solution import SolveError
from attlas.solver.status import Status


def solved(**changes):
    options = {"alpha": 0.5, "kappa0": "1/2", "estimator": attlas.Factorised(lam=0.05), **changes}
    kappa0 = options.pop("kappa0")
    return attlas.solve(
        attlas.Problem(
            target=attlas.Wishart(kappa0), channel=attlas.LinearChannel(noise=0.5), **options
        )
    )


def test_plot_is_a_figure_and_writes_itself(tmp_path):
    solution = solved()
    figure = solution.plot(tmp_path / "spectrum.svg")
    assert isinstance(figure, Figure)
    assert "<svg" in (tmp_path / "spectrum.svg").read_text()
    zero, density = figure.axes[:2]
    # The atom at zero is as high as the spectrum says.
    atom = attlas.spectrum(solution.problem).mass_at_zero
    heights = [bar.get_height() for bar in zero.patches if isinstance(bar, Rectangle)]
    assert any(abs(height - atom) < 1e-6 for height in heights)
    assert density.lines or density.collections
    assert isinstance(solution.plot(), Figure)


def test_negative_eigenvalues_of_a_direct_map_are_drawn():
    figure = solved(estimator=attlas.Direct("0.1")).plot()
    zero, density = figure.axes[:2]
    lowest = attlas.spectrum(solved(estimator=attlas.Direct("0.1")).problem).bands[0].lower
    assert density.get_xlim()[0] < lowest < 0
    assert "ReLU" not in figure.get_suptitle()
    assert all(bar.get_height() < 1e-9 for bar in zero.patches if isinstance(bar, Rectangle))


def test_a_floor_has_no_map_to_draw():
    with pytest.raises(attlas.BadInput, match="trains a map"):
        solved(estimator=attlas.BayesOptimal()).plot()


def test_bad_path_is_refused(tmp_path):
    with pytest.raises(attlas.BadInput, match="svg"):
        solved().plot(tmp_path / "spectrum.bmp")


def test_a_failed_solution_is_not_drawn():
    from dataclasses import replace

    with pytest.raises(SolveError):
        replace(solved(), status=Status.NOT_CONVERGED).plot()
