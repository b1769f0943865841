"""Just a little bit: random signs, of which only the first matters."""

import numpy as np

from mercer.datasets.checksums import array_checksum
from mercer.datasets.dataset import Dataset
from mercer.exceptions import ParameterError


def just_a_little_bit(n: int = 100, m: int = 1000, seed: int = 0) -> Dataset:
    r"""Draw m samples x uniformly from {-1, 1}\ :sup:`n`; the label is y = x₁.

    Parameters
    ----------
    n : int
        Features.
    m : int
        Samples.
    seed : int
        Of the random numbers.

    Examples
    --------
    >>> from mercer.datasets import load_dataset
    >>> data = load_dataset("just-a-little-bit", n=5, m=200, seed=1)
    >>> data.X.shape, bool((data.X[:, 0] == data.y).all())
    ((200, 5), True)
    """
    for name, value, least in (("n", n, 1), ("m", m, 1), ("seed", seed, 0)):
        if not isinstance(value, int | np.integer) or value < least:
            raise ParameterError(
                f"{name} is {value!r}; give a whole number of at least {least}."
            )
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(m, n), dtype=np.int8).astype(np.float32) * 2 - 1
    y = X[:, 0].astype(np.int64)
    return Dataset(
        X=X,
        y=y,
        train=None,
        test=None,
        image_shape=None,
        name="just-a-little-bit",
        source=f"computed: n={n}, m={m}, seed={seed}",
        licence="none needed",
        sha256=array_checksum(X, y),
    )
