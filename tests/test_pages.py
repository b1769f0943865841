"""Memory that one array leaves and the next one has."""

import gc
import mmap

import numpy as np
import pytest

from mercer import KernelSVC, _pages
from mercer._pages import reusable_array
from mercer._thread_memory import ThreadMemory
from mercer.kernels import Gaussian

LARGE = 2**24

pytestmark = pytest.mark.skipif(
    not hasattr(mmap, "MADV_FREE"), reason="this system takes memory back at once"
)


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch):
    gc.collect()
    monkeypatch.setattr(_pages, "_left", [])


def address(array):
    return array.__array_interface__["data"][0]


def test_the_next_array_has_what_the_last_one_left():
    first = reusable_array((LARGE,), np.dtype(np.uint8))
    first[:] = 1
    where = address(first)
    del first
    again = reusable_array((LARGE // 8,), np.dtype(np.float64))
    assert address(again) == where
    assert _pages._left == []


def test_a_view_holds_the_memory():
    whole = reusable_array((2, LARGE), np.dtype(np.float32))
    part = whole[1, 5:9]
    part[:] = [1, 2, 3, 4]
    del whole
    other = reusable_array((2, LARGE), np.dtype(np.float32))
    other[:] = 0
    assert part.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("small", [0, LARGE])
def test_two_arrays_never_share_and_little_stays(monkeypatch, small):
    monkeypatch.setattr(_pages, "_SMALL", small)
    most = "_MOST_SMALL" if small else "_MOST_LEFT"
    monkeypatch.setattr(_pages, most, 3 * LARGE)
    arrays = [reusable_array((LARGE,), np.dtype(np.uint8)) for _ in range(7)]
    for number, array in enumerate(arrays):
        array[:] = number
    assert [array[-1] for array in arrays] == list(range(7))
    del array
    arrays.clear()
    assert len(_pages._left) == 3


def test_of_a_block_that_is_too_large_the_beginning_stays(monkeypatch):
    monkeypatch.setattr(_pages, "_MOST_LEFT", LARGE)
    first = reusable_array((4 * LARGE,), np.dtype(np.uint8))
    first[:] = 1
    where = address(first)
    del first
    again = reusable_array((4 * LARGE,), np.dtype(np.uint8))
    assert address(again) == where
    assert not again[LARGE:].any()  # fresh pages


def test_small_arrays_have_what_they_left_also_after_large_ones(monkeypatch):
    """Once a large block took all of the room, and small fits a fifth more time."""
    monkeypatch.setattr(_pages, "_SMALL", LARGE)
    monkeypatch.setattr(_pages, "_MOST_SMALL", 2 * LARGE)
    monkeypatch.setattr(_pages, "_MOST_LEFT", 9 * LARGE)
    for _ in range(3):
        large = reusable_array((16 * LARGE,), np.dtype(np.uint8))
        small = [reusable_array((LARGE,), np.dtype(np.uint8)) for _ in range(3)]
        where = [address(array) for array in small]
        del large, small
        again = reusable_array((LARGE,), np.dtype(np.uint8))
        assert address(again) in where
        del again
        sizes = sorted(len(memory) for memory in _pages._left)
        assert sizes == [LARGE, LARGE, 16 * LARGE]


def test_a_huge_block_makes_room_for_others(monkeypatch):
    """Once it took all of it, and each model after it had fresh pages."""
    monkeypatch.setattr(_pages, "_SMALL", LARGE // 2)
    monkeypatch.setattr(_pages, "_MOST_LEFT", 4 * LARGE)
    huge = reusable_array((64 * LARGE,), np.dtype(np.uint8))
    huge[: 8 * LARGE] = 1
    where = address(huge)
    del huge
    for _ in range(3):
        own = reusable_array((LARGE,), np.dtype(np.uint8))
        own[:] = 2
        place = address(own)
        del own
        assert [memory.kept for memory in _pages._left] == [3 * LARGE, LARGE]
        own = reusable_array((LARGE,), np.dtype(np.uint8))
        assert address(own) == place
        del own
    huge = reusable_array((64 * LARGE,), np.dtype(np.uint8))
    assert address(huge) == where
    assert not huge[3 * LARGE : 8 * LARGE].any()  # they went back to the system
    others = [reusable_array((2 * LARGE,), np.dtype(np.uint8)) for _ in range(3)]
    del huge
    others.clear()
    assert sum(memory.kept for memory in _pages._left) <= 4 * LARGE


def test_who_needs_more_leaves_nothing_behind():
    small = reusable_array((LARGE,), np.dtype(np.uint8))
    del small
    assert len(_pages._left) == 1
    reusable_array((2 * LARGE,), np.dtype(np.uint8))
    assert [len(memory) for memory in _pages._left] == [2 * LARGE]


def test_the_smallest_block_that_is_large_enough():
    sizes = LARGE, 4 * LARGE, 2 * LARGE
    arrays = [reusable_array((size,), np.dtype(np.uint8)) for size in sizes]
    arrays.clear()
    assert len(reusable_array((LARGE + 1,), np.dtype(np.uint8)).base) == 2 * LARGE


@pytest.mark.parametrize("shape", [(6000, 20), (1500, 1600)])  # by rows, on a Gram
def test_who_sets_a_budget_sees_memory_go(shape):
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape).astype(np.float32)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    KernelSVC().fit(X, y)
    assert _pages._left != []
    KernelSVC(memory_budget="1GB").fit(X, y)
    assert _pages._left == []


def test_the_next_model_has_the_memory_of_the_last_one():
    """Unless a budget is set: then support vectors take their memory with them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2500, 2000)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    for budget, stays in ((None, True), ("1GB", False)):
        model = KernelSVC(memory_budget=budget).fit(X, y)
        assert model.support_vectors_.nbytes > 2**24
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        _pages.give_back()
        del model
        gc.collect()
        assert (_pages._left != []) == stays


def test_a_small_array_does_not_hold_a_large_block():
    large = reusable_array((32 * LARGE,), np.dtype(np.uint8))
    where = address(large)
    del large
    small = reusable_array((LARGE,), np.dtype(np.uint8))
    assert address(small) != where
    assert address(reusable_array((32 * LARGE,), np.dtype(np.uint8))) == where


def test_little_memory_is_an_array_like_any_other():
    assert reusable_array((3, 2), np.dtype(np.float32)).shape == (3, 2)
    assert _pages._left == []


def test_more_than_there_is_is_said_by_numpy():
    with pytest.raises(MemoryError):
        reusable_array((2**46,), np.dtype(np.float64))


def test_a_kernel_that_cannot_take_at_leisure_takes_at_once(monkeypatch):
    class Deaf(_pages._Block):
        def madvise(self, *args):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(_pages, "_Block", Deaf)
    array = reusable_array((LARGE,), np.dtype(np.uint8))
    array[:] = 3
    del array
    assert _pages._left == []


def test_a_thread_leaves_what_it_had():
    memory = ThreadMemory()
    where = address(memory.array((1, LARGE), np.dtype(np.uint8)))
    del memory
    assert address(reusable_array((LARGE,), np.dtype(np.uint8))) == where


def test_arrays_that_the_allocator_hands_back_are_used_again():
    """Half a megabyte to four took fresh pages for each fit of 350 samples."""
    first = reusable_array((2**20,), np.dtype(np.uint8))
    where = address(first)
    del first
    assert address(reusable_array((2**20,), np.dtype(np.uint8))) == where


@pytest.mark.parametrize("n", [300, 400, 500])
def test_small_fits_ask_for_no_fresh_pages(n):
    resource = pytest.importorskip("resource")
    rng = np.random.default_rng(0)
    K = Gaussian(0.1)(rng.normal(size=(n, 300)))
    X = rng.normal(size=(n, 300)).astype(np.float32)
    y = X[:, 0] > 0

    def fresh(fits):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(fits):
            KernelSVC().fit(X, y)
            KernelSVC(kernel="precomputed").fit(K, y)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    fresh(10)
    assert fresh(20) < 20 * n * n * 8 / mmap.PAGESIZE / 2
