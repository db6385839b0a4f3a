"""
The server of the page: files that were named at the start, and questions to the models, which are
answered one after the other by a single thread. Clients that send or read too slowly are dropped.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from allennlp.common.checks import ConfigurationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from attention_explain import settings
from attention_explain.errors import InputError
from attention_explain.explore.data_texts import DataTexts
from attention_explain.explore.open_model import OpenModel
from attention_explain.explore.open_text import MOST_WORDS, GivenText, numbers_of, strings_of
from attention_explain.files.records import read_json
from attention_explain.heatmaps.html_page import style
from attention_explain.passes import RANKINGS
from attention_explain.sentences import sentence_of

# How long a client may take for the head of a request, for its body, and to read on.
PATIENCE = 20.0


class Connection(H11Protocol):
    """
    A connection that is closed if the head of a request is not complete, or nothing of an answer is
    read, for `patience` seconds. How long an answer takes to compute does not count.
    """

    patience = PATIENCE

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._request_limit: asyncio.TimerHandle | None = None
        self._reading_limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._limit_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._limit_request()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_limit = self.loop.call_later(self.patience, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._reading_limit = _cancelled(self._reading_limit)

    def connection_lost(self, exc: Exception | None) -> None:
        self._request_limit = _cancelled(self._request_limit)
        self._reading_limit = _cancelled(self._reading_limit)
        super().connection_lost(exc)

    def _limit_request(self) -> None:
        """Starts the clock where a request is awaited, and stops it where one is being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._request_limit = _cancelled(self._request_limit)
        elif self._request_limit is None:
            self._request_limit = self.loop.call_later(self.patience, self._drop)

    def _drop(self) -> None:
        self._request_limit = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.close()


