"""Pictures of data sets: drawn for every kind of data, on light and dark paper."""

import numpy as np
import pytest

from mercer.datasets import load_dataset
from mercer.exceptions import ParameterError
from mercer.report.data_figures import draw_dataset, save_picture


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["digits", "iris", "just-a-little-bit"])
def test_every_kind_of_data_is_drawn(name, dark, tmp_path):
    data = load_dataset(name)
    path = save_picture(data, tmp_path / f"{name}.svg", dark)
    assert path.stat().st_size > 10_000


def test_rows_of_images_and_bars_follow_the_classes():
    data = load_dataset("digits")
    left, right = draw_dataset(data).subfigs
    assert len(left.axes) == 10 * 8
    shown = left.axes[8].images[0].get_array()
    first = data.X[np.flatnonzero(data.y == 1)[0]].reshape(8, 8)
    np.testing.assert_array_equal(shown, first)
    widths = [bar.get_width() for bar in right.axes[0].patches]
    assert widths == list(data.class_counts().values())


@pytest.mark.parametrize("content", [b"1.5,0\n2.5,1\n", b"1 1:1\n2 60:1\n"])
def test_tiny_data_are_drawn(content, tmp_path):
    path = tmp_path / "data"
    path.write_bytes(content)
    assert save_picture(load_dataset(path), tmp_path / "p.png").is_file()


@pytest.mark.filterwarnings("ignore:.*goes up by one")
def test_many_classes_are_drawn(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"".join(b"%d.5,1.5,c%d\n" % (i, i % 60) for i in range(300)))
    assert save_picture(load_dataset(path), tmp_path / "p.png").is_file()


def test_a_picture_of_an_unknown_kind(tmp_path):
    with pytest.raises(ParameterError, match=r"a picture is a \.png, \.svg or \.pdf"):
        save_picture(load_dataset("iris"), tmp_path / "picture.txt")
