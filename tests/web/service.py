"""What a service is asked about, and what is said of its answers."""

import asyncio
import io

import httpx
from PIL import Image

import mercer
from mercer.web.app import make_app
from mercer.web.limits import ServiceLimits

DIGITS = mercer.load_dataset("digits")
X, Y = DIGITS.X, DIGITS.y
LIMITS = ServiceLimits(body=200_000, samples=50, pixels=10_000)


def asking(models):
    app = make_app(models, LIMITS)

    def send(method, path, **content):
        async def once():
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://m") as c:
                return await c.request(method, path, **content)

        return asyncio.run(once())

    return send


def refused(answer, status, *parts):
    assert answer.status_code == status, answer.text
    for part in parts:
        assert part in answer.json()["detail"]


def png(image):
    content = io.BytesIO()
    Image.fromarray(image).save(content, "PNG")
    return content.getvalue()
