"""mercer serve: a process that answers and ends, and models to start with."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import httpx
import numpy as np
import pytest

import mercer
from mercer.cli.serve import load_models, serve
from mercer.exceptions import ParameterError

DIGITS = mercer.load_dataset("digits")
X, Y = DIGITS.X, DIGITS.y


def test_a_process_serves_and_ends_at_ctrl_c(tmp_path):
    path = tmp_path / "digits.mercer"
    mercer.save(mercer.KernelSVC().fit(X[:200], Y[:200]), path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mercer.cli", "serve", path, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=dict(os.environ))
    try:
        base, question = f"http://127.0.0.1:{port}", {"samples": X[:3].tolist()}
        for _ in range(600):
            try:
                health = urllib.request.urlopen(f"{base}/health", timeout=5)
                break
            except OSError:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.1)
        assert json.load(health)["models"] == 1
        said = httpx.post(f"{base}/api/predict", json=question, timeout=60).json()
        assert len(said["predictions"]) == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(60) in (0, -signal.SIGINT, 130)
        assert b"Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.stderr.close()


def test_a_port_that_is_taken_is_a_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ParameterError, match=f"port {port} .*--port") as told:
            serve([], port=port)
    assert "Address already in use" in str(told.value)


def test_without_a_model_three_kinds_are_fitted():
    models = load_models([])
    assert [type(one.model).__name__ for one in models] == [
        *("KernelSVC", "KernelPerceptron", "KernelKNN"),
    ]
    for one in models:
        assert (one.image_shape, one.box, len(one.samples)) == ((28, 28), 20, 100)
    labels = np.repeat(np.arange(10), 10)
    wrong = [(one.model.predict(one.samples) != labels).mean() for one in models]
    assert max(wrong) < 0.12
