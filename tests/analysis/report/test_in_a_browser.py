"""The report where people see it. Skipped where there is no Chromium."""

import pytest

from analysis.pages.svg import inlined
from analysis.report.page import write_report
from attention_explain.heatmaps.html_page import document
from tests.analysis.attribution_files import random_rows
from tests.analysis.report.chromium import PATH, chromium
from tests.analysis.report.folders import METHODS, attribution_file, output_folder
from tests.analysis.report.hostile_figures import FIGURES

pytestmark = pytest.mark.skipif(PATH is None, reason="there is no Chromium here")

# A browser heeds these wherever they stand, and a policy in the page does not forbid it.
HTML = ("refresh",)
LONG_WORD = "Donaudampfschifffahrtsgesellschaft" * 4
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Of the elements, how many can be seen.
SEEN = "[...document.querySelectorAll('{}')].filter(each => each.getClientRects().length).length"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """With words, ids, labels and captions that do not fit on a phone."""
    folder = tmp_path_factory.mktemp("report")
    rows = random_rows(methods=METHODS, rationale=True)
    for row in rows:
        row["id"] += LONG_WORD
        row["tokens"][0] = row["predicted"] = LONG_WORD
    file = attribution_file(
        folder / "a.parquet", rows, labels=[LONG_WORD, "1"], archive=f"runs/{LONG_WORD}"
    )
    return write_report(output_folder(folder / "out", [file], LONG_WORD))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_never_scrolls_sideways_and_never_complains(browser, path, width):
    browser.requests.clear()
    browser.open(path, width)
    assert browser.value("innerWidth") == width
    assert browser.value(OVERFLOW) == 0
    browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
    browser.value("document.querySelectorAll('input').forEach(each => each.click())")
    assert browser.value(OVERFLOW) == 0
    assert browser.complaints == []
    assert browser.requests == [path.as_uri()]


def test_nothing_that_a_figure_holds_runs_or_loads(browser, tmp_path):
    """Neither as the report takes it up, nor, by the page's policy, as it was."""
    cleaned = [
        inlined(figure, f"n{number}", name, name)
        for number, (name, figure) in enumerate(FIGURES.items())
    ]
    raw = [
        figure.decode().replace("h:", "") for name, figure in FIGURES.items() if name not in HTML
    ]
    for content in (cleaned, raw):
        file = tmp_path / "page.html"
        file.write_text(document("Figures", "", "".join(content)))
        browser.requests.clear()
        browser.open(file, 1280)
        assert browser.value("document.querySelectorAll('svg').length") == len(content)
        assert browser.value("typeof evil") == "undefined"
        assert browser.requests == [file.as_uri()]
        if content is cleaned:
            assert browser.complaints == []
    browser.complaints.clear()


def test_of_scripts_only_the_page_s_own_run(browser, tmp_path):
    file = tmp_path / "page.html"
    body = "<script>other = 1</script><p onclick='other = 1'>a</p>"
    file.write_text(document("A page", "p { color: red }", body, scripts=["own = 'é' + 1"]))
    browser.open(file, 1280)
    browser.value("document.querySelector('p').click()")
    assert browser.value("own") == "é1" and browser.value("typeof other") == "undefined"
    browser.complaints.clear()


def test_wide_tables_scroll_in_their_own_box(browser, path):
    browser.open(path, 390)
    wide = "[...document.querySelectorAll('.scroll')].some(box => box.scrollWidth > innerWidth)"
    assert browser.value(wide)


def test_contents_stay_in_sight_on_a_wide_screen_and_lead_on_a_phone(browser, path):
    top = "Math.round(document.querySelector('nav').getBoundingClientRect().top)"
    browser.open(path, 1280)
    browser.value("scrollTo(0, 1500)")
    assert browser.value("scrollY") == 1500 and browser.value(top) == 0
    browser.open(path, 390)
    below_title = (
        "document.querySelector('nav').offsetTop < document.querySelector('main').offsetTop"
    )
    assert browser.value(below_title)
    browser.value("scrollTo(0, 1500)")
    assert browser.value(top) < -500


def test_a_long_table_opens_and_closes(browser, path):
    browser.open(path, 1280)
    rows = SEEN.format(".long tbody tr")
    assert browser.value(rows) == 10
    browser.value("document.querySelector('.long label').click()")
    assert browser.value(rows) == 20
    browser.value("document.querySelector('.long label').click()")
    assert browser.value(rows) == 10


def test_paper_has_what_is_closed_on_the_screen(browser, path):
    browser.open(path, 1280)
    hidden = "[...document.querySelectorAll('details pre')].every(each => !each.checkVisibility())"
    assert browser.value(hidden)
    browser.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert browser.value(SEEN.format(".long tbody tr")) == 20
        shown = "[...document.querySelectorAll('details pre')].every(one => one.offsetHeight > 8)"
        assert browser.value(shown)
        # A box that scrolls would be cut.
        cut = (
            "[...document.querySelectorAll('.scroll')].some(b => b.scrollWidth > b.clientWidth + 1)"
        )
        browser.send(
            "Emulation.setDeviceMetricsOverride",
            width=680, height=960, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        assert not browser.value(cut)
    finally:
        browser.send("Emulation.setEmulatedMedia", media="")
