"""`mercer export`: the file, the check, and what is refused."""

import json
import sys
from functools import partial

import pytest

import mercer
from cli.console import good, refused

pytest.importorskip("onnxruntime")


@pytest.fixture
def run(run, tmp_path):
    data = mercer.load_dataset("iris")
    mercer.save(mercer.KernelSVC().fit(data.X, data.y), tmp_path / "iris.mercer")
    return partial(run, "export")


def test_a_file_is_written_and_checked(run, tmp_path):
    arguments = "iris.mercer", "-o", "iris.onnx", "--check", "iris"
    said = json.loads(good(run(*arguments, "--json")))
    assert (said["n_samples"], said["labels_differing"]) == (150, 0)
    assert said["scores_differing"] < 1e-12
    assert said["bytes"] == (tmp_path / "iris.onnx").stat().st_size
    shown = good(run(*arguments, "--dtype", "float32"))
    assert "0 of 150 labels differ on iris" in shown
    assert (tmp_path / "iris.onnx").stat().st_size < said["bytes"]


def test_what_is_wrong_is_a_sentence(run, tmp_path, monkeypatch):
    refused(run("iris.mercer", "-o", "no/iris.onnx"), "no/iris.onnx")
    refused(run("iris.mercer", "-o", "x.onnx", "--dtype", "int8"), "--dtype is 'int8'")
    refused(run("iris.mercer", "-o", "x.onnx", "--check", "digits"), "64 features")
    monkeypatch.setitem(sys.modules, "onnx", None)
    refused(run("iris.mercer", "-o", "x.onnx"), "needs onnx", "mercer[onnx]")
    assert not (tmp_path / "x.onnx").exists()
