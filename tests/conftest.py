import gc
import os
import signal
import socket
import threading
from pathlib import Path

import pytest


def pytest_configure():
    # a shell starts background jobs with Ctrl-C ignored, and so would all they start
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish():
    # what all tests and libraries are made of stays: collections need not look at it
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def data_folder():
    """The folder with the real data sets; without it the test is skipped."""
    folder = os.environ.get("MERCER_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("MERCER_DATA does not name a folder with the real data sets")
    return Path(folder)


@pytest.fixture(scope="session")
def serve():
    """Start services in this process; they end with the session."""
    uvicorn = pytest.importorskip("uvicorn")
    running = []

    def start(app):
        listening = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        running.append((server, thread))
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(30)
