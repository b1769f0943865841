"""Images as rows of pixels: moved and mirrored, set upright, centred, evened out."""

from mercer.images.affine import Affine, rotations, shifts
from mercer.images.brighten import Brighten
from mercer.images.centre import Centre
from mercer.images.deslant import Deslant
from mercer.images.equal_ink import EqualInk
from mercer.images.smooth import Smooth

__all__ = [
    "Affine",
    "Brighten",
    "Centre",
    "Deslant",
    "EqualInk",
    "Smooth",
    "rotations",
    "shifts",
]
