import numpy as np
import pytest

from mercer.datasets import load_dataset
from mercer.exceptions import DataError, ParameterError
from mercer.studies import (
    Context,
    DataSpec,
    Row,
    Store,
    get_study,
    make_plan,
    run_plan,
    study_names,
)
from mercer.studies.compare.learners import LEARNERS, learner_name
from mercer.studies.compare.summary import conclude
from mercer.studies.compare.trial_data import make_trial_data
from mercer.studies.data import keep_images, name_in_store
from mercer.studies.mistakes import unpack
from mercer.studies.story import Images, Table
from studies.tiny_study import Tiny

LEARNER_NAMES = [learner.name for learner in LEARNERS.values()]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """All learners on irises, and what the store says of them."""
    path = tmp_path_factory.mktemp("compare") / "store.sqlite"
    study, iris = get_study("compare"), load_dataset("iris")
    plan = make_plan(study, iris, quick=True)
    with Store(path) as store:
        assert run_plan(plan, store) == []
        rows, facts = store.rows(plan=plan.id), store.plans()[0].facts
    return study, plan, rows, facts


def blocks_of(story, kind):
    return [b for s in story.sections for b in s.blocks if isinstance(b, kind)]


def test_every_learner_and_repeat_has_a_row(run):
    study, plan, rows, _ = run
    assert len(rows) == len(plan.cells) == 5 * len(LEARNERS)
    for row in rows:
        assert 0 <= row.values["test_error"] < 0.4
        assert row.values["n_test"] == 30
        assert set(row.timing) == {"search", "fit", "predict"}
        assert len(row.values["wrong"]) == round(30 * row.values["test_error"])
        assert np.sum(row.values["confusion"]) == 30
    assert study.describe(rows[0]).startswith("linear baseline: ")


def test_learners_of_a_repeat_share_its_split_and_repeats_do_not(run):
    _, _, rows, _ = run
    tested = {}
    for row in rows:
        tested.setdefault(row.params["repeat"], set()).add(row.values["tested"])
    assert {len(found) for found in tested.values()} == {1}
    assert len({min(found) for found in tested.values()}) == 5
    assert len(unpack(rows[0].values["tested"])) == 30


def test_rows_come_out_the_same_with_another_number_of_threads(
    run, tmp_path, monkeypatch
):
    _, plan, rows, _ = run
    monkeypatch.setenv("MERCER_NUM_THREADS", "1")
    with Store(tmp_path / "store.sqlite") as store:
        run_plan(plan, store)
        again = store.rows(plan=plan.id)
    assert [row.values for row in again] == [row.values for row in rows]


def test_the_story(run):
    study, _, rows, facts = run
    story = study.story(rows, facts)
    assert "makes the fewest mistakes" in story.summary[0]
    assert any("certified" in line for line in story.summary)
    tables = {table.name: table for table in blocks_of(story, Table)}
    assert set(tables) == {"learners", "seconds", "mistakes", "certificates"}
    assert [row[0] for row in tables["learners"].rows] == LEARNER_NAMES
    assert {row[0] for row in tables["mistakes"].rows} <= {"versicolor", "virginica"}
    for table in tables.values():
        assert all(len(row) == len(table.columns) for row in table.rows)
    (images,) = blocks_of(story, Images)
    hardest = images.samples[0]
    assert hardest.wrong <= hardest.tested
    assert hardest.wrong == sum(count for _, count in hardest.taken_for)
    rates = [sample.wrong / sample.tested for sample in images.samples]
    assert rates == sorted(rates, reverse=True)


def test_the_story_of_the_first_row_alone(run):
    study, _, rows, facts = run
    story = study.story(rows[:1], facts)
    assert story.summary[0].startswith("Linear baseline makes the fewest mistakes")
    assert "in one repeat" in story.summary[0]
    assert story.conclusion == []


def learners_with(errors, seconds):
    return {
        name: [
            Row(
                f"{name}{repeat}",
                "compare",
                "digits",
                {"repeat": repeat},
                0,
                {"test_error": error},
                {"fit": seconds[name]},
            )
            for repeat, error in enumerate(found)
        ]
        for name, found in errors.items()
    }