def _cancelled(limit: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel the timer. Returns None, which replaces it."""
    if limit is not None:
        limit.cancel()
    return None


logger = logging.getLogger(__name__)

# Of a request, in bytes: a thousand long words, twice over.
MOST_BYTES = 200_000
# What is read of a longer one, so that the sender learns why it is rejected.
MOST_READ = 16_000_000

PAGE = Path(__file__).with_name("page")
POLICY = "Content-Security-Policy"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
# A browser is to load nothing from elsewhere, and to run nothing but these files, whatever a text or
# a label may hold.
HEADERS = {
    POLICY: "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
# The page of a verdict may come from elsewhere: a browser runs nothing of it, and does not let it ask for
# anything here.
VERDICT_POLICY = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
# A page of another site may reach this address by a name of its own, and is rejected.
HOSTS = ["127.0.0.1", "localhost"]

Asked = Mapping[str, Any]


def explain(model: OpenModel, asked: Asked) -> dict[str, Any]:
    return model.explain(GivenText.of(asked), strings_of(asked.get("methods", []), "methods"))


def named(model: OpenModel, asked: Asked) -> dict[str, Any]:
    words = asked.get("named")
    if type(words) is not int:
        raise InputError("'named' must be a number of words")
    methods = strings_of(asked.get("methods", []), "methods")
    return model.named(GivenText.of(asked), methods, words, asked.get("by", RANKINGS[0]))


def weights(model: OpenModel, asked: Asked) -> dict[str, Any]:
    return model.weights(GivenText.of(asked), numbers_of(asked.get("weights"), "weights"))


def other_weights(model: OpenModel, asked: Asked) -> dict[str, Any]:
    seed = asked.get("seed", 0)
    if type(seed) is not int or not 0 <= seed < 2**31:
        raise InputError("'seed' must be a whole number from 0 on")
    return model.other_weights(GivenText.of(asked), seed)


def head_weights(model: OpenModel, asked: Asked) -> dict[str, Any]:
    return model.head_weights(GivenText.of(asked))


def without_heads(model: OpenModel, asked: Asked) -> dict[str, Any]:
    if not isinstance(asked.get("off"), list):
        raise InputError("'off' must be a list of heads")
    return model.without_heads(GivenText.of(asked), asked["off"])


QUESTIONS: dict[str, Callable[[OpenModel, Asked], dict[str, Any]]] = {
    "explain": explain,
    "named": named,
    "weights": weights,
    "other-weights": other_weights,
    "head-weights": head_weights,
    "without-heads": without_heads,
}


def make_app(
    models: Sequence[OpenModel],
    texts: DataTexts | None = None,
    verdict: Mapping[str, Any] | None = None,
    evidence: bytes = b"",
) -> Starlette:
    """
    # Parameters

    models : one, or two that stand side by side.
    texts : to pick from.
    verdict, evidence : what `allennlp verdict` wrote.
    """
    # Torch is to use all cores for one question, and methods leave traces while they work.
    worker = ThreadPoolExecutor(1, initializer=settings.flush_denormals)
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in KINDS}

    async def in_turn(work: Callable[[], dict[str, Any]]) -> Response:
        try:
            answer = await asyncio.get_running_loop().run_in_executor(worker, work)
        except Exception as error:
            return _rejected(error)
        return JSONResponse(answer)

    async def page(request: Request) -> Response:
        path = files.get(request.path_params.get("name", "index.html"))
        if path is None:
            return JSONResponse({"error": "there is no such file"}, 404)
        return Response(path.read_bytes(), media_type=KINDS[path.suffix])

    async def shades(request: Request) -> Response:
        return Response(style(), media_type=KINDS[".css"])

    async def about(request: Request) -> Response:
        return JSONResponse(
            {
                "models": [each.about() for each in models],
                "data": None if texts is None else texts.data,
                "misleading": texts is not None and texts.can_mislead,
                "verdict": verdict,
                "evidence": bool(evidence),
                "most_words": MOST_WORDS,
                "most_bytes": MOST_BYTES,
            }
        )

    async def ask(request: Request) -> Response:
        try:
            asked = await _asked(request)
            question = QUESTIONS.get(request.path_params["question"])
            number = asked.get("model", 0)
            if question is None:
                raise InputError("there is no such question")
            if type(number) is not int or not 0 <= number < len(models):
                raise InputError(f"'model' must be from 0 to {len(models) - 1}")
        except (ConfigurationError, InputError) as error:
            return _rejected(error)
        return await in_turn(lambda: question(models[number], asked))

    async def evidence_page(request: Request) -> Response:
        return Response(evidence, media_type=KINDS[".html"], headers={POLICY: VERDICT_POLICY})

    routes = [
        Route("/", page),
        Route("/page/{name}", page),
        Route("/heatmaps.css", shades),
        Route("/about", about),
        Route("/ask/{question}", ask, methods=["POST"]),
    ]
    if texts is not None:

        async def listed(request: Request) -> Response:
            return await in_turn(texts.listed)

        async def misleading(request: Request) -> Response:
            try:
                await _asked(request)
            except (ConfigurationError, InputError) as error:
                return _rejected(error)
            return await in_turn(texts.misleading)

        routes += [Route("/texts", listed), Route("/misleading", misleading, methods=["POST"])]
    if evidence:
        routes.append(Route("/verdict.html", evidence_page))
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS, www_redirect=False),
            Middleware(_Headers),
        ],
    )
    app.state.worker = worker
    return app


async def _asked(request: Request) -> dict[str, Any]:
    """The object of the body of a request that this page has sent."""
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{request.headers.get('host')}":
        raise InputError("a question must come from this page")
    # A form of another site can post here without being asked, but not this kind.
    if request.headers.get("content-type", "").split(";")[0] != "application/json":
        raise InputError("a question must be sent as application/json")
    body, read = bytearray(), 0
    try:
        async with asyncio.timeout(Connection.patience):
            async for chunk in request.stream():
                read += len(chunk)
                if read <= MOST_BYTES:
                    body += chunk
                elif read > MOST_READ:
                    break
    except TimeoutError as error:
        raise TooSlow("the question took too long to arrive; send it again") from error
    except ClientDisconnect as error:
        raise InputError("the question ended early") from error
    if read > MOST_BYTES:
        raise TooLarge(
            f"the text is too long: this page takes up to {MOST_WORDS:,} words, and {MOST_BYTES:,} "
            "bytes in all"
        )
    try:
        asked = read_json(body.decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the question is not JSON ({error})") from error
    if not isinstance(asked, dict):
        raise InputError("the question is not a JSON object")
    return asked


class TooLarge(InputError):
    """A request of more than is read."""


class TooSlow(InputError):
    """A request that does not arrive in time."""


def _rejected(error: Exception) -> Response:
    """An error message, if the user can fix it; otherwise the terminal has the traceback."""
    if isinstance(error, TooLarge):
        return JSONResponse({"error": error.message}, 413)
    if isinstance(error, TooSlow):
        return JSONResponse({"error": error.message}, 408, headers={"Connection": "close"})
    if isinstance(error, (ConfigurationError, InputError)):
        return JSONResponse({"error": sentence_of(error)}, 400)
    logger.error("a question could not be answered", exc_info=error)
    said = f"{type(error).__name__}: this is a mistake of the program; the terminal has the rest"
    return JSONResponse({"error": said}, 500)


class _Headers:
    """Adds them to every answer, unless it has a policy of its own."""

    def __init__(self, app: Callable) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_more(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in added if name not in present),
                ]
            await send(message)

        await self.app(scope, receive, send_more)
