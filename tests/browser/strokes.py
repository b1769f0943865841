"""A digit's image as somebody would have drawn it: its skeleton, as strokes."""

import numpy as np

AROUND = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


def skeleton(inked):
    """Thin lines of a Boolean image, by the method of Zhang and Suen."""
    image = np.pad(inked, 1).astype(int)
    while True:
        before = image.sum()
        for cut in ((0, 2, 4), (2, 4, 6)), ((0, 2, 6), (0, 4, 6)):
            near = np.array([np.roll(image, (-y, -x), (0, 1)) for y, x in AROUND])
            count = near.sum(axis=0)
            turns = ((near == 0) & (np.roll(near, -1, axis=0) == 1)).sum(axis=0)
            free = np.all([near[list(three)].prod(axis=0) == 0 for three in cut], 0)
            image[(count >= 2) & (count <= 6) & (turns == 1) & free] = 0
        if image.sum() == before:
            return image[1:-1, 1:-1].astype(bool)


def strokes_of(image):
    """Strokes along the skeleton: lists of points from 0 to 1, x first."""
    left = {tuple(place) for place in np.argwhere(skeleton(image > 0.35))}
    whole, strokes = set(left), []
    while left:
        # an end, where there is one
        place = min(left, key=lambda p: (len(_near(p, left)), p))
        joined = _near(place, whole - left)
        left.remove(place)
        stroke = [*joined[:1], place]
        while onward := _near(place, left):
            place = onward[0]
            left.remove(place)
            stroke.append(place)
        stroke += _near(place, whole - set(stroke[-2:]))[:1]
        strokes.append(stroke)
    height, width = image.shape
    # a hand is seen every few pixels
    strokes = [[*stroke[:-1:2], stroke[-1]] for stroke in strokes]
    return [[((x + 0.5) / width, (y + 0.5) / height) for y, x in s] for s in strokes]


def _near(place, among):
    found = ((place[0] + y, place[1] + x) for y, x in AROUND)
    # straight neighbours first
    return sorted(
        (p for p in found if p in among),
        key=lambda p: abs(p[0] - place[0]) + abs(p[1] - place[1]),
    )
