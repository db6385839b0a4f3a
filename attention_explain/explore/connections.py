"""HTTP connections of the page: clients that send or read too slowly are dropped."""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
