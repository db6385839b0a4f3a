"""The server: what it gives, whom it answers, and that it answers one after the other."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from attention_explain.explore.app import MOST_BYTES, PAGE, QUESTIONS, make_app
from attention_explain.explore.data_texts import DataTexts
from tests.builders import LABELS, TEXTS
from tests.explore.opened import METHODS, WORDS, opened, opened_folder
from tests.tiny_transformers import save_tiny_transformer

NASTY = ["<script>alert(1)</script>", "مرحبا", "👩‍👩‍👧", "a&b", '"', "\u202e"]


def client(*models, host="127.0.0.1", **options) -> TestClient:
    return TestClient(make_app(models or [opened()], **options), base_url=f"http://{host}")


@pytest.fixture(scope="module")
def tiny() -> TestClient:
    return client()


def ask(client, question, **asked):
    return client.post(f"/ask/{question}", json={"words": list(WORDS), **asked})


def test_each_question_is_answered_as_its_function_answers(tiny):
    model = opened()
    found = ask(tiny, "explain", methods=METHODS).json()
    assert found["saliency"].keys() == set(METHODS)
    named = ask(tiny, "named", methods=METHODS, named=2, by="size").json()
    assert all(len(each["positions"]) == 2 for each in named["methods"].values())
    weights = ask(tiny, "weights", weights=[1] * len(WORDS)).json()
    assert weights["weights"] == pytest.approx([1 / len(WORDS)] * len(WORDS))
    other = ask(tiny, "other-weights").json()
    assert other["found"]
    about = tiny.get("/about").json()
    assert about["models"] == [model.about()] and about["data"] is None


def test_heads(tmp_path):
    folder = opened_folder(save_tiny_transformer(tmp_path / "bert"), ["attention"])
    served = client(folder)
    assert len(ask(served, "head-weights").json()["weights"]) == 2
    assert sum(ask(served, "without-heads", off=[[0, 1]]).json()["probs"]) == pytest.approx(1)
    rejected = ask(served, "weights", weights=[1.0] * len(WORDS))
    assert rejected.status_code == 400 and "hidden states" in rejected.json()["error"]


def test_two_models_answer_for_themselves():
    served = client(opened(seed=1), opened(seed=2))
    first, second = (ask(served, "explain", model=number).json()["probs"] for number in (0, 1))
    assert first != second
    assert ask(served, "explain", model=2).json()["error"] == "'model' must be from 0 to 1"


def test_nasty_words_come_back_as_they_were(tiny):
    assert ask(tiny, "explain", words=NASTY).json()["tokens"] == NASTY


@pytest.mark.parametrize(
    "question, asked, sentence",
    [
        ("explain", {"words": None}, "needs a 'text' or its 'words'"),
        ("explain", {"text": "a"}, "and not both"),
        ("explain", {"words": "a b"}, "'words' must be a list of strings"),
        ("explain", {"words": [1]}, "'words' must be a list of strings"),
        ("explain", {"words": []}, "the text is empty"),
        ("explain", {"target": 3}, "'target' must be a string"),
        ("explain", {"methods": "lime"}, "'methods' must be a list of strings"),
        ("explain", {"methods": ["lime"]}, "none of the methods"),
        ("explain", {"model": "../x"}, "'model' must be from 0 to 0"),
        ("named", {"methods": METHODS}, "'named' must be a number"),
        ("named", {"methods": METHODS, "named": 10**6}, "must be from 1 to 9"),
        ("named", {"methods": METHODS, "named": 1, "by": "x"}, "must be one of signed, size"),
        ("weights", {}, "'weights' must be a list of numbers"),
        ("weights", {"weights": ["1"]}, "'weights' must be a list of numbers"),
        ("weights", {"weights": [True]}, "'weights' must be a list of numbers"),
        ("other-weights", {"seed": -1}, "'seed' must be"),
        ("without-heads", {"off": 1}, "'off' must be a list"),
        ("without-heads", {"off": []}, "self-attention"),
        ("nothing", {}, "no such question"),
    ],
)
def test_what_is_wrong_with_a_question_is_a_sentence(tiny, question, asked, sentence):
    asked = {"words": list(WORDS), **asked}
    rejected = tiny.post(f"/ask/{question}", json=asked)
    assert rejected.status_code == 400
    assert sentence in rejected.json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff", b'"' + b"[" * 5000])
def test_what_is_no_question(tiny, body):
    rejected = tiny.post("/ask/explain", content=body, headers={"content-type": "application/json"})
    assert rejected.status_code == 400 and rejected.json()["error"]


def test_a_megabyte_of_text_gets_a_sentence(tiny):
    rejected = tiny.post("/ask/explain", json={"text": "word " * 200_000})
    assert rejected.status_code == 413
    assert "takes up to 1,000 words" in rejected.json()["error"]
    # As many words as fit are told apart from as many bytes.
    short = tiny.post("/ask/explain", json={"text": "a " * (MOST_BYTES // 4)})
    assert short.status_code == 400 and "words, but this page takes" in short.json()["error"]


def test_a_mistake_of_the_program_is_no_traceback_on_the_page(tiny, monkeypatch, caplog):
    def fails(model, asked):
        raise ZeroDivisionError("inside")

    monkeypatch.setitem(QUESTIONS, "explain", fails)
    answer = ask(tiny, "explain")
    assert answer.status_code == 500 and "inside" not in answer.text
    assert "inside" in caplog.text


def test_eight_requests_at_once_are_answered_in_turn(tiny, monkeypatch):
    at_once, most, order = 0, 0, []
    lock = threading.Lock()

    def slow(model, asked):
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01)
        order.append(asked["number"])
        with lock:
            at_once -= 1
        return {"number": asked["number"]}

    monkeypatch.setitem(QUESTIONS, "explain", slow)
    with ThreadPoolExecutor(8) as eight, tiny:
        found = list(eight.map(lambda number: ask(tiny, "explain", number=number), range(8)))
    assert [each.json()["number"] for each in found] == list(range(8))
    assert most == 1 and sorted(order) == list(range(8))


# Whom it answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example"])
def test_a_name_that_points_here_is_rejected(tiny, host):
    for answer in (
        tiny.get("/about", headers={"host": host}),
        tiny.post("/ask/explain", json={"text": "a"}, headers={"host": host}),
    ):
        assert answer.status_code == 400 and "tokens" not in answer.text


def test_this_machine_is_answered_by_each_of_its_names():
    for host in ("127.0.0.1:8000", "localhost:8000", "localhost"):
        assert client(host=host).get("/about").status_code == 200


def test_a_form_of_another_site_asks_nothing(tiny):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        rejected = tiny.post(
            "/ask/explain", content=b'{"text": "a"}', headers={"content-type": kind}
        )
        assert rejected.status_code == 400 and "application/json" in rejected.json()["error"]
    assert tiny.get("/ask/explain").status_code == 405


# Files ----------------------------------------------------------------------------------------------


def test_the_page_and_its_files_are_there_and_nothing_else(tiny):
    assert "<title>" in tiny.get("/").text
    for path in PAGE.iterdir():
        assert tiny.get(f"/page/{path.name}").content == path.read_bytes()
    for path in ("../app.py", "..%2fapp.py", "%2e%2e/app.py", "/etc/passwd", "app.py", "none.js"):
        answer = tiny.get(f"/page/{path}")
        assert answer.status_code == 404 and "import" not in answer.text
    # Of what was not named there is no address either.
    for path in ("/texts", "/verdict.html", "/misleading"):
        assert tiny.get(path).status_code == 404


def test_every_answer_tells_the_browser_to_load_nothing_from_elsewhere(tiny):
    for path in ("/", "/about", "/page/page.js", "/heatmaps.css", "/none"):
        headers = tiny.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"


def test_files_load_nothing_from_elsewhere_and_texts_become_no_markup():
    names = {path.name for path in PAGE.iterdir()}
    for path in PAGE.iterdir():
        content = path.read_text(encoding="utf-8")
        assert not re.search(
            r"https?:|innerHTML|insertAdjacentHTML|document\.write|eval\(", content
        )
        for imported in re.findall(r'from "\./(.+?)"', content):
            assert imported in names
        for asked in re.findall(r'"/ask/([\w-]+)"', content):
            assert asked in QUESTIONS


def test_texts_and_verdict_that_were_named(tmp_path):
    file = tmp_path / "texts.jsonl"
    lines = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = opened()
    texts = DataTexts(model, str(file))
    texts.start(100)
    served = client(model, texts=texts, verdict={"model": "tiny"}, evidence=b"<p>evidence</p>")
    about = served.get("/about").json()
    assert (
        about["data"] == str(file) and about["misleading"] and about["verdict"]["model"] == "tiny"
    )
    assert len(served.get("/texts").json()["texts"]) == len(TEXTS)
    assert served.post("/misleading", json={}).json()["of"] == len(TEXTS)
    evidence = served.get("/verdict.html")
    assert evidence.text == "<p>evidence</p>"
    # No script of it runs, and it cannot ask for anything here.
    (policy,) = evidence.headers.get_list("content-security-policy")
    assert policy.startswith("sandbox; default-src 'none';")
    assert "allow-" not in policy and "script-src" not in policy


@pytest.fixture(scope="module")
def with_texts(tmp_path_factory) -> TestClient:
    file = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    lines = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = opened()
    texts = DataTexts(model, str(file))
    texts.start(100)
    return client(model, texts=texts)


@pytest.mark.parametrize("path", ["/misleading", "/ask/explain"])
def test_another_site_posts_nothing(with_texts, path):
    body = json.dumps({"words": list(WORDS)})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        rejected = with_texts.post(path, content=body, headers={"content-type": kind})
        assert rejected.status_code == 400 and "application/json" in rejected.json()["error"]
    json_of = {"content-type": "application/json"}
    for origin in ("http://evil.example", "null", "http://127.0.0.1:9", "https://127.0.0.1"):
        rejected = with_texts.post(path, content=body, headers={**json_of, "origin": origin})
        assert rejected.status_code == 400 and "from this page" in rejected.json()["error"]
    own = {**json_of, "origin": "http://127.0.0.1"}
    assert with_texts.post(path, content=body, headers=own).status_code == 200
