"""Whether the first row names the columns: found out, or asked for, never guessed."""

import itertools

import numpy as np
import pytest

from mercer.datasets import check_dataset, load_dataset
from mercer.exceptions import DataError, ParameterError

RNG = np.random.default_rng(7)
ASKED = "may hold names of columns or a sample; say which with header=True or"


def lines(rows, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def decimals(n_samples, n_features):
    return [
        [f"{value:.2f}" for value in row]
        for row in RNG.normal(size=(n_samples, n_features))
    ]


def with_labels(X, labels, first=False):
    return [[y, *x] if first else [*x, y] for x, y in zip(X, labels)]


FLOWERS = np.repeat(["setosa", "versicolor", "virginica"], 50)
IRIS = with_labels(decimals(150, 4), FLOWERS)
LETTERS = with_labels(
    RNG.integers(0, 16, size=(2000, 16)).tolist(),
    RNG.choice(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 2000),
    first=True,
)
DIGITS = with_labels(RNG.integers(0, 17, size=(300, 64)), RNG.integers(0, 10, 300))
SMALL = RNG.integers(0, 16, size=(150, 3))
GLASS = with_labels(decimals(9, 4), [0, 1, 0] * 3)

NAMED = {
    "pandas and a class": ([0, 1, 2, 3, "class"], IRIS),
    "pandas and another name": ([0, 1, 2, 3, "kind"], IRIS),
    "letters": (["Letter", *range(1, 17)], LETTERS),
    "numbers only, words below": ([0, 1, 2, 3, 4], IRIS),
    "numbers only": ([*range(65)], DIGITS),
    "numbers from 1": ([*range(1, 66)], DIGITS),
    "some of pandas' columns": ([3, 5, 7, 9, "class"], IRIS),
    "pandas' columns twice": ([0, 1, 0, 1, "class"], IRIS),
    "one feature": ([0, "class"], [row[3:] for row in IRIS]),
    "words above numbers": (["a", "b", "c", "d", "e"], GLASS),
    "sodium": (["RI", "Na", "Mg", "K", "Type"], GLASS),
    "pixels": (["label", "1x1", "1x2"], [[3, 0, 1], [4, 1, 1], [3, 0, 0]]),
    "a label called as a column": (["a", "b", "y"], [[1, 2, "y"], [3, 4, "n"]]),
}


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
@pytest.mark.parametrize("kind", NAMED)
def test_names_are_no_sample(tmp_path, kind, separator):
    names, rows = NAMED[kind]
    path = tmp_path / "table"
    path.write_text(lines([names, *rows], separator))
    label = "first" if names[0] in ("Letter", "label") else "last"
    data = load_dataset(path, label=label)
    assert data.n_samples == len(rows)
    kept = names[1:] if label == "first" else names[:-1]
    assert data.feature_names == tuple(map(str, kept))
    assert data.notes == ("the first row names the columns",)


def test_quoted_names_are_no_sample_even_on_two_lines(tmp_path):
    path = tmp_path / "table"
    path.write_text('"0","1","kind"\n' + lines(row[2:] for row in IRIS))
    assert load_dataset(path).n_samples == 150
    path.write_text('"length\nin cm","width","kind"\n' + lines(row[2:] for row in IRIS))
    data = load_dataset(path)
    assert data.n_samples == 150
    assert data.feature_names == ("length\nin cm", "width")


def genuine_tables(seed, n):
    """Tables without names, of many kinds."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        n_samples = int(rng.choice([1, 2, 3, 5, 20, 100]))
        n_features = int(rng.integers(1, 8))
        shape = n_samples, n_features
        kinds = {
            "decimals": rng.normal(size=shape).round(3),
            "halves": rng.integers(-6, 6, shape) / 2,
            "bits": rng.integers(0, 2, shape),
            "integers": rng.integers(0, 10, shape),
            "large integers": rng.integers(0, 1000, shape),
            "counted": np.arange(n_samples * n_features).reshape(shape),
            "sorted": np.sort(rng.integers(0, 20, shape), axis=0),
            "permutations": np.argsort(rng.random(shape), axis=1),
        }
        labels = {
            "numbers": rng.integers(0, 3, n_samples),
            "words": rng.choice(["rose", "lys", "tulip"], n_samples),
            "all different": [f"w{i}" for i in range(n_samples)],
            "one rare": ["rare", *["often"] * (n_samples - 1)],
        }
        kind, label = rng.choice(list(kinds)), rng.choice(list(labels))
        X = [[f"{value:g}" for value in row] for row in kinds[str(kind)]]
        if kind in ("integers", "permutations") and rng.random() < 0.5:
            start = int(rng.integers(2)) if kind == "integers" else 0
            X[0] = [str(start + i) for i in range(n_features)]
        first = bool(rng.random() < 0.5)
        rows = with_labels(X, labels[str(label)], first)
        if rng.random() < 0.2:
            rows = [[f'"{field}"' for field in row] for row in rows]
        if rng.random() < 0.1:
            rows = rows * 2
        yield lines(rows, str(rng.choice([",", ";", "\t", " "]))), first, len(rows)


@pytest.mark.filterwarnings("ignore:.*goes up by one")
def test_a_sample_is_never_taken_for_names(tmp_path):
    path = tmp_path / "table"
    asked = 0
    for text, first, n_samples in genuine_tables(seed=5, n=1000):
        path.write_text(text)
        try:
            data = load_dataset(path, label="first" if first else "last")
        except DataError as error:
            if ASKED not in str(error):
                raise
            asked += 1
        else:
            assert (data.n_samples, data.feature_names) == (n_samples, None), text
    assert asked < 50


@pytest.mark.parametrize(
    "rows",
    [
        itertools.combinations(range(12), 3),
        np.arange(12).reshape(4, 3),
        [[0, 1, 2], *itertools.product(range(3), repeat=3)],
        [[1, 2, "rose"], [4, 1, "lys"], [3, 3, "rose"]],
        [[0, 1, 2, 3]],
        [[0, 1, 2, 3], [0, 1, 2, 3], [1, 1, 2, 2]],
    ],
    ids=["sorted", "counted", "grid", "words again", "one row", "twice"],
)
def test_samples_that_count_by_chance(tmp_path, rows):
    rows = [list(row) for row in rows]
    path = tmp_path / "table"
    path.write_text(lines(rows))
    data = load_dataset(path, label="last")
    assert data.n_samples == len(rows)
    assert data.notes == ("no row names the columns: the first is a sample",)


@pytest.mark.parametrize(
    "text",
    [
        lines([[3, 5, 8, "class"], *with_labels(SMALL, FLOWERS)]),
        lines([[400.5, 402.5, 404.5, "country"], *[row[1:] for row in IRIS]]),
        lines([[2019, 2021, 2023, "country"], *[row[1:] for row in IRIS]]),
        lines(itertools.permutations(range(5))),
        "x2,0,1\n2,0,1\n3,1,0\n2,1,1\n",
        "1_000,0,1\n2,0,1\n3,1,0\n2,1,1\n",
    ],
    ids=["integers", "wavelengths", "years", "permutations", "damaged", "underscore"],
)
def test_what_may_be_either_is_asked(tmp_path, text):
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(DataError, match=ASKED):
        load_dataset(path, label="last")


def test_a_first_sample_with_something_missing_is_no_header(tmp_path):
    path = tmp_path / "table"
    path.write_text("?,0,1\n2,0,1\n3,1,0\n")
    with pytest.raises(DataError, match="line 1, column 1, has no value"):
        load_dataset(path, label="last")


def test_it_can_be_said(tmp_path):
    path = tmp_path / "table"
    path.write_text("0,1,class\n5.1,3.5,a\n4.9,3.0,b\n")
    assert load_dataset(path).n_samples == 2
    assert load_dataset(path, header=True).n_samples == 2
    data = load_dataset(path, header=False)
    assert data.n_samples == 3
    assert data.notes == ("column 3 holds the labels",)
    assert load_dataset(path, header="auto").n_samples == 2
    with pytest.raises(ParameterError, match="header is 'yes'; give True, False"):
        load_dataset(path, header="yes")


def test_the_check_says_what_was_found(tmp_path):
    path = tmp_path / "table"
    path.write_text("0,1,class\n5.1,3.5,a\n4.9,3.0,b\n")
    said = [check.detail for check in check_dataset(load_dataset(path))]
    assert "the first row names the columns" in said
    assert "column 3 (class) holds the labels" in said
