"""Many clients at once: python -m tests.web.load http://127.0.0.1:8000 --seconds 30"""

import argparse
import asyncio
import json
import time
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np


async def ask_from_many(address, samples, n_clients=200, seconds=30.0):
    """Seconds that answers took, their labels by sample, and what went wrong."""
    until, times, labels, errors = time.perf_counter() + seconds, [], {}, []

    async def ask(number):
        place = urlsplit(address)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        body = json.dumps({"samples": [samples[number % len(samples)]]}).encode()
        head = f"POST /api/predict HTTP/1.1\r\nHost: {place.netloc}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        while True:
            begun = time.perf_counter()
            writer.write(head.encode() + body)
            status, said = await _answer(reader)
            if status == 200:
                times.append(time.perf_counter() - begun)
                labels[number % len(samples)] = said["predictions"][0]["label"]
            else:
                errors.append(said)
            if time.perf_counter() >= until:
                break
        writer.close()
        await writer.wait_closed()

    done = await asyncio.gather(
        *(ask(number) for number in range(n_clients)), return_exceptions=True
    )
    return times, labels, errors + [repr(one) for one in done if one is not None]


async def _answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.partition("content-length:")[2].split()[0])
    return int(head.split()[1]), json.loads(await reader.readexactly(length))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30.0)
    given = parser.parse_args()
    samples = json.load(urlopen(f"{given.address}/api/samples"))["samples"]
    times, _, errors = asyncio.run(
        ask_from_many(given.address, samples, given.clients, given.seconds)
    )
    middle, late = 1000 * np.quantile(times, [0.5, 0.99])
    print(
        f"{len(times):,} answers to {given.clients} clients, {len(errors)} errors, "
        f"p50 {middle:.0f} ms, p99 {late:.0f} ms"
    )


if __name__ == "__main__":
    main()
