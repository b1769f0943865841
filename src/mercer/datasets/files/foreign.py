"""Files that are something else: what they are, and what to do about it."""

import re

_REFUSED = "Mercer never opens pickles, since opening one runs code; save arrays as NPZ"
_UNPACK = "unpack it first"
_TABLE = "save the table as CSV"
_AGAIN = "get the data file itself"
_PICTURE = "give the data as a table or as NPZ"

#: (first bytes, where they stand, what the file is, what to do)
_MAGIC: tuple[tuple[bytes, int, str, str], ...] = (
    (b"\x93NUMPY", 0, "a lone NumPy array without labels", "save X and y as NPZ"),
    (b"PAR1", 0, "a Parquet file", _TABLE),
    (b"ARROW1", 0, "an Arrow file", _TABLE),
    (b"FEA1", 0, "a Feather file", _TABLE),
    (b"ORC", 0, "an ORC file", _TABLE),
    (b"Obj\x01", 0, "an Avro file", _TABLE),
    (b"SQLite format 3\0", 0, "an SQLite database", _TABLE),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0, "an old Office document", _TABLE),
    (b"MATLAB ", 0, "a MATLAB file", "save X and y as NPZ or CSV"),
    (b"RDX", 0, "an R workspace", _TABLE),
    (b"\x89PNG\r\n\x1a\n", 0, "a PNG picture", _PICTURE),
    (b"\xff\xd8\xff", 0, "a JPEG picture", _PICTURE),
    (b"GIF8", 0, "a GIF picture", _PICTURE),
    (b"II*\0", 0, "a TIFF picture", _PICTURE),
    (b"MM\0*", 0, "a TIFF picture", _PICTURE),
    (b"RIFF", 0, "a sound, video or WebP file", _PICTURE),
    (b"%PDF", 0, "a PDF document", _AGAIN),
    (b"\xfd7zXZ\0", 0, "an xz archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", 0, "a Zstandard archive", _UNPACK),
    (b"7z\xbc\xaf\x27\x1c", 0, "a 7-Zip archive", _UNPACK),
    (b"Rar!\x1a\x07", 0, "a RAR archive", _UNPACK),
    (b"\x04\x22\x4d\x18", 0, "an LZ4 archive", _UNPACK),
    (b"\x1f\x9d", 0, "a file packed with compress", _UNPACK),
    (b"ustar", 257, "a tar archive", _UNPACK),
    (b"\x7fELF", 0, "a program", _AGAIN),
    (b"MZ\x90\0", 0, "a Windows program", _AGAIN),
    (b"x\x01", 0, "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"x\x9c", 0, "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"x\xda", 0, "a zlib stream, as joblib packs pickles", _REFUSED),
    (b"\xff\xfe", 0, "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", 0, "text in UTF-16", "save it as UTF-8"),
)

#: (pattern at the start of a text, what the file is, what to do)
_TEXT: tuple[tuple[bytes, str, str], ...] = (
    (
        rb"version https://git-lfs",
        "a Git LFS pointer and not the data it points to",
        "run git lfs pull",
    ),
    (
        rb"[./]*(git/)?annex/objects/",
        "a git-annex pointer and not the data it points to",
        "run git annex get",
    ),
    (
        rb"(?i)<(!doctype html|html|head|body|!--)",
        "an HTML page, perhaps the error page of a download",
        _AGAIN,
    ),
    (rb"<\?xml|<svg", "an XML document", _TABLE),
    (rb"[{\[]\s*([\"{\[}\]]|-?\d)", "a JSON document", _TABLE),
    (rb"(?i)(%[^\n]*\n\s*)*@relation", "an ARFF file", _TABLE),
    (rb"{\\rtf", "an RTF document", _TABLE),
    (rb"#!", "a script", _AGAIN),
    (rb"(import|from) [a-z]\w*|def \w+\(", "a Python program", _AGAIN),
)

_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
_OLD_PICKLE = re.compile(rb"\(?[ldt]p\d|c[\w.]+\n[\w.]+\n|[\]}(]q")


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
    for magic, offset, what, advice in _MAGIC:
        # A table may well begin with a column called PAR1.
        if data.startswith(magic, offset) and (binary or not magic.isalnum()):
            return f"this is {what}; {advice}."
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
