"""``mercer data``: list, show, check and fetch data sets."""

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import mercer
from mercer._extras import import_extra
from mercer.cli import _options as opt
from mercer.cli._console import out, print_json, say, say_aside
from mercer.cli._tables import print_facts, print_table, yes_or_no
from mercer.exceptions import MissingExtraError

if TYPE_CHECKING:
    from mercer.datasets import Dataset

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="List, show, check and fetch data sets.",
    epilog="Start with: [bold]mercer data list[/], [bold]mercer data show digits[/]",
)

_SHADES = " ░▒▓█"
_ASCII_SHADES = " .:*#"
_STATE_STYLES = {"ok": "green", "failed": "bold red", "unknown": "yellow"}
_SIZES = ("n_samples", "n_features", "n_classes")
_FIELDS = ("name", "title", *_SIZES, "origin", "available", "missing")


@app.command("list", epilog="Example: [bold]mercer data list --json[/]")
def list_command(as_json: opt.Json = False) -> None:
    """List the named data sets, and which of them are here."""
    entries = mercer.datasets.catalogue()
    folder = mercer.datasets.data_folder()
    if as_json:
        rows = [{key: getattr(entry, key) for key in _FIELDS} for entry in entries]
        print_json({"data_folder": str(folder), "datasets": rows})
        return
    print_table(
        ("name", "what it is", "samples", "features", "classes", "from", "here"),
        [
            (
                entry.name,
                entry.title,
                *(_number(getattr(entry, size)) for size in _SIZES),
                entry.origin,
                yes_or_no(entry.available),
            )
            for entry in entries
        ],
        right={2, 3, 4},
        whole={0},
    )
    say(f"\nData folder: {folder} (MERCER_DATA)")


