"""The page of `mercer serve`, as it is used: by mouse, finger and keyboard."""

import dataclasses
import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image

import mercer
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.web.app import make_app
from mercer.web.limits import ServiceLimits
from mercer.web.served_model import ServedModel

from .strokes import strokes_of

PHONE = {"viewport": {"width": 375, "height": 700}, "has_touch": True}
OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll("body *:not(.skip)")]
    .filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > width + 1)
    .map((e) => e.outerHTML.slice(0, 80));
}"""


@pytest.fixture(scope="module")
def digits():
    """Images that the models have not seen, by class."""
    data = mercer.load_dataset("mnist5k")
    new = np.flatnonzero(np.arange(len(data.y)) % 50 == 0)
    return {int(label): data.X[new][data.y[new] == label] for label in data.classes}


@pytest.fixture(scope="module")
def address(serve, digits):
    data = mercer.load_dataset("mnist5k")
    seen = np.flatnonzero(np.arange(len(data.y)) % 50 % 2 == 1)
    X, y = data.X[seen], data.y[seen]
    samples = np.concatenate([digits[label] for label in range(10)])
    models = {
        "SVM": mercer.KernelSVC(C=10, gamma=0.02).fit(X, y),
        "neighbours": mercer.KernelKNN(5).fit(X, y),
    }
    served = [
        ServedModel(name, model, ServiceLimits(), (28, 28), samples)
        for name, model in models.items()
    ]
    return serve(make_app(served))


@pytest.fixture
def page(open_window, address):
    return open_window(address, viewport={"width": 1280, "height": 900})


def draw(page, strokes):
    """Draw by mouse."""
    box = page.locator("#sheet").bounding_box()
    for stroke in strokes:
        (x, y), *rest = [
            (box["x"] + x * box["width"], box["y"] + y * box["height"])
            for x, y in stroke
        ]
        page.mouse.move(x, y)
        page.mouse.down()
        for x, y in rest:
            page.mouse.move(x, y)
        page.mouse.up()


def decisions(page, *expected):
    """What the models say, after they say what is expected, or after a while."""
    said = "[...document.querySelectorAll('.decision')].map((e) => e.textContent)"
    wanted = list(expected)
    try:
        page.wait_for_function(
            f"(wanted) => JSON.stringify({said}) === JSON.stringify(wanted)",
            arg=wanted,
            timeout=60_000,
        )
    except Exception:
        return page.evaluate(said)
    return wanted


def reasons(page, n=1):
    """Wait until so many columns explain the drawing that is there now."""
    page.wait_for_function(
        "(n) => document.querySelectorAll('#columns:not(.busy) .why').length === n",
        arg=n,
    )
    return page.locator("#columns").inner_text()


def upload(page, name, content):
    file = {"name": name, "mimeType": "image/png", "buffer": content}
    page.set_input_files("#upload", file)


def png(image):
    content = io.BytesIO()
    Image.fromarray(image).save(content, "PNG")
    return content.getvalue()


def test_all_ten_digits_are_recognised(page, digits):
    right, wrong = [], {}
    for label, images in digits.items():
        draw(page, strokes_of(images[1].reshape(28, 28)))
        page.wait_for_selector("#answers[aria-busy=false]")
        said = page.locator(".decision").first.inner_text()
        right.append(label) if said == str(label) else wrong.update({label: said})
        page.click("#clear")
    assert len(right) >= 9, wrong


def test_undo_and_clear(page):
    empty = ["–", "–"]
    assert page.is_disabled("#undo")
    assert page.is_disabled("#clear")
    draw(page, [[(0.5, 0.2), (0.5, 0.5), (0.5, 0.8)]])
    assert decisions(page, "1", "1") == ["1", "1"]
    assert page.is_hidden("#hint")
    draw(page, [[(0.1, 0.3), (0.9, 0.3), (0.9, 0.7), (0.1, 0.7)]])
    page.click("#undo")
    assert decisions(page, "1", "1") == ["1", "1"]
    page.click("#clear")
    assert decisions(page, *empty) == empty
    assert page.is_hidden("#reasons")
    page.click("#undo")
    assert decisions(page, "1", "1") == ["1", "1"]
    page.click("#undo")
    assert decisions(page, *empty) == empty
    assert page.is_disabled("#undo")
    assert page.is_visible("#hint")


def test_why_and_beside_another_model(page):
    page.locator("#samples button").nth(7).click()
    assert decisions(page, "7", "7") == ["7", "7"]
    said = reasons(page)
    assert "SVM: why 7?" in said
    assert "votes against other classes" in said
    for side in ("for", "against"):
        shares = page.locator(f".pulls.{side} .share").all_inner_texts()
        assert len(shares) == 5
        assert all(one.startswith("+" if side == "for" else "−") for one in shares)
    inked = page.evaluate(
        """() => {
          const map = document.querySelector(".map canvas");
          const { data } = map.getContext("2d").getImageData(0, 0, 28, 28);
          return data.filter((value, place) => place % 4 === 3 && value > 40).length;
        }"""
    )
    assert 30 < inked < 784
    page.select_option("#second", label="neighbours")
    said = reasons(page, 2)
    assert "5 of the 5 nearest training images are 7." in said
    page.locator("article.model").first.locator(".bar").nth(1).click()
    assert page.input_value("#class") == "1"
    assert "why not 1?" in reasons(page, 2)


def test_uploads(page, digits):
    image = np.kron(255 * (1 - digits[4][0].reshape(28, 28)), np.ones((9, 9)))
    framed = np.pad(image, ((10, 200), (90, 0)), constant_values=255)
    upload(page, "four.png", png(framed.astype(np.uint8)))
    assert decisions(page, "4", "4") == ["4", "4"]
    upload(page, "words.png", b"these are words")
    page.wait_for_selector("#trouble:not(:empty)")
    assert "no image that can be read" in page.inner_text("#trouble")
    assert decisions(page, "4", "4") == ["4", "4"]
    upload(page, "bomb.png", bomb(10_000))
    page.wait_for_selector("#trouble:has-text('10000 x 10000 pixels')")
    page.click("#clear")
    draw(page, [[(0.5, 0.2), (0.5, 0.8)]])
    assert decisions(page, "1", "1") == ["1", "1"]
    assert page.inner_text("#trouble") == ""


def bomb(side):
    """A hundred megapixels in a hundred kilobytes."""

    def chunk(kind, content):
        crc = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + crc

    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes((side + 1) * side), 9)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def test_answers_to_what_is_gone_are_not_shown(page):
    asked = []

    def hold(route):
        asked.append(route)

    page.route("**/api/predict/image", hold)
    draw(page, [[(0.5, 0.2), (0.5, 0.8)]])
    while len(asked) < 2:
        page.wait_for_timeout(20)
    page.click("#clear")
    with page.expect_response("**/api/predict/image"):
        for route in asked:
            route.continue_()
    page.wait_for_timeout(100)
    assert page.locator(".decision").all_inner_texts() == ["–", "–"]


def test_reasons_for_what_is_no_longer_asked_are_not_shown(page):
    held = []
    page.route("**/api/explain", lambda route: held.append(route))

    def release(n):
        while len(held) < n:
            page.wait_for_timeout(20)
        while held:
            held.pop(0).continue_()

    page.locator("#samples button").nth(7).click()
    while not held:
        page.wait_for_timeout(20)
    page.select_option("#second", label="neighbours")
    release(1)
    while len(held) < 2:
        page.wait_for_timeout(20)
    assert page.locator(".why").count() == 0
    release(2)
    reasons(page, 2)


def test_by_keyboard_alone(page):
    def tab_to(name):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("(n) => document.activeElement.matches(n)", name):
                return
        raise AssertionError(f"{name} cannot be reached")

    tab_to("#sheet")
    page.keyboard.press("Space")
    for _ in range(14):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    assert decisions(page, "1", "1") == ["1", "1"]
    page.wait_for_selector("#status:has-text('SVM: 1, neighbours: 1.')")
    page.keyboard.press("Control+z")
    assert decisions(page, "–", "–") == ["–", "–"]
    tab_to("#upload")
    tab_to(".bar")
    tab_to("#samples li:nth-child(8) button")
    page.keyboard.press("Enter")
    assert decisions(page, "7", "7") == ["7", "7"]
    reasons(page)
    tab_to("#second")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    reasons(page, 2)


def test_a_finger_draws_and_nothing_scrolls(open_window, address):
    page = open_window(address, is_mobile=True, **PHONE)
    assert page.evaluate(OVERFLOW) == []
    box = page.locator("#sheet").bounding_box()
    assert box["width"] > 280
    touch = page.context.new_cdp_session(page)
    middle, top = box["x"] + box["width"] / 2, box["y"] + 0.2 * box["height"]

    def send(kind, points):
        given = {"type": kind, "touchPoints": points}
        touch.send("Input.dispatchTouchEvent", given)

    send("touchStart", [{"x": middle, "y": top + 0.6 * box["height"]}])
    for step in range(20, -1, -1):
        send("touchMove", [{"x": middle, "y": top + 0.03 * step * box["height"]}])
    send("touchEnd", [])
    assert decisions(page, "1", "1") == ["1", "1"]
    assert page.evaluate("window.scrollY") == 0
    assert page.locator("#summary b").all_inner_texts() == ["1", "1"]
    reasons(page)
    assert page.evaluate(OVERFLOW) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_nobody_is_kept_out(open_window, address, check_access, scheme, width):
    size = {"width": width, "height": 800}
    page = open_window(address, viewport=size, color_scheme=scheme)
    check_access(page)
    page.locator("#samples button").nth(3).click()
    assert decisions(page, "3", "3") == ["3", "3"]
    reasons(page)
    page.mouse.move(0, 0)
    page.wait_for_timeout(200)  # until bars have grown
    check_access(page)
    assert page.evaluate(OVERFLOW) == []


def test_models_of_tables_are_a_form(open_window, serve, check_access):
    iris = mercer.load_dataset("iris")
    model = mercer.KernelSVC(gamma=0.5).fit(iris.X, iris.y)
    page = open_window(
        serve(make_app([ServedModel("flowers", model, ServiceLimits())]))
    )
    assert page.is_hidden("#drawing")
    fields = page.locator(".fields input")
    assert fields.count() == 4
    for sample in (iris.X[0], iris.X[140]):
        for place, value in enumerate(sample):
            fields.nth(place).fill(f"{value:g}")
        label = str(model.predict([sample])[0])
        assert decisions(page, label) == [label]
        page.wait_for_selector(f"text=What speaks for {label}")
    assert page.locator(".features li").count() == 4
    check_access(page)


@pytest.fixture(scope="module")
def results(serve, tmp_path_factory):
    """A service that shows a comparison on digits, of which some cells are run."""
    pytest.importorskip("matplotlib")
    path = tmp_path_factory.mktemp("results") / "store.sqlite"
    digits, iris = mercer.load_dataset("digits"), mercer.load_dataset("iris")
    plan = make_plan(get_study("compare"), digits, quick=True)
    plan = dataclasses.replace(plan, cells=dict(list(plan.cells.items())[:4]))
    with Store(path) as opened:
        assert run_plan(plan, opened) == []
    model = mercer.KernelKNN().fit(iris.X, iris.y)
    return serve(make_app([ServedModel("flowers", model, ServiceLimits())], store=path))


@pytest.mark.parametrize(("scheme", "width"), [("light", 375), ("dark", 1280)])
def test_results_and_the_images_behind_a_mistake(
    open_window, results, check_access, scheme, width
):
    options = {"viewport": {"width": width, "height": 800}, "color_scheme": scheme}
    page = open_window(results, **options)
    page.click("text=Results")
    page.wait_for_selector(".run h2 a")
    check_access(page)
    page.locator(".run h2 a").click()
    page.wait_for_selector("#mistakes table")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_access(page)
    cell = page.locator("#mistakes details[open] td a").first
    words = cell.get_attribute("aria-label")
    cell.click()
    page.wait_for_selector(".images img")
    assert words.split(" of ", 1)[1] == page.inner_text("h1")
    check_access(page)
    page.click("text=Back to the run")
    page.wait_for_selector("#mistakes table")
