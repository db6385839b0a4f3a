"""Data from a URL, served by this machine."""

import gzip
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

LINE = '{"text": "a b", "label": "1"}\n'


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *args) -> None:
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """The address at which the folder `served` of the test is to be had."""
    served = tmp_path / "served"
    served.mkdir()
    monkeypatch.setattr("allennlp.common.file_utils.CACHE_DIRECTORY", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=served)) as httpd:
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "name, content",
    [
        ("data.jsonl", LINE.encode()),
        ("data.jsonl.gz", gzip.compress(LINE.encode())),
        ("data.csv.gz", gzip.compress(b"text,label\na b,1\n")),
    ],
    # Not by content: a gzip file has the time in it, and all test processes must agree on names.
    ids=["jsonl", "jsonl.gz", "csv.gz"],
)
def test_a_url_is_read_like_a_file(server, tmp_path, read, name, content):
    (tmp_path / "served" / name).write_bytes(content)
    assert read(f"{server}/{name}?raw=true")[0]["metadata"]["tokens"] == ["a", "b"]


def test_an_archive_is_read_from_its_url(server, write, pack, read):
    write("movies/train/pos/0_9.txt", "good")
    write("movies/train/neg/0_1.txt", "bad")
    pack("movies", "served/movies.tar.gz")
    instances = read(f"{server}/movies.tar.gz!movies/train", type="acl_imdb")
    assert [i["metadata"]["id"] for i in instances] == ["train/neg/0_1", "train/pos/0_9"]


def test_a_bad_line_is_named_by_the_url(server, tmp_path, rejection):
    (tmp_path / "served" / "data.jsonl").write_text(LINE + "{")
    assert rejection(f"{server}/data.jsonl").startswith(f"{server}/data.jsonl, line 2: is not JSON")


def test_a_url_without_a_file_is_rejected(server, rejection):
    url = f"{server}/none.jsonl"
    assert rejection(url) == f"{url}: no such file on that server"
