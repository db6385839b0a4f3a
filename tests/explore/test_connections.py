"""Slow clients are dropped; slow answers are not."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import uvicorn

from attention_explain.explore.app import QUESTIONS, Connection, make_app
from tests.explore.opened import WORDS, opened

# How long a test waits for what has to happen at some time.
LONG = 60
BODY = json.dumps({"words": list(WORDS)}).encode()
HEAD = (
    b"POST /ask/explain HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\n\r\n" % len(BODY)
)


@pytest.fixture
def address(monkeypatch) -> Iterator[tuple]:
    monkeypatch.setattr(Connection, "patience", 0.3)
    with serving(make_app([opened()])) as address:
        yield address


@contextmanager
def serving(app) -> Iterator[tuple]:
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, log_config=None, lifespan="off", http=Connection)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        thread.join(LONG)
        listening.close()


def received(client: socket.socket) -> bytes:
    """All that the server sends until it closes the connection; raises if it does not."""
    client.settimeout(LONG)
    content = b""
    while chunk := client.recv(4096):
        content += chunk
    return content


@pytest.mark.parametrize("sent", [b"", b"GET /about HT", HEAD[:-2]])
def test_a_request_that_is_not_finished_is_dropped(address, sent):
    with socket.create_connection(address) as client:
        client.sendall(sent)
        assert received(client) == b""


def test_a_head_that_comes_byte_by_byte_is_dropped(address):
    stopped = threading.Event()

    def drip(client: socket.socket) -> None:
        while not stopped.wait(0.05):
            try:
                client.sendall(b"a")
            except OSError:
                return

    with socket.create_connection(address) as client:
        client.sendall(b"GET /about HTTP/1.1\r\nX-Name: ")
        thread = threading.Thread(target=drip, args=(client,))
        thread.start()
        try:
            client.settimeout(LONG)
            with suppress(ConnectionResetError):
                assert client.recv(1) == b""
        finally:
            stopped.set()
            thread.join()


def test_a_body_that_does_not_arrive_is_answered_and_dropped(address):
    with socket.create_connection(address) as client:
        client.sendall(HEAD + BODY[:5])
        answer = received(client)
    assert answer.startswith(b"HTTP/1.1 408") and b"took too long to arrive" in answer


def test_a_slow_answer_is_waited_for(address, monkeypatch):
    def slow(model, asked):
        time.sleep(3 * Connection.patience)
        return {"answered": True}

    monkeypatch.setitem(QUESTIONS, "explain", slow)
    with socket.create_connection(address) as client:
        client.sendall(HEAD + BODY)
        assert b'{"answered":true}' in received(client)


def test_a_client_that_does_not_read_is_dropped(monkeypatch):
    monkeypatch.setattr(Connection, "patience", 0.3)
    ended, chunks = threading.Event(), 200

    async def large(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(chunks):
            more = number < chunks - 1
            await send({"type": "http.response.body", "body": bytes(10**6), "more_body": more})
        ended.set()

    with serving(large) as address, socket.create_connection(address) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert ended.wait(LONG)
        read = 0
        with suppress(ConnectionResetError):
            while chunk := client.recv(10**6):
                read += len(chunk)
        assert read < chunks * 10**6
