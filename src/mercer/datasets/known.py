"""What is known about the named data sets: sizes, class counts, ranges, checksums."""

from dataclasses import dataclass

from numpy.typing import NDArray


@dataclass(frozen=True)
class Known:
    """Numbers that a data set must have; the counts follow the sorted labels."""

    n_features: int
    labels: tuple[int, ...]
    train: tuple[int, ...]
    test: tuple[int, ...] = ()
    value_range: tuple[float, float] | None = None
    arrays_sha256: str | None = None

    def count(self, y: NDArray) -> tuple[int, ...]:
        """Count the samples of each class among some labels."""
        return tuple(int((y == label).sum()) for label in self.labels)

    @property
    def n_train(self) -> int:
        """Samples in the first part, or in all where there is one part only."""
        return sum(self.train)

    @property
    def counts(self) -> tuple[int, ...]:
        """Samples of each class in all."""
        test = self.test or (0,) * len(self.train)
        return tuple(a + b for a, b in zip(self.train, test))

    @property
    def n_samples(self) -> int:
        """Samples in all."""
        return sum(self.train) + sum(self.test)


_DIGITS = tuple(range(10))
_USPS_TRAIN = (1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644)
_USPS_TEST = (359, 264, 198, 166, 200, 160, 170, 147, 166, 177)

KNOWN: dict[str, Known] = {
    "digits": Known(
        n_features=64,
        labels=_DIGITS,
        train=(178, 182, 177, 183, 181, 182, 181, 179, 174, 180),
        value_range=(0.0, 16.0),
        arrays_sha256="f6d9e39f37dc45d327f6db33428ee58970ccceabb2535a5c179de35886b70443",
    ),
    "iris": Known(
        n_features=4,
        labels=(0, 1, 2),
        train=(50, 50, 50),
        value_range=(0.1, 7.9),
        arrays_sha256="aa06b8008ceba42efc654be0f83fdafc786239c9e8f13146044d078f5aab8f23",
    ),
    "mnist5k": Known(
        n_features=784, labels=_DIGITS, train=(500,) * 10, value_range=(0.0, 1.0)
    ),
    "usps": Known(256, _DIGITS, _USPS_TRAIN, _USPS_TEST, (0.0, 1.0)),
    "zipcombo": Known(256, _DIGITS, _USPS_TRAIN, _USPS_TEST, (-1.0, 1.0)),
    "mnist": Known(
        n_features=784,
        labels=_DIGITS,
        train=(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949),
        test=(980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009),
        value_range=(0.0, 1.0),
    ),
    "fashion-mnist": Known(
        n_features=784,
        labels=_DIGITS,
        train=(6000,) * 10,
        test=(1000,) * 10,
        value_range=(0.0, 1.0),
    ),
    "spoofing": Known(6, (0, 1), (2990, 3010), (3010, 2990)),
}

#: SHA-256 of files after unpacking, so that gzip or not does not matter.
_SHA256 = """
734f88c541104a956d88be2c95d03b4a463ffd74ccc2ba9c80841fb98e3fcb36 usps.h5
3839faa29aa5f6bfa0516cdd599fae8ad59b7a3777d09f7ca971d9f1cd8b6c6b usps.t
6bde17b4f1cd68e0630cd2751d6495b5795d9165ab2dc4a0be8b7002b732f4cc zip.test
abc9f5c75b997cabe66b5d01727d5a681c69298e1641a8d37b55433a52129dc0 zip.train
202b6790e7b15fc5c0edfeebfcc2e5d11df6bfa76a08c515f511f0c6d5a2b1af zipcombo.dat
51c292478d94ec3a01461bdfa82eb0885d262eb09e615679b2d69dedb6ad09e7 mnist_test.csv
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7 t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2 t10k-labels-idx1-ubyte
ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5 train-labels-idx1-ubyte
5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b t10k-images-idx3-ubyte
0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34 t10k-labels-idx1-ubyte
c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888 train-images-idx3-ubyte
bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9 train-labels-idx1-ubyte
588d14cda025b2ceb4b263ddddeab7dfc4a99acb2d3b9073a3e00a0f06a43188 evalData.txt
ac872e50d517e309f17231b37366f1f42ee018be6e732fa50e5f1aa9e81e44bb trainData.txt
167bbe5fc3dfbce27f9a4c6c1814964f3367677ee226d9811d79cbd41fd5d053 mnist_5k.csv
"""
FILES: dict[str, str] = dict(line.split() for line in _SHA256.split("\n") if line)
