"""Images as rows of pixels: moved, turned, mirrored, smoothed and set upright."""

from mercer.images.affine import Affine, rotations, shifts
from mercer.images.deslant import Deslant
from mercer.images.smooth import Smooth

__all__ = ["Affine", "Deslant", "Smooth", "rotations", "shifts"]
