"""The data of a run: what was asked for, and how its rows call it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from mercer.datasets import Dataset, load_dataset
from mercer.studies.plain import fingerprint
from mercer.studies.store import StoredImage


@dataclass(frozen=True)
class DataSpec:
    """A data set by name, or a file and how to read it.

    Attributes
    ----------
    name : str
        What `load_dataset` takes.
    label, header, drop, categorical, missing
        How to read a text table, as `load_dataset` takes it; columns of words are
        categories anyway.
    image_shape : (height, width), optional
        Of the images in a file.
    """

    name: str
    label: str = "auto"
    image_shape: tuple[int, int] | None = None
    header: bool | None = None
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: str = "error"

    def load(self) -> Dataset:
        """Load the data set."""
        return load_dataset(
            self.name,
            label=self.label,
            image_shape=self.image_shape,
            header="auto" if self.header is None else self.header,
            drop=self.drop,
            categorical=("auto", *self.categorical),
            missing=self.missing,
        )

    def arguments(self) -> list[str]:
        """How to ask for it on the command line."""
        words = ["--data", self.name]
        if self.label != "auto":
            words += ["--label", self.label]
        if self.image_shape is not None:
            words += ["--image-shape", "x".join(map(str, self.image_shape))]
        if self.header is not None:
            words += ["--header" if self.header else "--no-header"]
        for option in ("drop", "categorical"):
            for column in getattr(self, option):
                words += [f"--{option}", column]
        if self.missing != "error":
            words += ["--missing", self.missing]
        return words


def few_samples(dataset: Dataset) -> Dataset:
    """Some samples from all over the data set: enough to compile on."""
    rows = np.linspace(0, dataset.n_samples - 1, 60).astype(int)
    return replace(dataset, X=dataset.X[rows], y=dataset.y[rows], train=None, test=None)


def name_in_store(dataset: Dataset | None) -> str:
    """Name a data set by its content: a file that changed is another data set."""
    if dataset is None:
        return ""
    # the checksum is the file's, and the label column is not in it, nor is what was
    # left out of it
    labels = fingerprint(dataset.y.tolist())
    read = [[name, value] for name, value in dataset.read_with]
    return fingerprint(
        dataset.name,
        dataset.sha256,
        dataset.image_shape,
        labels,
        *([read] if read else []),
    )


def keep_images(dataset: Dataset | None, samples: Iterable[int]) -> list[StoredImage]:
    """The images of some samples in 256 shades; none if the data are no images."""
    if dataset is None or dataset.image_shape is None:
        return []
    low, high = dataset.value_range
    images = []
    for sample in samples:
        row = dataset.X[[sample]]
        pixels = np.asarray(row if isinstance(row, np.ndarray) else row.toarray())
        shades = (pixels.astype(float) - low) / ((high - low) or 1.0) * 255.0
        image = shades.round().astype(np.uint8).reshape(dataset.image_shape)
        images.append(StoredImage(int(sample), image))
    return images
