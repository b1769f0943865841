"""Images that are uploaded or drawn: placed, recognised, or refused."""

import struct
import zlib

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.web.images import place_digit, read_image
from mercer.web.limits import Refusal, ServiceLimits
from mercer.web.served_model import ServedModel

from .service import X, Y, png, refused


def test_uploaded_images_are_placed_and_recognised():
    data = mercer.load_dataset("mnist5k")
    pixels = data.X / data.X.max()
    model = mercer.KernelSVC(C=10, gamma=0.02).fit(pixels[::3], data.y[::3])
    new = np.arange(1, len(data.y), 165)
    known = model.predict(pixels[new])
    served, right = ServedModel("mnist5k", model, ServiceLimits()), 0
    for row, label in zip(new, known):
        large = np.kron(255 - pixels[row].reshape(28, 28) * 255, np.ones((5, 5)))
        framed = np.pad(large, ((5, 60), (42, 3)), constant_values=255)
        ink = read_image(png(framed.astype(np.uint8)), ServiceLimits())
        right += model.predict(served.place(ink))[0] == label
    assert right >= 0.9 * len(new)
    assert served.box == 20


def test_drawings_are_placed_as_the_samples_of_the_model_are():
    """Digits that fill the image, on paper that is -1, behind scalers."""
    data = 2 * X / 16 - 1
    scaled = make_pipeline(StandardScaler(), mercer.KernelSVC(C=10))
    for model in (mercer.KernelSVC(C=10), scaled):
        served = ServedModel("m", model.fit(data[:1200], Y[:1200]), ServiceLimits())
        assert (served.box, served.low, served.high) == pytest.approx((8, -1, 1))
        ink = np.kron((data[1200:1300].reshape(-1, 8, 8) + 1) / 2, np.ones((30, 30)))
        placed = np.concatenate([served.place(one) for one in ink])
        assert (model.predict(placed) == Y[1200:1300]).mean() > 0.85
        why = served.explain(placed[:1], None, 3)
        assert np.abs(np.array(why["for"][0]["vector"]) * 8).round(6).max() <= 8
        assert len(why["shapley"]) == 64


def test_an_upload_is_answered_with_what_the_model_sees(ask):
    large = np.kron(255 - X[400].reshape(8, 8) * 15, np.ones((6, 6))).astype(np.uint8)
    said = ask("POST", "/api/predict/image", files={"file": png(large)}).json()
    assert len(said["image"]) == 64
    assert max(said["image"]) > 8
    seen = {"samples": [said["image"]]}
    again = ask("POST", "/api/predict", json=seen).json()
    assert said["predictions"][0]["label"] == again["predictions"][0]["label"]


def test_digits_are_centred_by_mass():
    ink = np.zeros((50, 50))
    ink[5:45, 5:10], ink[5:10, 5:45] = 1, 1
    placed = place_digit(ink, (28, 28))
    centres = [
        placed.sum(axis=1 - a) @ (np.arange(28) + 0.5) / placed.sum() for a in (0, 1)
    ]
    assert np.abs(np.array(centres) - 14).max() <= 0.5
    assert not place_digit(np.zeros((9, 9)), (28, 28)).any()


def test_images_that_are_refused(ask):
    def upload(content, **form):
        return ask("POST", "/api/predict/image", files={"file": content}, data=form)

    refused(upload(b"no image"), 422, "no image that can be read")
    bomb = png(np.zeros((101, 100), np.uint8))
    refused(upload(bomb), 413, "100 x 101 pixels", "10000")
    noise = np.random.default_rng(0).integers(0, 255, (60, 60), np.uint8)
    refused(upload(png(noise)[:900]), 422, "no image that can be read")
    small = png(np.zeros((9, 9), np.uint8))
    refused(upload(small, model="flowers"), 422, "does not take images")
    assert upload(small).status_code == 200


@pytest.mark.parametrize(("side", "status"), [(10_000, 413), (20_000, 422)])
def test_bombs_are_not_unpacked(side, status):
    """A header that promises 100 or 400 megapixels."""
    small = png(np.zeros((9, 9), np.uint8))
    header = b"IHDR" + struct.pack(">II", side, side) + small[24:29]
    forged = small[:12] + header + struct.pack(">I", zlib.crc32(header)) + small[33:]
    with pytest.raises(Refusal) as refusal:
        read_image(forged, ServiceLimits())
    assert refusal.value.status == status
