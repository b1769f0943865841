"""What one request may ask for, and what it is told if it asks for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of a service.

    Attributes
    ----------
    body : int
        Bytes of a request.
    samples : int
        Samples of a request, and of a batch that requests are put together to.
    pixels : int
        Of an image that is uploaded, before it is decoded.
    seconds : float
        After which a request is given up.
    waiting : int
        Requests that wait for a model; more are turned away.
    """

    body: int = 8 << 20
    samples: int = 2000
    pixels: int = 16_000_000
    seconds: float = 60.0
    waiting: int = 1000


class Refusal(Exception):
    """A request that is turned away, with a status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class BodyLimit:
    """Counts the bytes of a request as they come, whatever its header says."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, as long as it is short enough."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > self.most:
            await self._refuse(send)
            return
        # read whole before anything is made of it: it is short
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.most:
                await self._refuse(send)
                return
        read: list[Message] = [{"type": "http.request", "body": bytes(body)}]

        async def replay() -> Any:
            return read.pop() if read else await receive()

        await self.app(scope, replay, send)

    async def _refuse(self, send: Send) -> None:
        text = f'{{"detail":"The request is longer than {self.most} bytes."}}'
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 413, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})
