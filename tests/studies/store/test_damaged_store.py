"""Stores with damage of every kind: what is read is what was stored, or a sentence."""

import random
import sqlite3

import numpy as np
import pytest

from mercer.exceptions import MercerError
from mercer.studies import Row, Store, StoreError, make_plan, run_plan
from mercer.studies.store import StoredImage
from studies.tiny_study import Broken, Tiny

PAGE = 4096


def make_store(path, seed):
    """A real store: two studies, one with failures, images, a row that is long."""
    pixels = np.random.default_rng(seed).integers(0, 256, (6, 8, 8)).astype(np.uint8)
    images = [StoredImage(i, image) for i, image in enumerate(pixels)]
    with Store(path) as store:
        run_plan(make_plan(Tiny(), None, seed=seed), store)
        run_plan(make_plan(Broken(), None, seed=seed, quick=True), store)
        long = {"text": "é" * 9000, "error": 0.25}
        row = Row("long", "tiny", "data", {}, seed, long, machine={"cores": 2})
        store.add_row(row, images=images)
        store.add_dataset("data", {"name": "some data"})
    return path.read_bytes()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A store, the same store some time before, and another one."""
    folder = tmp_path_factory.mktemp("stores")
    earlier = make_store(folder / "store.sqlite", 1)
    with Store(folder / "store.sqlite") as store:
        run_plan(make_plan(Tiny(), None, seed=2), store)
        run_plan(make_plan(Tiny(), None, seed=1), store, force=True)
    return {
        "store": (folder / "store.sqlite").read_bytes(),
        "earlier": earlier,
        "other": make_store(folder / "other.sqlite", 3),
    }


def everything(path, readonly):
    """All that can be read of a store."""
    with Store(path, readonly) as store:
        plans = store.plans()
        images = store.images("data", range(7))
        return (
            store.rows(),
            store.rows(study="tiny"),
            plans,
            [store.rows(plan=plan.id) for plan in plans],
            [store.latest(plan.id) for plan in plans],
            [store.failures(plan.id) for plan in plans],
            [store.done(plan.id) for plan in plans],
            {sample: image.pixels.tolist() for sample, image in images.items()},
        )


def flipped(choice, store, others):
    for _ in range(choice.choice([1, 1, 1, 2, 9])):
        store[choice.randrange(len(store))] ^= 1 << choice.randrange(8)


def overwritten(choice, store, others):
    place, length = choice.randrange(len(store)), choice.choice([1, 8, 60, 700, 9000])
    length = min(length, len(store) - place)
    store[place : place + length] = choice.choice(
        [bytes(length), choice.randbytes(length), b"\xff" * length]
    )


def headed(choice, store, others):
    """Damage in the header of the file, and in those of pages."""
    page = choice.choice([0, 0, choice.randrange(len(store) // PAGE)])
    place = page * PAGE + choice.randrange(100 if page == 0 else 12)
    store[place] = choice.randrange(256)


def cut(choice, store, others):
    size = choice.choice([1, 10, PAGE * choice.randrange(1, len(store) // PAGE)])
    del store[choice.choice([size, choice.randrange(1, len(store))]) :]


def shifted(choice, store, others):
    place = choice.randrange(len(store))
    if choice.random() < 0.5:
        del store[place : place + choice.choice([1, 7, PAGE])]
    else:
        store[place:place] = choice.randbytes(choice.choice([1, 7, PAGE]))


def spliced(choice, store, others):
    """Pages from another place, another time or another store."""
    source = choice.choice([bytes(store), *others])
    for _ in range(choice.choice([1, 1, 3])):
        length = choice.choice([1, 1, 4]) * PAGE
        place = choice.randrange(len(store) // PAGE) * PAGE
        origin = choice.choice([place, choice.randrange(len(source) // PAGE) * PAGE])
        part = source[origin : origin + length]
        store[place : place + len(part)] = part


def exchanged(choice, store, others):
    """A word in a value becomes another one of the same length."""
    words = [b'"roll":', b"0.25", b"tiny", b'"sides":4', b"some data", b"a die"]
    word = choice.choice([word for word in words if word in store])
    places = [i for i in range(len(store)) if store.startswith(word, i)]
    store[choice.choice(places) + choice.randrange(len(word))] ^= choice.randint(1, 15)


DAMAGES = (flipped, overwritten, headed, cut, shifted, spliced, exchanged)


def check_damaged(files, path, seed):
    """Damage a store, and read it."""
    choice = random.Random(seed)
    store, damage = bytearray(files["store"]), choice.choice(DAMAGES)
    damage(choice, store, [files["earlier"], files["other"]])
    path.write_bytes(store)
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    try:
        return everything(path, readonly=choice.random() < 0.7)
    except MercerError as error:
        sentence = str(error)
    assert str(path) in sentence
    assert "\n" not in sentence
    return None


@pytest.mark.parametrize("block", range(4))
def test_what_is_read_is_what_was_stored_or_a_sentence(files, tmp_path, block):
    path = tmp_path / "store.sqlite"
    path.write_bytes(files["store"])
    whole = everything(path, readonly=True)
    for seed in range(100 * block, 100 * block + 100):
        assert check_damaged(files, path, seed) in (None, whole), seed


def test_an_empty_file_has_lost_its_rows(tmp_path):
    path = tmp_path / "store.sqlite"
    path.touch()
    with pytest.raises(StoreError, match="damaged: the file is cut off"):
        Store(path, readonly=True)
    # as after a run that was killed in its first moment
    with Store(path) as store:
        assert store.rows() == []


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("rows", "result = '{}'"),
        ("rows", "seconds = seconds + 1"),
        ("rows", "memory = NULL"),
        ("rows", "created = created + 1"),
        ("machines", "facts = '{}'"),
        ("plans", "command = 'mercer'"),
        ("plan_cells", "bunch = 'x'"),
        ("datasets", "facts = '{}'"),
        ("failures", "message = 'well'"),
        ("images", "pixels = zeroblob(64)"),
        ("images", "height = 4, width = 16"),
    ],
)
@pytest.mark.parametrize("readonly", [False, True])
def test_a_changed_value_is_named(files, tmp_path, table, change, readonly):
    path = tmp_path / "store.sqlite"
    path.write_bytes(files["store"])
    with sqlite3.connect(path) as db:
        assert db.execute(f"UPDATE {table} SET {change}").rowcount
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=rf"damaged: entry \d+ of its table {table} "):
        Store(path, readonly)
    assert path.read_bytes() == before


@pytest.mark.parametrize("table", ["rows", "plans", "images", "failures"])
def test_pages_from_before_are_told(files, tmp_path, table):
    """As a disk leaves them that did not write what it was told."""
    path = tmp_path / "store.sqlite"
    path.write_bytes(files["store"])
    with Store(path) as store:
        (number,) = store.query(
            "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
        )[0]
        whole = everything(path, readonly=True)
    for source in (files["earlier"], files["other"]):
        content = bytearray(files["store"])
        page = slice((number - 1) * PAGE, number * PAGE)
        content[page] = source[page]
        path.write_bytes(content)
        if content == files["store"]:
            assert everything(path, readonly=True) == whole
        else:
            with pytest.raises(StoreError, match="damaged"):
                Store(path, readonly=True)


def test_numbers_of_every_kind_come_back(tmp_path):
    """Checksums are of what SQLite makes of values."""
    with Store(tmp_path / "store.sqlite") as store:
        for number, seconds in enumerate(
            [0, 1, 2.0, -0.0, 0.1, 1e300, np.float64(0.3)]
        ):
            name = np.str_("tiny ☃ \U0001f40d")
            store.add_row(
                Row(str(number), name, "", {}, 2**62, {}, seconds=seconds, created=True)
            )
        rows = store.rows()
    assert len(rows) == 7
    with Store(tmp_path / "store.sqlite", readonly=True) as store:
        assert store.rows() == rows
