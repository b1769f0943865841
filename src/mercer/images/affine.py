"""Affine maps of images: what is shown stays the same, its place does not."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._storable import need, storable
from mercer._validation import is_sparse
from mercer.exceptions import ParameterError
from mercer.images.pixels import Shades

_WHOLE = 1e-9  # of a pixel: what is as good as no interpolation


@storable
@dataclass(frozen=True, repr=False)
class Affine:
    """An affine map of an image: mirrored, sized, slanted, turned, and then shifted.

    All but the shift leave the centre of the image where it is. Values between pixels
    are interpolated linearly, and what comes in from outside is paper.

    Parameters
    ----------
    right, down : float
        By how many pixels to shift.
    degrees : float
        By how much to turn, against the clock.
    slant : float
        By how many pixels each row moves to the right against the one below it.
    width, height : float
        Factors of the size.
    mirrored : bool
        Whether left and right change places.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.images import Affine
    >>> image = np.array([[0.0, 2.0, 0.0, 0.0]])
    >>> Affine(right=1).apply(image, (1, 4))
    array([[0., 0., 2., 0.]])
    >>> Affine(right=0.25).apply(image, (1, 4))
    array([[0. , 1.5, 0.5, 0. ]])
    """

    right: float = 0.0
    down: float = 0.0
    degrees: float = 0.0
    slant: float = 0.0
    width: float = 1.0
    height: float = 1.0
    mirrored: bool = False

    def __post_init__(self) -> None:
        values = (self.right, self.down, self.degrees, self.slant)
        if not np.isfinite([*values, self.width, self.height]).all():
            raise ParameterError(f"{self} is no map: all of it must be finite.")
        if min(self.width, self.height) <= 0:
            raise ParameterError(f"{self} is no map: sizes must be above 0.")

    def __repr__(self) -> str:
        own = ((one.name, getattr(self, one.name), one.default) for one in fields(self))
        words = [f"{name}={value!r}" for name, value, usual in own if value != usual]
        return f"Affine({', '.join(words)})"

    def __mercer_check__(self) -> None:
        values = (self.right, self.down, self.degrees, self.slant)
        numbers = (*values, self.width, self.height)
        need(all(isinstance(one, int | float) for one in numbers), "it is no map")

    def apply(
        self, X: Any, image_shape: tuple[int, int], shades: Shades | None = None
    ) -> Any:
        """The images, one a row of X, after the map; rounded if shades are given."""
        shades = shades or Shades(0.0 if is_sparse(X) else float(X.min()), None)
        weights = self.weights(image_shape)
        if is_sparse(X):
            moved = sparse.csr_array(X @ weights.T)
            moved.data = shades.round(moved.data)
            return type(X)(moved.astype(X.dtype))
        moved = np.asarray((weights @ (X - shades.paper).T).T, dtype=np.float64)
        if weights.nnz and np.any(weights.data != 1):
            moved = shades.round(moved)
        return np.ascontiguousarray(moved + shades.paper, dtype=X.dtype)

    def weights(self, image_shape: tuple[int, int]) -> sparse.csr_array:
        """Of each pixel before (columns) in each pixel after (rows)."""
        height, width = image_shape
        centre = np.array([height - 1, width - 1]) / 2
        pixels = np.indices(image_shape).reshape(2, -1).T
        back = np.linalg.inv(self._matrix())
        source = (pixels - centre - [self.down, self.right]) @ back.T + centre
        whole = np.rint(source)
        source = np.where(np.abs(source - whole) < _WHOLE, whole, source)
        rows, columns, values = zip(*_corners(source, image_shape))
        entries = np.concatenate(values), tuple(map(np.concatenate, (rows, columns)))
        return sparse.csr_array(entries, shape=(height * width, height * width))

    def _matrix(self) -> NDArray[np.float64]:
        """What becomes of (down, right), as seen from the centre."""
        angle = np.deg2rad(self.degrees)
        cos, sin = np.cos(angle), np.sin(angle)
        size = np.diag([self.height, -self.width if self.mirrored else self.width])
        return np.array([[cos, -sin], [sin, cos]]) @ [[1, 0], [-self.slant, 1]] @ size


def shifts(pixels: float = 1.0, *, diagonal: bool = True) -> tuple[Affine, ...]:
    """The eight shifts by so many pixels, or the four that are not diagonal.

    >>> len(shifts()), shifts(0.5, diagonal=False)[0]
    (8, Affine(down=-0.5))
    """
    ways = itertools.product((-pixels, 0.0, pixels), repeat=2)
    return tuple(
        Affine(down=down, right=right)
        for down, right in ways
        if (down or right) and (diagonal or not (down and right))
    )


def rotations(degrees: float = 10.0) -> tuple[Affine, ...]:
    """Turns by so many degrees, against the clock and with it.

    >>> rotations(5)
    (Affine(degrees=5), Affine(degrees=-5))
    """
    return Affine(degrees=degrees), Affine(degrees=-degrees)


_WORDS = {
    "shifts": shifts(),
    "rotations": rotations(),
    "mirror": (Affine(mirrored=True),),
}


def check_transforms(transforms: Any) -> tuple[Affine, ...]:
    """Maps, given as such or by words that stand for some."""
    given = [transforms] if isinstance(transforms, str | Affine) else transforms
    if not isinstance(given, Iterable):
        given = [given]
    found: list[Affine] = []
    for one in given:
        if isinstance(one, Affine):
            found.append(one)
        elif isinstance(one, str) and one in _WORDS:
            found += _WORDS[one]
        else:
            raise ParameterError(
                f"transforms holds {one!r}; it takes mercer.images.Affine, and the "
                f"words {', '.join(_WORDS)}."
            )
    if not found:
        raise ParameterError("transforms is empty; without any, take KernelSVC.")
    return tuple(found)


def _corners(source: NDArray[np.float64], image_shape: tuple[int, int]) -> Any:
    """The four pixels around each point: whose they are, which, and their weights."""
    low = np.floor(source)
    part = source - low
    for corner in itertools.product((0, 1), repeat=2):
        at = (low + corner).astype(np.intp)
        weight = np.where(corner, part, 1 - part).prod(axis=1)
        inside = ((at >= 0) & (at < image_shape)).all(axis=1) & (weight > 0)
        at = at[inside]
        yield (
            np.flatnonzero(inside),
            at[:, 0] * image_shape[1] + at[:, 1],
            weight[inside],
        )
