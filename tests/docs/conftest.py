import pytest
from sklearn.datasets import dump_svmlight_file

from mercer import load_dataset


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where snippets run: with the files that they speak of."""
    iris = load_dataset("iris")
    rows = [[*row, f"kind {label}"] for row, label in zip(iris.X, iris.y)]
    lines = [
        ",".join(map(str, row)) for row in [["a", "b", "c", "d", "species"], *rows]
    ]
    (tmp_path / "flowers.csv").write_text("\n".join(lines))
    for name in ("train.libsvm", "test.libsvm"):
        dump_svmlight_file(iris.X, iris.y, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    return tmp_path
