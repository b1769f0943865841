"""Text files: from bytes to lines."""

from mercer.datasets.files.content import Content
from mercer.datasets.files.samples import bad_file


def decode(content: Content) -> str:
    """Decode UTF-8, with or without a byte order mark; line ends become newlines."""
    try:
        text = content.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.data.count(b"\n", 0, error.start) + 1
        raise bad_file(
            content.path, f"line {line} is not UTF-8 text; save the file as UTF-8."
        ) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text
