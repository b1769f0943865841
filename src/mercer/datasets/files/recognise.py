"""Which format a file has, by its content and not by its name.

A file that is something else is told what it is, and its owner what to do about it.
"""

import io
import re
import zipfile

from mercer.datasets.files.content import Content

_HDF5 = b"\x89HDF\r\n\x1a\n"
_IDX = re.compile(rb"\0\0[\x08\x09\x0b\x0c\x0d\x0e][\x01-\x08]", re.DOTALL)
_PAIR = re.compile(r"[^\s:,;]+(?:\s+qid:\d+)?\s+[-+]?[\w.]+:\S*")

_REFUSED = "Mercer never opens pickles, since opening one runs code; save arrays as NPZ"
_UNPACK = "unpack it first"
_TABLE = "save the table as CSV"
_AGAIN = "get the data file itself"
_PICTURE = "give the data as a table or as NPZ"
_POINTER = "pointer and not the data it points to"
_HTML = "an HTML page, perhaps the error page of a download"

#: (first bytes, what the file is, what to do)
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x93NUMPY", "a lone NumPy array without labels", "save X and y as NPZ"),
    (b"PAR1", "a Parquet file", _TABLE),
    (b"ARROW1", "an Arrow file", _TABLE),
    (b"FEA1", "a Feather file", _TABLE),
    (b"ORC", "an ORC file", _TABLE),
    (b"Obj\x01", "an Avro file", _TABLE),
    (b"SQLite format 3\0", "an SQLite database", _TABLE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document", _TABLE),
    (b"MATLAB ", "a MATLAB file", "save X and y as NPZ or CSV"),
    (b"RDX", "an R workspace", _TABLE),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture", _PICTURE),
    (b"\xff\xd8\xff", "a JPEG picture", _PICTURE),
    (b"GIF8", "a GIF picture", _PICTURE),
    (b"II*\0", "a TIFF picture", _PICTURE),
    (b"MM\0*", "a TIFF picture", _PICTURE),
    (b"RIFF", "a sound, video or WebP file", _PICTURE),
    (b"%PDF", "a PDF document", _AGAIN),
    (b"\xfd7zXZ\0", "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"\x04\x22\x4d\x18", "an LZ4 archive", _UNPACK),
    (b"\x1f\x9d", "a file packed with compress", _UNPACK),
    (b"\x7fELF", "a program", _AGAIN),
    (b"MZ\x90\0", "a Windows program", _AGAIN),
    (b"x\x01", "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"x\x9c", "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"x\xda", "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
)

#: (pattern at the start of a text, what the file is, what to do)
_TEXT: tuple[tuple[bytes, str, str], ...] = (
    (rb"version https://git-lfs", f"a Git LFS {_POINTER}", "run git lfs pull"),
    (rb"[./]*(git/)?annex/objects/", f"a git-annex {_POINTER}", "run git annex get"),
    (rb"(?i)<(!doctype html|html|head|body|!--)", _HTML, _AGAIN),
    (rb"<\?xml|<svg", "an XML document", _TABLE),
    (rb"[{\[]\s*([\"{\[}\]]|-?\d)", "a JSON document", _TABLE),
    (rb"(?i)(%[^\n]*\n\s*)*@relation", "an ARFF file", _TABLE),
    (rb"{\\rtf", "an RTF document", _TABLE),
    (rb"#!", "a script", _AGAIN),
    (rb"(import|from) [a-z]\w*|def \w+\(", "a Python program", _AGAIN),
)

_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
_OLD_PICKLE = re.compile(rb"\(?[ldt]p\d|c[\w.]+\n[\w.]+\n|[\]}(]q")


def recognise(content: Content) -> str:
    """Name the format ("hdf5", "npz", "idx", "svmlight", "table"), or say what it is.

    >>> from pathlib import Path
    >>> recognise(Content(Path("a.csv"), b"+1 3:0.5 7:1"))
    'svmlight'
    """
    data = content.data
    # An HDF5 file may begin with a user block, whose size is a power of two.
    if any(data.startswith(_HDF5, offset) for offset in (0, 512, 1024, 2048)):
        return "hdf5"
    if data[:4] in (b"PK\x03\x04", b"PK\x05\x06"):
        return _recognise_archive(content)
    if _IDX.match(data):
        return "idx"
    if sentence := describe_foreign(data):
        raise content.bad(sentence)
    if has_control_characters(data):
        raise content.bad(
            "this is a binary file of a kind that Mercer does not know; it reads "
            "HDF5, NPZ, IDX, LIBSVM and CSV or other text tables."
        )
    return "svmlight" if _looks_like_svmlight(data) else "table"


def _recognise_archive(content: Content) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError):
        raise content.bad(
            "the NPZ or zip file is cut short or damaged; get it again."
        ) from None
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    raise content.bad(describe_archive(names))


def _looks_like_svmlight(data: bytes) -> bool:
    start = data[:65536].decode("utf-8-sig", errors="replace")
    lines = [line for line in start.splitlines() if line.strip() and line[0] != "#"]
    return any(_PAIR.match(line.strip()) for line in lines[:20])


def has_control_characters(data: bytes) -> bool:
    """Tell binary data from text by its beginning."""
    return _CONTROL.search(data, 0, 65536) is not None


def is_pickle(data: bytes) -> bool:
    r"""Tell a pickle of any protocol by its first bytes.

    >>> import pickle
    >>> [is_pickle(pickle.dumps({"x": 1}, protocol)) for protocol in range(6)]
    [True, True, True, True, True, True]
    >>> is_pickle(b"class\n1\n0\n")
    False
    """
    if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return True
    return data[-1:] == b"." and _OLD_PICKLE.match(data) is not None


def describe_foreign(data: bytes) -> str | None:
    """Say what a file is that is no data file, and what to do; None if unknown."""
    if is_pickle(data):
        return f"this is a pickle file; {_REFUSED}."
    binary = has_control_characters(data)
    for magic, what, advice in _MAGIC:
        # A table may well begin with a column called PAR1.
        if data.startswith(magic) and (binary or not magic.isalnum()):
            return f"this is {what}; {advice}."
    if binary and data.startswith(b"ustar", 257):
        return f"this is a tar archive; {_UNPACK}."
    start = data[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    for pattern, what, advice in _TEXT:
        if re.match(pattern, start):
            return f"this is {what}; {advice}."
    return None


def describe_archive(names: list[str]) -> str:
    """Say what a zip archive is that is no NPZ file, and what to do.

    >>> describe_archive(["[Content_Types].xml", "xl/workbook.xml"])
    'this is an Excel workbook; save the table as CSV.'
    """
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        return f"this is an archive with a pickle in it, as PyTorch saves; {_REFUSED}."
    if any(name.startswith("xl/") for name in names):
        return f"this is an Excel workbook; {_TABLE}."
    if any(name.startswith("word/") for name in names):
        return f"this is a Word document; {_TABLE}."
    if not names:
        return "this is an empty zip archive; get it again."
    return f"this is a zip archive with {names[0]} in it; {_UNPACK}."
