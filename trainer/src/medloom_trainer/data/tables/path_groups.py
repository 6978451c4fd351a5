"""Codes in image paths that group the files, such as `patient00012` of `patient00012/study1/view1.jpg`: a
proposal for the patient of each image. Only its form is reported, never a code. A pattern of recipes can
read the codes if it fits every path.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from medloom_trainer.data.tables.cells import image_stem, is_missing, split_series, split_slice
from medloom_trainer.data.tables.recipe.patterns import Pattern

_PERSON = re.compile(r"(?:patients?|pat|pt|subjects?|subj|sub|participants?|persons?|cases?)$", re.IGNORECASE)
_NOT_A_PERSON = re.compile(
    r"(?:study|studies|series|session|ses|visit|view|slice|frame|im|img|image|scan|fold|batch|part|site"
    r"|cent(?:er|re)|level|mag|zoom|phase|echo|run|split|set|v|x|y|z)$",
    re.IGNORECASE,
)
"""Words before a number that counts something else, such as `study1`."""
_DIGIT = re.compile(r"\d")
_Code = tuple[str, str, str]
"""(everything before the code, the word before its number, the code)."""
_DATE = re.compile(r"(?:19|20)\d{2}(?:\d{2}){0,2}")
_SEPARATOR = re.compile(r"[_\-. ()]+")
_MOST_PLACES = 12
_SAME = 0.9
"""Minimum share of the files that have the code, and of the codes that have one form."""
_MANY = 0.5
"""The same if the code is named as a person: other files may be of another source."""
_FEWEST_PERSONS = 3
_FEWEST_CODES = 10
_SHARE = 0.05
"""Fewest groups: three if they are named as persons, else ten, and one for 20 files."""
_FEWEST_REPEATS = 3
_REPEATED = 0.1
"""Fewest files beyond the first of a group: three, and a tenth of all files."""


@dataclass(frozen=True)
class PathGroups:
    """Groups of files by a code in their paths."""

    form: str
    """The code with 9 for digits: `patient99999`."""
    groups: int
    files: int
    pattern: str | None = None
    """Pattern of the paths in which `{patient}` is the code; None if no pattern fits all paths."""


def groups_in_paths(cells: Sequence[str]) -> PathGroups | None:
    """The leftmost code in the paths of image cells that groups their files; None if there is none."""
    paths = [
        path.split("/") for path in dict.fromkeys(_path_of(text) for text in cells if not is_missing(text))
    ]
    for pattern, codes in _codes_by_place(paths):
        found = _groups_of(codes, len(paths))
        if found is not None:
            return replace(found, pattern=_fitting(pattern, {code for _, _, code in codes}, cells))
    return None


def _fitting(pattern: str, codes: Collection[str], cells: Sequence[str]) -> str | None:
    """The pattern if it fits every text, and reads these codes from all but the few paths without one."""
    parser = Pattern(pattern)
    parsed = [parser.parse(text) for text in dict.fromkeys(cells) if not is_missing(text)]
    read = [found["patient"] for found in parsed if found is not None]
    fits = len(read) == len(parsed) and sum(code in codes for code in read) >= _SAME * len(read)
    return pattern if fits else None


def _path_of(cell: str) -> str:
    return split_series(split_slice(cell)[0])[0].replace("\\", "/")


def _codes_by_place(paths: Sequence[Sequence[str]]) -> Iterator[tuple[str, list[_Code]]]:
    """(pattern, codes) of each folder from the left, then of each part of the file names."""
    depth = max(map(len, paths), default=1) - 1
    for place in range(min(_MOST_PLACES, depth)):
        pattern = "/".join("{patient}" if level == place else "{_}" for level in range(depth + 1))
        yield (
            pattern,
            [
                ("/".join(path[:place]), _word_before(path[place], ""), path[place])
                for path in paths
                if len(path) > place + 1 and _DIGIT.search(path[place])
            ],
        )
    names = [
        ("/".join(path[:-1]), list(filter(None, _SEPARATOR.split(image_stem(path[-1]))))) for path in paths
    ]
    for place in range(min(_MOST_PLACES, max((len(parts) for _, parts in names), default=0))):
        yield (
            "{_}/" * depth + _pattern_of_name(paths[0][-1], place),
            [
                (folder, _word_before(parts[place], parts[place - 1] if place else ""), parts[place])
                for folder, parts in names
                if len(parts) > max(1, place) and _DIGIT.search(parts[place])
            ],
        )


def _pattern_of_name(name: str, place: int) -> str:
    """Pattern with the separators of a file name, in which `{patient}` is the part at this place."""
    stem = image_stem(name)
    signs = _SEPARATOR.findall(stem)[: place + 1]
    if len(signs) <= place:  # the code is the last part
        signs = [*signs, name[len(stem) :]]
        return "".join(f"{{_}}{sign}" for sign in signs[:-1]) + f"{{patient}}{signs[-1]}"
    return "".join(f"{{_}}{sign}" for sign in signs[:-1]) + f"{{patient}}{signs[-1]}{{_}}"


def _word_before(part: str, before: str) -> str:
    """The letters that a part begins with; of a part without letters, the part before it."""
    letters = re.match(r"[^\W\d_]*", part)
    word = letters[0] if letters else ""
    return word or (before if before.isalpha() else "")


def _groups_of(found: Sequence[_Code], num_files: int) -> PathGroups | None:
    """The groups by the codes of one place, if they can be patients."""
    if not found:
        return None
    words = Counter(word.casefold() for _, word, _ in found)
    word, count = words.most_common(1)[0]
    named = count >= _SAME * len(found) and _PERSON.search(word) is not None
    if len(found) < (_MANY if named else _SAME) * num_files:
        return None
    if sum(n for w, n in words.items() if _NOT_A_PERSON.search(w)) > (1 - _SAME) * len(found):
        return None
    codes = {code for _, _, code in found}
    groups = len({(before, code) for before, _, code in found})
    fewest = _FEWEST_PERSONS if named else max(_FEWEST_CODES, _SHARE * num_files)
    if len(codes) < fewest or len(found) - groups < max(_FEWEST_REPEATS, _REPEATED * len(found)):
        return None
    if all(_DATE.fullmatch(code) for code in codes) or _are_shards(found):
        return None
    form = _common_form(codes)
    return None if form is None else PathGroups(form, len(codes), num_files)


def _common_form(codes: Collection[str]) -> str | None:
    """The most frequent form of codes that differ only in numbers, or else in letters as well."""
    for letters in (r"(?!)", r"[^\W\d_]+"):
        short_of = {code: re.sub(r"\d+", "9", re.sub(letters, "a", code)) for code in codes}
        short, same = Counter(short_of.values()).most_common(1)[0]
        if same >= _SAME * len(codes):
            sign = r"(?!)" if letters == r"(?!)" else r"[^\W\d_]"
            forms = (re.sub(r"\d", "9", re.sub(sign, "a", code)) for code in codes if short_of[code] == short)
            return Counter(forms).most_common(1)[0][0]
    return None


def _are_shards(found: Sequence[_Code]) -> bool:
    """Return whether all codes are short and of many files, such as `p10` above `p10000032`."""
    return len(found) / len({code for _, _, code in found}) > 50 and all(
        len(re.sub(r"\D", "", code)) <= 2 for _, _, code in found
    )