@app.command(
    epilog="Examples:\n\n[bold]mercer data show digits[/]\n\n"
    "[bold]mercer data show usps --picture usps.svg[/]\n\n"
    "[bold]mercer data show flowers.csv --label last --json[/]\n\n"
    "[bold]mercer data show flowers.csv --no-header --drop 0[/]\n\n"
    "[bold]mercer data show just-a-little-bit --n 20 --m 500 --seed 1[/]",
)
def show(
    name: opt.DataName,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Where to write the picture (.png, .svg, .pdf); else out/NAME.png."
        ),
    ] = None,
    no_picture: Annotated[bool, opt.flag("--no-picture", "Write no picture.")] = False,
    dark: opt.Dark = False,
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    categorical: opt.Categorical = None,
    missing: opt.MissingShown = None,
    image_shape: opt.ImageShape = None,
    n: Annotated[int | None, typer.Option(help="Features (just-a-little-bit).")] = None,
    m: Annotated[int | None, typer.Option(help="Samples (just-a-little-bit).")] = None,
    seed: Annotated[
        int | None, typer.Option(help="Random seed (just-a-little-bit).")
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Show a data set: shape, class counts, range, sample images, class balance."""
    # named ones have no gaps, and refuse to be told about them
    known = {entry.name for entry in mercer.datasets.catalogue()}
    shown = missing or ("error" if name in known else "keep")
    table = opt.reading(label, header, drop, shown, categorical)
    dataset = _load(name, image_shape, **table, n=n, m=m, seed=seed)
    if as_json:
        if picture is not None:
            _draw(dataset, picture, dark)
        print_json(dataset.summary())
        return
    _print_facts(dataset)
    _print_balance(dataset)
    if dataset.image_shape:
        _print_images(dataset)
    if not no_picture:
        _draw_or_say_why(dataset, picture, dark)


@app.command(
    epilog="Examples:\n\n[bold]mercer data check usps[/]\n\n"
    "[bold]mercer data check zip.train.gz[/]",
)
def check(
    name: opt.DataName,
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    categorical: opt.Categorical = None,
    missing: opt.Missing = "error",
    image_shape: opt.ImageShape = None,
    as_json: opt.Json = False,
) -> None:
    """Check a data set against known checksums, sizes, class counts and ranges.

    Ends with exit code 1 if a check failed, and 2 if the data cannot be read.
    """
    table = opt.reading(label, header, drop, missing, categorical)
    dataset = _load(name, image_shape, **table)
    checks = mercer.datasets.check_dataset(dataset)
    failed = any(item.state == "failed" for item in checks)
    if as_json:
        rows = list(map(asdict, checks))
        print_json({"name": dataset.name, "ok": not failed, "checks": rows})
    else:
        for item in checks:
            line = Text(f"{item.state:<8}", _STATE_STYLES[item.state])
            out.print(line + Text(f"{item.what}: {item.detail}"), soft_wrap=True)
    if failed:
        raise typer.Exit(1)


@app.command(
    epilog="Examples:\n\n[bold]mercer data fetch usps[/]\n\n"
    "[bold]mercer data fetch mnist --force[/]",
)
def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="usps or mnist.")],
    force: Annotated[
        bool, typer.Option("--force", help="Fetch even if the data are here already.")
    ] = False,
) -> None:
    """Fetch usps or mnist from OpenML into the data folder."""
    here = [
        entry.name
        for entry in mercer.datasets.catalogue()
        if entry.origin == "data folder" and entry.available
    ]
    if name in here and not force:
        out.print(f"{name} is here already; --force fetches it again.")
        return
    path = mercer.datasets.fetch_dataset(name)
    say(f"{name} is now in {path}")


def _load(name: str, image_shape: str | None, **options: Any) -> "Dataset":
    shape = opt.parse_image_shape(image_shape)
    with warnings.catch_warnings():
        # The data set holds them too, and they are shown with the rest.
        warnings.simplefilter("ignore", UserWarning)
        return mercer.load_dataset(name, image_shape=shape, **options)


def _number(value: int | None) -> str:
    return "any" if value is None else f"{value:,}"


def _print_facts(dataset: "Dataset") -> None:
    samples, features = f"{dataset.n_samples:,}", f"{dataset.n_features:,}"
    if dataset.train is not None and dataset.test is not None:
        samples += f" ({len(dataset.train):,} train, {len(dataset.test):,} test)"
    if dataset.image_shape:
        features += " (images of {}x{})".format(*dataset.image_shape)
    sparse = "" if type(dataset.X).__module__ == "numpy" else "sparse "
    low, high = dataset.value_range
    print_facts(
        {
            "name": dataset.name,
            "samples": samples,
            "features": features,
            "values": f"{low:g} to {high:g} ({sparse}{dataset.X.dtype})",
            "gaps": _describe_gaps(dataset),
            "source": dataset.source,
            "licence": dataset.licence,
            "sha256": dataset.sha256,
            "read": "\n".join(dataset.notes) or None,
            "doubts": "\n".join(dataset.warnings) or None,
        }
    )


def _describe_gaps(dataset: "Dataset") -> str | None:
    """How many values are missing, and that a learner has to be told about them."""
    X = dataset.X
    if type(X).__module__ != "numpy" or X.dtype.kind not in "fO":
        return None
    # NaN alone is not itself; of words None stands for a gap
    missing = ((X != X) | (X == None)).sum(axis=0)  # noqa: E711
    if not missing.any():
        return None
    names = dataset.feature_names or range(1, len(missing) + 1)
    where = [f"{n} in {name}" for name, n in zip(names, missing.tolist()) if n]
    shown = ", ".join(where[:5]) + (", …" if len(where) > 5 else "")
    return f"{shown}; mercer fit takes --missing median"


def _print_balance(dataset: "Dataset", most: int = 30) -> None:
    counts = dataset.class_counts()
    names = dataset.target_names or tuple(map(str, counts))
    block = "#" if out.options.ascii_only else "█"
    largest, rows = max(counts.values()), []
    for name, (label, count) in list(zip(names, counts.items()))[:most]:
        shown = name if name == str(label) else f"{label} {name}"
        bar = Text(block * max(1, round(30 * count / largest)), "cyan")
        rows.append((shown, f"{count:,}", f"{count / dataset.n_samples:.1%}", bar))
    out.print()
    print_table(("class", "samples", "share", ""), rows, right={1, 2})
    if len(counts) > most:
        out.print(f"… and {len(counts) - most} more classes")


def _print_images(dataset: "Dataset", most: int = 10, width: int = 16) -> None:
    """Print an image of each class in blocks, side by side as the terminal allows."""
    images = []
    for label in dataset.classes[:most].tolist():
        first = int((dataset.y == label).argmax())
        images.append([str(label), *_blocks(dataset, first, width)])
    columns = max(1, out.width // (width + 2))
    for start in range(0, len(images), columns):
        out.print()
        for lines in zip(*images[start : start + columns]):
            row = "  ".join(line.ljust(width) for line in lines)
            out.print(Text(row.rstrip()), soft_wrap=True)


def _blocks(dataset: "Dataset", index: int, width: int) -> list[str]:
    """Turn one image into lines of shades, two rows of pixels to a line."""
    low, high = dataset.value_range
    row = dataset.X[[index]]
    flat = row if type(row).__module__ == "numpy" else row.toarray()
    pixels = flat.reshape(dataset.image_shape)
    rows, columns = pixels.shape
    width = min(width, columns)
    height = max(1, round(rows * width / columns / 2))
    shades = _ASCII_SHADES if out.options.ascii_only else _SHADES
    lines = []
    for i in range(height):
        band = pixels[i * rows // height : max(1, (i + 1) * rows // height)]
        line = ""
        for j in range(width):
            cell = band[:, j * columns // width : max(1, (j + 1) * columns // width)]
            ink = (float(cell.mean()) - low) / ((high - low) or 1)
            line += shades[min(len(shades) - 1, int(ink * len(shades)))]
        lines.append(line)
    return lines


def _draw(dataset: "Dataset", path: Path, dark: bool) -> None:
    import_extra("matplotlib", "report", "Drawing a picture")
    from mercer.report.data_figures import save_picture

    save_picture(dataset, path, dark)


def _draw_or_say_why(dataset: "Dataset", picture: Path | None, dark: bool) -> None:
    path = picture or Path("out") / f"{dataset.name}.png"
    try:
        _draw(dataset, path, dark)
    except MissingExtraError as error:
        if picture is not None:
            raise
        say_aside(f"No picture: {error}")
        return
    say(f"\nPicture: {path}")
