"""The report as a reader meets it: wide and narrow, dark and light, by keyboard, on paper."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.report_page.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")

#: Smallest ratio of contrast between text and what is behind it, over all text of the page, in
#: figures too; the WCAG asks for 4.5.
CONTRAST = """() => {
  const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const colour = parse(getComputedStyle(node).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let worst = {ratio: 99, text: ""};
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    const text = walk.currentNode.textContent.trim();
    if (!text || !node.getClientRects().length || node.closest("style, title, desc")) continue;
    const style = getComputedStyle(node);
    const front = parse(node.closest("svg") ? style.fill : style.color);
    const [a, b] = [light(front), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < worst.ratio) worst = {ratio, text};
  }
  return worst;
}"""


#: CIE lightness of the page and of its series.
LIGHTNESS = """() => ["--surface", 1, 2, 3, 4, 5, 6].map(name => {
  const variable = typeof name === "number" ? `--series-${name}` : name;
  const hex = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const y = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
})"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_fits_and_is_readable(show: Open, width: int, scheme: str) -> None:
    page = show(width, scheme)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    wide, room = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= room == width
    worst = page.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.5, worst
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_no_request_leaves_and_the_console_is_silent(browser: Browser, report: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    address = (report / "index.html").as_uri()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    context.close()
    assert said == []
    assert asked == [address]


def test_needs_no_script(show: Open) -> None:
    plain, scripted = show(script=False), show()
    assert plain.locator("script").count() == 0
    assert plain.locator("main").inner_text() == scripted.locator("main").inner_text()
    plain.locator("summary", has_text="All numbers of the tests").click()
    assert plain.get_by_role("table", name=re.compile("^p-values are corrected")).is_visible()


def test_every_link_leads_somewhere(show: Open, report: Path) -> None:
    page = show()
    targets = {link.get_attribute("href") or "" for link in page.locator("a[href]").all()}
    assert {"#verdicts", "#controls", "#coverage", "#drift", "#learning-curve"} <= targets
    for target in targets:
        if target.startswith("#"):
            assert page.locator(target).count() == 1, target
        else:
            assert (report / target).is_file(), target
    for link in page.get_by_role("navigation").get_by_role("link").all():
        link.click()
        section = page.locator(link.get_attribute("href") or "")
        box = section.bounding_box()
        assert box is not None
        assert -1 <= box["y"] < 900
        page.evaluate("scrollTo(0, 0)")


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_drawn_and_named(show: Open, width: int) -> None:
    page = show(width)
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    figures = page.locator("figure").all()
    assert len(figures) == 2 * 5
    for figure in figures:
        picture = figure.locator("svg[role=img]")
        box = picture.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 150
        assert picture.locator("path").count() > 10
        assert figure.locator("figcaption").inner_text()
    names = [page.get_by_role("img", name=re.compile(start)).count() for start in ("Dev", ".* aga")]
    assert min(names) >= 5


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_are_tables_to_a_screen_reader(show: Open, width: int) -> None:
    """Also where they are laid out as lists."""
    page = show(width)
    table = page.get_by_role("table", name=re.compile("^Every claim of the suite and its verdict"))
    assert table.get_by_role("row").count() == 2
    assert table.get_by_role("rowheader").count() == 1
    assert table.get_by_role("cell").count() == 2
    landmarks = ("banner", "navigation", "main", "contentinfo")
    assert all(page.get_by_role(name).count() == 1 for name in landmarks)  # type: ignore[arg-type]
    levels = [
        int(name[1])
        for name in page.locator("h1, h2, h3").evaluate_all("a => a.map(e => e.localName)")
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_first_screen_says_it(show: Open, width: int) -> None:
    """How well they agree in words, and on a wide screen the forest plot beneath."""
    page = show(width)
    sentence = page.locator(".banner .outcome")
    assert "typical deviation" in sentence.inner_text()
    forest = page.locator("svg.forest:not(.mark)").first
    for what, lowest in ((sentence, 900), (forest, 900 if width > 1000 else 1300)):
        box = what.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < lowest
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width


@pytest.mark.parametrize("scheme", SCHEMES)
def test_series_differ_in_grey(show: Open, scheme: str) -> None:
    """By 5 of 100 in lightness at least, and each stands out from the page."""
    page = show(scheme=scheme)
    light = page.evaluate(LIGHTNESS)
    behind, *series = light
    assert len(series) == 6
    assert min(after - before for before, after in pairwise(sorted(series))) >= 5, light
    assert min(abs(one - behind) for one in series) >= 35, light


def test_works_by_keyboard(show: Open) -> None:
    page = show(390)
    focus = "document.activeElement.textContent.trim()"
    page.keyboard.press("Tab")
    assert page.evaluate(focus) == "Skip to the results"
    assert page.get_by_text("Skip to the results").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    summary = page.locator("#learning-curve summary").last
    summary.focus()
    outline = summary.evaluate("e => getComputedStyle(e).outlineWidth")
    assert outline == "3px"
    page.keyboard.press("Enter")
    assert page.get_by_text("attlas verify --suite quick --claim learning-curve").is_visible()


def test_prints_well(show: Open) -> None:
    """On paper nothing can be opened or followed: commands are there, the navigation is not."""
    page = show(700)
    command = page.get_by_text("attlas verify --suite quick --claim learning-curve")
    assert not command.is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert command.is_visible()
    assert not page.get_by_role("navigation").is_visible()
    assert page.evaluate(CONTRAST)["ratio"] >= 4.5
    cell = page.locator("table.verdicts td").first
    assert cell.evaluate("e => getComputedStyle(e).display") == "table-cell"
    wide, room = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= room
    assert page.pdf(format="A4").startswith(b"%PDF")
