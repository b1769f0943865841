"""The three lines of a table: how each is tuned, fitted and tested."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import KernelSVC, VirtualSVC
from mercer.images import Affine, rotations, shifts
from mercer.kernels import make_kernel
from mercer.studies.cell import Outcome
from mercer.studies.mistakes import note_mistakes
from mercer.studies.records.protocol import (
    AS_THEY_ARE,
    CLOTHES,
    RecordSplit,
    Views,
)

LINES = ("plain", "deslanted", "virtual")
#: The images that a line may learn from.
_VIEWS = {
    "plain": (
        AS_THEY_ARE,
        "smoothed",
        "brightened",
        "equal ink",
        "brightened, equal ink",
        "centred, equal ink",
    ),
    "deslanted": (
        "deslanted",
        "deslanted, smoothed",
        "deslanted, centred, equal ink",
    ),
}
#: γ in multiples of scikit-learn's "scale", and C: the first to start with, the others
#: tried in turn.
GAMMAS, CS = (1.5, 0.7, 1.0, 2.2, 3.2), (10.0, 3.0, 30.0)
#: By how much γ is lowered or raised once maps are chosen.
_FACTORS = 2 / 3, 3 / 2

_FURTHER = shifts(2, diagonal=False)
_SIZES = (
    *(Affine(width=size) for size in (0.88, 1.12)),
    *(Affine(height=size) for size in (0.88, 1.12)),
)
_SLANTS = tuple(Affine(slant=by) for by in (-0.15, 0.15))
_TURNS = (*rotations(7), *rotations(14))
_STRAIGHT = (*shifts(diagonal=False), Affine(mirrored=True))
#: The maps that copies of support vectors are made with: those that keep a digit what
#: it is, and those that keep clothes what they are.
MAPS: dict[str, tuple[Affine, ...]] = {
    "shifts": shifts(),
    "shifts, turns, sizes": (*shifts(), *rotations(), *_SIZES),
    "shifts, turns, sizes, slants": (*shifts(), *_TURNS, *_SIZES, *_SLANTS),
    "further shifts, turns, sizes": (*shifts(), *_FURTHER, *rotations(), *_SIZES),
    "straight shifts, mirror": _STRAIGHT,
    "straight shifts, mirror, sizes": (*_STRAIGHT, *_SIZES),
}
_DIGITS, _CLOTHES = tuple(MAPS)[:4], tuple(MAPS)[4:]


def maps_for(data: str) -> tuple[str, ...]:
    """The names of the maps to try on a data set."""
    return _CLOTHES if data == CLOTHES else _DIGITS


@dataclass(frozen=True)
class Setting:
    """What is chosen by validation; γ in multiples of "scale"."""

    images: str
    C: float
    gamma: float
    maps: str = ""
    multiclass: str = "ovo"

    def model(self, scale: float, image_shape: tuple[int, int]) -> KernelSVC:
        """The learner of these settings."""
        gamma = self.gamma * scale
        if not self.maps:
            return KernelSVC(C=self.C, gamma=gamma, multiclass=self.multiclass)
        return VirtualSVC(
            C=self.C,
            gamma=gamma,
            transforms=MAPS[self.maps],
            image_shape=image_shape,
            multiclass=self.multiclass,
        )


@dataclass(frozen=True)
class Tried:
    """A setting, and its error on the validation images."""

    setting: Setting
    error: float


@dataclass(frozen=True, eq=False)
class Trial:
    """The images of one split, and what was tried on them for each line."""

    views: Views
    y: NDArray[np.intp]
    split: RecordSplit
    image_shape: tuple[int, int]
    maps: tuple[str, ...]
    one_vs_rest: bool
    known: dict[str, list[Tried]] = field(default_factory=dict)

    def tune(self, line: str) -> list[Tried]:
        """Settings in the order in which they were tried, once for all lines."""
        if line not in self.known:
            find = self._tune_virtual if line == "virtual" else self._tune_plain
            self.known[line] = find(line)
        return self.known[line]

    def _tune_plain(self, line: str) -> list[Tried]:
        """Images, then γ, then C, each for the best before; then one-vs-rest."""
        first = Setting("", CS[0], GAMMAS[0])
        tried = self._try_all(replace(first, images=view) for view in _VIEWS[line])
        tried += self._try_others(tried, gamma=GAMMAS[1:])
        tried += self._try_others(tried, C=CS[1:])
        if self.one_vs_rest:
            tried += self._try_others(tried, multiclass=["ovr"])
        return tried

    def _tune_virtual(self, line: str) -> list[Tried]:
        """Maps for the better of the other lines; then images as they were, and γ."""
        best = best_of([*self.tune("plain"), *self.tune("deslanted")]).setting
        plain = replace(best, multiclass="ovr" if self.one_vs_rest else "ovo")
        tried = self._try_all(replace(plain, maps=maps) for maps in self.maps)
        bare = "deslanted" if plain.images.startswith("deslanted") else AS_THEY_ARE
        if plain.images != bare:
            tried += self._try_others(tried, images=[bare])
        return tried + self._try_around(tried)

    def _try_around(self, tried: Sequence[Tried]) -> list[Tried]:
        gamma = best_of(tried).setting.gamma
        return self._try_others(tried, gamma=[gamma * factor for factor in _FACTORS])

    def run(self, tried: Sequence[Tried], tuning: float) -> Outcome:
        """Fit the best setting to all training images, and test it once."""
        setting, split = best_of(tried).setting, self.split
        begin = time.perf_counter()
        model = self._fit(setting, split.train)
        fitted = time.perf_counter()
        decided = model.predict(self.views[setting.images][split.test])
        predicted = time.perf_counter()
        mistakes = note_mistakes(split.test, self.y[split.test], decided)
        samples = [sample for sample, *_ in mistakes["wrong"]]
        values = {
            "error": len(samples) / len(split.test),
            "validation_error": best_of(tried).error,
            "setting": asdict(setting),
            "tried": [{**asdict(one.setting), "error": one.error} for one in tried],
            "n_tuned": len(split.folds[0][0]),
            "n_validated": sum(len(rows) for _, rows in split.folds),
            "n_train": len(split.train),
            "n_test": len(split.test),
            "n_learned": getattr(model, "n_virtual_", len(split.train)),
            "support_vectors": len(model.support_),
            **_certificate(model),
            **mistakes,
        }
        seconds = {"tune": tuning, "fit": fitted - begin, "predict": predicted - fitted}
        return Outcome(values, seconds, samples)

    def _try_all(self, settings: Iterable[Setting]) -> list[Tried]:
        return [Tried(setting, self._validate(setting)) for setting in settings]

    def _try_others(self, tried: Sequence[Tried], **other: Any) -> list[Tried]:
        """Other values of one parameter for the best that was tried."""
        best = best_of(tried).setting
        ((name, values),) = other.items()
        return self._try_all(replace(best, **{name: value}) for value in values)

    def _validate(self, setting: Setting) -> float:
        wrong = []
        for tuned_on, validated_on in self.split.folds:
            model = self._fit(setting, tuned_on)
            decided = model.predict(self.views[setting.images][validated_on])
            wrong.append(decided != self.y[validated_on])
        return float(np.mean(np.concatenate(wrong)))

    def _fit(self, setting: Setting, rows: NDArray[np.intp]) -> KernelSVC:
        X = self.views[setting.images][rows]
        rbf: Any = make_kernel("rbf", "scale", X=X)
        return setting.model(rbf.gamma, self.image_shape).fit(X, self.y[rows])


def best_of(tried: Sequence[Tried]) -> Tried:
    """The smallest validation error, the first of equal ones."""
    return min(tried, key=lambda one: one.error)


def _certificate(model: KernelSVC) -> dict[str, Any]:
    found = model.certificate_
    return {
        "primal": found.primal,
        "dual": found.dual,
        "gap": found.gap,
        "relative_gap": found.gap / found.primal,
        "converged": found.converged,
    }
