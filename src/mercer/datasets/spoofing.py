"""Real and fake fingerprints: six features, the label last."""

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.files import ReadOptions
from mercer.datasets.folder import find_files
from mercer.datasets.from_files import load_known


def load_spoofing() -> Dataset:
    """Load 6000 training samples (trainData) and 6000 for evaluation (evalData)."""
    return load_known(
        "spoofing",
        find_files("spoofing"),
        ReadOptions(label="last", n_features=6, labels=(0, 1)),
        lambda X: X.astype(np.float64, copy=False),
        image_shape=None,
        source="course material on fingerprint spoofing detection, "
        "trainData.txt and evalData.txt",
        licence="not stated",
    )