def test_the_conclusion_takes_the_fastest_of_those_that_chance_may_have_put_first():
    seconds = {"svm": 3.0, "knn": 1.0, "linear": 0.1}
    far = {"svm": [0.02, 0.03], "knn": [0.03, 0.025], "linear": [0.1, 0.11]}
    (words,) = conclude(learners_with(far, seconds))
    assert words.startswith(f"{learner_name('svm')}, {learner_name('knn')} cannot")
    assert learner_name("linear") not in words
    assert f"{learner_name('knn')} takes the fewest seconds" in words
    (words,) = conclude(learners_with({**far, "knn": [0.12, 0.13]}, seconds))
    assert words.startswith(learner_name("svm"))
    assert "more than chance" in words


def test_two_classes_have_costs(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 3)) + y[:, None]
    path = tmp_path / "two.csv"
    path.write_text(
        "a,b,c,class\n"
        + "\n".join(f"{a},{b},{c},{'yn'[k]}" for (a, b, c), k in zip(X, y))
    )
    study = get_study("compare")
    plan = make_plan(study, DataSpec(str(path), label="class").load(), quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows, facts = store.rows(plan=plan.id), store.plans()[0].facts
    for row in rows:
        assert 0 <= row.values["min_dcf"] <= row.values["actual_dcf"]
        assert row.values["min_dcf"] <= row.values["calibrated_dcf"]
    tables = {table.name: table for table in blocks_of(study.story(rows, facts), Table)}
    assert len(tables["costs"].rows) == len(LEARNERS)


def test_the_search_and_the_scaling_see_training_samples_only():
    iris = load_dataset("iris")
    split = make_trial_data(iris, 0, 1000, 1000, 60)
    assert len(split.search) <= 60 + 3
    np.testing.assert_allclose(split.X_train.mean(axis=0), 0, atol=1e-12)
    assert np.abs(split.X_test.mean(axis=0)).max() > 1e-3
    train = set(range(150)) - set(split.test.tolist())
    assert len(train) == len(split.y_train) == 120


def test_an_official_split_is_kept(data_folder):
    usps = load_dataset("usps")
    split = make_trial_data(usps, 3, 100_000, 50_000, 4000)
    np.testing.assert_array_equal(split.test, usps.test)
    assert abs(len(split.search) - 4000) <= 10


@pytest.mark.filterwarnings("ignore:.*goes up by one")
def test_data_that_cannot_be_compared_on(tmp_path):
    study = get_study("compare")
    with pytest.raises(ParameterError, match="needs data"):
        make_plan(study, None)
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(f"{i}.5,{i * i},{'a' if i else 'b'}" for i in range(20)))
    with pytest.raises(DataError, match="A class has 1 samples only"):
        make_plan(study, DataSpec(str(path), label="last").load())


@pytest.mark.filterwarnings("ignore:.*goes up by one")
def test_a_file_that_changed_is_another_data_set(tmp_path):
    names = []
    for shift in (0.5, 0.25):
        path = tmp_path / "data.csv"
        path.write_text("\n".join(f"{i + shift},{i * i},{i % 2}" for i in range(20)))
        names.append(name_in_store(DataSpec(str(path), label="last").load()))
    assert names[0] != names[1]
    assert name_in_store(None) == ""


def test_images_are_kept_in_256_shades():
    digits = load_dataset("digits")
    (image,) = keep_images(digits, [3])
    expected = (digits.X[3] / 16 * 255).round().reshape(8, 8)
    np.testing.assert_array_equal(image.pixels, expected)
    assert keep_images(load_dataset("iris"), [3]) == []


def test_studies_have_names():
    assert "compare" in study_names()
    with pytest.raises(ParameterError, match="did you mean compare"):
        get_study("comparee")
    study = get_study("compare")
    assert study.readme().startswith("# compare")
    assert study.published() == []
    assert Tiny().readme() == ""


def test_sparse_data(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "sparse.libsvm"
    with path.open("w") as file:
        for i in range(90):
            columns = {1 + i % 3, *rng.integers(5, 200, 8).tolist()}
            words = " ".join(f"{column}:{1.5}" for column in sorted(columns))
            file.write(f"{i % 3} {words}\n")
    study, dataset = get_study("compare"), DataSpec(str(path)).load()
    assert not isinstance(dataset.X, np.ndarray)
    context = Context(dataset)
    for cell in list(study.cells(dataset, 0, quick=True))[: len(LEARNERS)]:
        assert study.run(cell, context).values["test_error"] < 0.5
