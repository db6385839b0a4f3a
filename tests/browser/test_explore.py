"""The page in a real Chromium, as a person uses it."""

import json

import pytest
from selenium.webdriver.common.keys import Keys

from attention_explain.explore.app import MOST_BYTES
from attention_explain.explore.data_texts import DataTexts
from tests.browser.served import Page, chromium, missing, served
from tests.builders import LABELS, TEXTS
from tests.explore.opened import METHODS, WORDS, given, opened, opened_folder, opened_pairs
from tests.pairs import PAIRS
from tests.tiny_transformers import save_tiny_transformer

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]

TEXT = " ".join(WORDS)
NASTY = [
    "<script>document.title='gone'</script> <img src=x onerror=document.title='gone'> &amp;",
    "مرحبا بالعالم هذا فيلم رائع",
    "👩‍👩‍👧‍👦 🇩🇪 e\u0301 \u202eabc\u202c %00 #a&b=c",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = chromium(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


@pytest.fixture(scope="module")
def tiny():
    return opened()


@pytest.fixture(scope="module")
def address(tiny, tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "texts.jsonl"
    lines = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    texts = DataTexts(tiny, str(file))
    texts.start(100)
    with served(tiny, texts=texts) as found:
        yield found


@pytest.fixture
def page(browser, address):
    made = Page(browser, address)
    browser.set_window_size(1280, 1000)
    browser.get_log("browser")
    yield made
    # Whatever happened: the page said nothing of errors, and asked nobody else.
    severe = [each for each in browser.get_log("browser") if each["level"] == "SEVERE"]
    # That the server rejects something is no error of the page.
    assert [each for each in severe if "status of 4" not in each["message"]] == []
    names = made.script("performance.getEntriesByType('resource').map((each) => each.name)")
    assert names and all(name.startswith(("http://127.0.0.1:", "data:")) for name in names)


def shown(probs, labels):
    return {label: pytest.approx(value, abs=6e-4) for label, value in zip(labels, probs)}


def test_a_typed_text_is_explained_by_all_methods(page, tiny):
    page.open().type(TEXT)
    found = tiny.explain(given())
    assert page.text(".says") == found["label"]
    assert page.probabilities() == shown(found["probs"], found["labels"])
    assert page.words == list(WORDS)
    assert page.texts(".heatmaps tbody tr th") != []
    for method in METHODS:
        assert page.texts(f"tr[data-method={method}] .words i") == list(WORDS)


def test_enter_asks(page):
    page.open().one("#text").send_keys(Keys.CONTROL, "a")
    page.one("#text").send_keys(" ".join(WORDS[:3]), Keys.ENTER)
    page.until(lambda: page.words == list(WORDS[:3]))
    page.settled()


@pytest.mark.parametrize("text", NASTY)
def test_texts_are_texts_whatever_they_hold(page, text):
    page.open().type(text)
    assert page.words == text.split()
    assert page.texts("tr[data-method=attention] .words i") == text.split()
    assert page.script("document.title").startswith("Explore")
    assert len(page.all("script")) == 1 and not page.all("main img")
    # And again from the link.
    fragment = page.script("location.hash")
    page.browser.get("about:blank")
    page.browser.get(page.address + fragment)
    page.until(lambda: page.words == text.split())
    page.settled()


def test_a_word_is_taken_out_and_brought_back(page, tiny):
    page.open(text=TEXT)
    before = page.probabilities()
    page.all("#words button")[3].click()
    page.one("#remove").click()
    page.settled()
    left = tiny.explain(given(WORDS[:3] + WORDS[4:]))
    assert page.probabilities() == shown(left["probs"], left["labels"])
    assert "was" in page.text(".prediction-now")
    assert page.one("#words button:nth-of-type(4)").get_attribute("aria-label") == (
        "superb, removed"
    )
    page.all("#words button")[3].click()
    page.one("#bring-back").click()
    page.settled()
    assert page.probabilities() == before


def test_a_word_is_replaced_by_others_and_by_key(page, tiny):
    page.open(text=TEXT)
    page.all("#words button")[3].click()
    page.one("#instead").send_keys("not dull", Keys.ENTER)
    page.settled()
    words = [*WORDS[:3], "not", "dull", *WORDS[4:]]
    assert page.texts("tr[data-method=attention] .words i") == words
    page.all("#words button")[0].send_keys(Keys.DELETE)
    page.settled()
    found = tiny.explain(given(words[1:]))
    assert page.probabilities() == shown(found["probs"], found["labels"])
    page.one("#undo").click()
    page.settled()
    assert page.texts("tr[data-method=attention] .words i") == list(WORDS)


def test_weights_are_moved_by_key_and_the_output_follows(page, tiny):
    page.open(text=TEXT)
    own = tiny.explain(given())["attention"]
    page.all(".weights input")[2].send_keys(Keys.END)
    page.until(lambda: "With your weights" in page.text(".weights .outcome"))
    alone = [0.0] * len(WORDS)
    alone[2] = 1.0
    found = tiny.weights(given(), alone)
    assert page.probabilities(".weights .outcome") == shown(found["probs"], tiny.model.labels)
    assert page.texts(".weights .mine output") == [f"{each:.3f}" for each in alone]
    # A step back: the others share it alike, since none of them had any.
    page.all(".weights input")[2].send_keys(Keys.ARROW_LEFT)
    page.until(lambda: page.texts(".weights .mine output")[2] == "0.999")
    buttons = page.all(".weights .buttons button")
    buttons[3].click()
    assert page.texts(".weights .mine output") == [f"{each:.3f}" for each in own]
    assert page.text(".weights .outcome") == ""


def test_other_weights_stand_next_to_the_models_and_can_be_taken(page, tiny):
    page.open(text=TEXT)
    search, take, *_ = page.all(".weights .buttons button")
    assert not take.is_displayed()
    search.click()
    page.until(lambda: "the search found" in page.text(".weights .outcome"))
    found = tiny.other_weights(given())
    assert page.texts(".weights td.other .number") == [f"{each:.3f}" for each in found["weights"]]
    assert page.probabilities(".weights .outcome") == shown(found["probs"], tiny.model.labels)
    take.click()
    page.until(lambda: "With your weights" in page.text(".weights .outcome"))
    assert page.texts(".weights .mine output") == [f"{each:.3f}" for each in found["weights"]]


def test_the_share_of_words_and_their_order(page, tiny):
    page.open(text=TEXT)
    share = page.one("#share")
    share.send_keys(Keys.HOME)
    page.until(lambda: page.text("#shared") == "off")
    page.settled()
    assert not page.all(".heatmaps td.number") and not page.all(".heatmaps .grey")
    share.send_keys(Keys.PAGE_UP, *[Keys.ARROW_RIGHT] * 4)
    page.until(lambda: page.all(".heatmaps td.number"))
    count = int(page.text("#shared").split(": ")[1].split()[0])
    for by in ("signed", "size"):
        page.one(f"[name=by][value={by}]").click()
        page.settled()
        found = tiny.named(given(), METHODS, count, by)
        for method, of in found["methods"].items():
            row = f"tr[data-method={method}]"
            outputs = [of["without"]["probability"], of["only"]["probability"]]
            written = [float(each[:5]) for each in page.texts(f"{row} td.number")]
            assert written == pytest.approx(outputs, abs=6e-4)
            black = page.texts(f"{row} .words i:not(.grey)")
            assert black == [WORDS[place] for place in sorted(of["places"])]
    signs = page.script(
        "document.querySelectorAll('.heatmaps i[class^=n], .heatmaps i[class^=p]').length"
    )
    assert signs == 0


def test_methods_are_chosen(page):
    page.open(text=TEXT)
    page.one("#choosing summary").click()
    page.one("#methods input[value=attention]").click()
    page.settled()
    rows = page.script(
        "[...document.querySelectorAll('tr[data-method]')].map((each) => each.dataset.method)"
    )
    assert rows == METHODS[1:]


def test_a_link_opens_the_same(page, tiny):
    page.open(text=TEXT)
    page.all("#words button")[0].send_keys(Keys.DELETE)
    page.settled()
    page.all(".weights input")[1].send_keys(Keys.END)
    page.until(lambda: "With your weights" in page.text(".weights .outcome"))
    page.one("[name=by][value=size]").click()
    page.settled()
    seen = [page.probabilities(), page.probabilities(".weights .outcome"), page.texts("tr .words")]
    link = page.script("location.href")
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until(lambda: page.all(".weights .outcome b"))
    page.settled()
    again = [page.probabilities(), page.probabilities(".weights .outcome"), page.texts("tr .words")]
    assert again == seen
    assert page.one("[name=by][value=size]").is_selected()


@pytest.mark.parametrize(
    "fragment", ["edits=%7B&weights0=a,b&off0=x&share=9&by=none&methods=magic", "%", "edits=null"]
)
def test_a_link_of_nonsense_does_no_harm(page, fragment):
    page.browser.get("about:blank")
    page.browser.get(f"{page.address}#text=a+dull+film&{fragment}")
    page.until(lambda: page.words == ["a", "dull", "film"])
    page.settled()


def test_a_megabyte_of_text_gets_a_sentence(page):
    page.open(text=TEXT)
    page.type("word " * 200_000)
    assert "The text is too long" in page.said
    page.type("a " * (MOST_BYTES // 4))
    page.until(lambda: page.all(".model .error:not([hidden])"))
    assert "words, but this page takes up to 1,000" in page.text(".model .error")
    # And it goes on.
    page.type("a dull film")
    assert page.words == ["a", "dull", "film"]


def test_texts_are_picked_and_those_that_mislead_are_found(page):
    page.open()
    page.until(lambda: page.words == TEXTS[0].split())
    page.settled()
    assert len(page.all("#pick option")) == 1 + len(TEXTS)
    page.all("#pick option")[2].click()
    page.until(lambda: page.words == TEXTS[1].split())
    page.settled()
    page.one("#misleading summary").click()
    page.until(lambda: page.text("#searched").startswith(f"Of {len(TEXTS)} that"))
    found = page.all("#misleading li button")
    assert found
    found[0].click()
    page.settled()
    assert " ".join(page.words) in page.texts("#misleading li button")[0]


def test_two_models_side_by_side(browser):
    models = [opened(seed=1), opened(seed=2)]
    with served(*models) as address:
        page = Page(browser, address).open(text=TEXT)
        page.until(lambda: len(page.all(".model tr[data-method]")) == 2 * len(METHODS))
        for number, model in enumerate(models, 1):
            found = model.explain(given())
            within = f".model:nth-of-type({number}) .prediction-now"
            assert page.probabilities(within) == shown(found["probs"], found["labels"])
        left, right = (each.rect["x"] for each in page.all(".model"))
        assert left < right
        page.all("#words button")[0].send_keys(Keys.DELETE)
        page.settled()
        found = models[1].explain(given(WORDS[1:]))
        within = ".model:nth-of-type(2) .prediction-now"
        assert page.probabilities(within) == shown(found["probs"], found["labels"])


def test_heads_are_switched_off(browser, tmp_path):
    folder = opened_folder(save_tiny_transformer(tmp_path / "bert"))
    with served(folder) as address:
        page = Page(browser, address).open(text=TEXT)
        assert not page.all(".weights")
        page.one(".heads summary").click()
        page.until(lambda: len(page.all(".grid button")) == 4)
        page.all(".grid button")[1].click()
        page.until(lambda: "With one head off" in page.text(".heads .outcome"))
        found = folder.without_heads(given(), [[0, 1]])["probs"]
        assert page.probabilities(".heads .outcome") == shown(found, folder.model.labels)
        assert "Layer 1, head 2 attends to" in page.text(".heads")
        page.all(".grid button")[1].send_keys(Keys.SPACE)
        page.until(lambda: page.text(".heads .outcome") == "")


def test_pairs(browser):
    pairs = opened_pairs()
    passage, question, _ = PAIRS[0]
    with served(pairs) as address:
        page = Page(browser, address).open(text=passage, query=question)
        found = pairs.explain(given(passage.split(), query=question))
        assert page.probabilities() == shown(
            *zip(*sorted(zip(found["probs"], found["labels"]), reverse=True)[:5])
        )
        page.script("document.getElementById('query').value = ''")
        page.type(passage)
        assert "second text is empty" in page.text(".model .error")


def test_the_verdict(browser, tiny):
    question = {"question": "used by the model?", "answer": "no", "sentence": "<b>not</b>"}
    verdict = {
        "model": "<i>m</i>",
        "corpus": "c",
        "texts": 3,
        "attention": {"answer": "no", "score": 0.1, "low": 0.0, "high": 0.2},
        "questions": [question],
        "methods": [],
        "recommended": {"method": "lrp", "why": "it is best"},
        "nothing": "",
    }
    with served(tiny, verdict=verdict, evidence=b"<title>evidence</title>") as address:
        page = Page(browser, address).open(text=TEXT)
        assert "of <i>m</i> on c (3 texts)? No." in page.text("#verdict summary")
        assert "It comes 0.100 [0.000, 0.200]" in page.text("#verdict")
        assert "Show your readers lrp: it is best." in page.text("#verdict")
        assert page.one("#verdict a").get_attribute("href") == f"{address}verdict.html"


def test_no_script_of_a_verdict_page_runs(browser, tiny):
    evidence = b"""<title>evidence</title><p>shown</p>
    <script>document.title = 'ran'; fetch('/about')</script>
    <img src=x onerror="document.title = 'ran'"><a href="javascript:document.title='ran'">a</a>"""
    with served(tiny, verdict={"model": "m"}, evidence=evidence) as address:
        browser.get(f"{address}verdict.html")
        assert browser.find_element("css selector", "p").text == "shown"
        browser.find_element("css selector", "a").click()
        assert browser.title == "evidence"
        # Not even the origin of the page is known to it.
        assert browser.execute_script("return self.origin") == "null"
    browser.get_log("browser")


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_is_wider_than_the_screen(page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.open(text=f"{'incomprehensibilities' * 6} {TEXT}")
        page.one(".weights .buttons button").click()
        page.until(lambda: page.all(".weights .outcome b"))
        assert page.script("document.documentElement.scrollWidth") <= width
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_everything_that_can_be_used_has_a_name_and_comes_by_tab(page):
    page.open(text=TEXT)
    nameless = page.script(
        """[...document.querySelectorAll("button, input, select, textarea, a, summary")].filter(
            (each) => !each.textContent.trim() && !each.getAttribute("aria-label") && !each.labels?.length
        ).map((each) => each.outerHTML)"""
    )
    assert nameless == []
    assert page.script("document.querySelectorAll('[tabindex]').length") == 0
    reached = set()
    body = page.one("body")
    for _ in range(60):
        body = page.browser.switch_to.active_element
        body.send_keys(Keys.TAB)
        reached.add(page.script("document.activeElement.id || document.activeElement.tagName"))
    assert {"copy", "text", "target", "share", "INPUT", "BUTTON", "SUMMARY"} <= reached
