"""One form for each text: equal-looking texts are equal, in tables and in file names.

`é` has two forms in Unicode (one character, or `e` with an accent), and text from web pages and spreadsheets
contains invisible characters and several kinds of spaces. Compared as they are, one class becomes four, and a
patient in two splits is not found.
"""

from __future__ import annotations

import os
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

_INVISIBLE = dict.fromkeys(
    (
        *(0x200B, 0x2060, 0xFEFF, 0x00AD, 0x180E, 0xFE0E, 0xFE0F),
        *(0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
        *(*range(0x01, 0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0)),
    )
)
"""Zero-width spaces, byte-order mark, soft hyphen, variation selectors; direction marks; control characters
other than line ends, tabs and NUL, which readers refuse. Joiners (U+200C, U+200D) remain: they belong to
words of Persian and Hindi."""
_SPACES = dict.fromkeys((0x0B, 0x0C, 0x00A0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), " ")
_VISIBLE = _INVISIBLE | _SPACES
_ALIKE = {0x2010: "-", 0x2011: "-"} | {
    code: chr(code - 0xFEE0)
    for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
}
"""Hyphens, and full-width digits and letters."""
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
_MU = re.compile(rf"(?<![{_GREEK}])\u03bc(?![{_GREEK}])")
"""The Greek letter where it stands for micro, as in `μg`, which has a character of its own."""
_AT_THE_ENDS = " \t\r\n\v\f\u200c\u200d"


def plain_text(text: str) -> str:
    """The text of a cell or a file as in `visible_text`, with one character of those that look alike:
    hyphens, letters and digits of full width, and the micro sign."""
    if _is_plain_ascii(text):
        return text.strip()
    return _MU.sub("\u00b5", visible_characters(text).translate(_ALIKE)).strip(_AT_THE_ENDS)


def visible_text(text: str) -> str:
    """The text in Unicode's composed form (NFC) with plain spaces, without invisible characters, and without
    blanks at its ends. Names of columns keep their other characters, because configurations name them."""
    return text.strip() if _is_plain_ascii(text) else visible_characters(text).strip(_AT_THE_ENDS)


def are_plain_texts(texts: list[str]) -> bool:
    """Return whether `plain_text` leaves all texts as they are; a quick answer for texts in ASCII only."""
    return all(map(_is_plain_ascii, texts)) and texts == list(map(str.strip, texts))


def visible_characters(text: str) -> str:
    """As `visible_text`, but with the blanks at its ends: for parts of texts."""
    return text if _is_plain_ascii(text) else unicodedata.normalize("NFC", text.translate(_VISIBLE))


def _is_plain_ascii(text: str) -> bool:
    return text.isascii() and text.isprintable()


def existing_path(path: str | os.PathLike[str]) -> Path:
    """The path with each name in the form in which it exists on disk, and with / for backslashes of Windows;
    unchanged if it exists or does not exist in any form."""
    asked = Path(path)
    if os.sep == "/" and "\\" in str(asked) and not os.path.lexists(asked):
        slashed = existing_path(str(asked).replace("\\", "/"))
        return slashed if os.path.lexists(slashed) else asked
    if os.path.lexists(asked):
        return asked
    found = Path(asked.anchor)
    for name in asked.parts[1 if asked.anchor else 0 :]:
        found /= name if os.path.lexists(found / name) else _names_in(found).get(plain_text(name), name)
    return found if os.path.lexists(found) else asked


def _names_in(folder: Path) -> dict[str, str]:
    """Plain form → name on disk, of the names of a folder that are not ASCII."""
    try:
        return _listed(str(folder), os.stat(folder).st_mtime_ns)
    except (OSError, ValueError):  # ValueError: a NUL character
        return {}


@lru_cache(maxsize=64)
def _listed(folder: str, changed: int) -> dict[str, str]:
    """changed: the time of the last change of the folder, so that new files are found."""
    return {plain_text(name): name for name in os.listdir(folder) if not name.isascii()}
