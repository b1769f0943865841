"""What is published: a whole source archive, and a page whose links lead somewhere."""

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: what git alone needs
FOR_GIT = {".gitignore", ".gitattributes"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The source archive, as a folder."""
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.tar.gz")
    with tarfile.open(path) as packed:
        packed.extractall(folder, filter="data")
    return folder / path.name.removesuffix(".tar.gz")


def test_the_source_archive_is_complete(archive):
    listed = subprocess.run(
        ["git", "ls-files", "--cached"], cwd=ROOT, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("this is no git repository")
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    packed = {str(p.relative_to(archive)) for p in archive.rglob("*") if p.is_file()}
    assert not tracked - packed - FOR_GIT
    assert {"PKG-INFO", "pyproject.toml", "tests/naive.py", "docs/svm.md"} <= packed


def test_the_wheel_has_what_is_shown(archive, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=archive, check=True, capture_output=True)
    (path,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(path).namelist())
    package = ROOT / "src" / "mercer"
    for folder in (package / "web" / "page", package / "web" / "templates"):
        names = {f"mercer/{file.relative_to(package)}" for file in folder.iterdir()}
        assert len(names) >= 4
        assert not names - packed
    assert {f"mercer/report/{name}.html" for name in ("base", "macros")} <= packed


def test_the_page_of_the_package_has_links_that_lead_somewhere(archive):
    metadata, _, page = (archive / "PKG-INFO").read_text("utf-8").partition("\n\n")
    urls = dict(re.findall(r"^Project-URL: (\w+), (\S+)$", metadata, re.M))
    assert set(urls) >= {"Homepage", "Documentation", "Changelog", "Issues"}
    assert "Description-Content-Type: text/markdown" in metadata
    assert page.startswith("# Mercer")
    links = re.findall(r"\]\(([^)]+)\)", page)
    home = f"{urls['Homepage']}/blob/main/"
    own = [link.removeprefix(home) for link in links if link.startswith(home)]
    assert len(own) >= 8
    assert all(link.startswith(("https://", "#")) for link in links)
    for link in [*own, urls["Changelog"].removeprefix(home)]:
        assert (archive / link.partition("#")[0]).exists(), link
