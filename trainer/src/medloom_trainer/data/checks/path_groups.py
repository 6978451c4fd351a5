"""Codes in image paths that group the files, such as `patient00012` of `patient00012/study1/view1.jpg`: a
proposal for the patient of each image. Only its form is reported, never a code.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.tables import Table, image_stem, is_missing, split_series, split_slice
from medloom_trainer.warnings import Warnings, warning

_PERSON = re.compile(r"(?:patients?|pat|pt|subjects?|subj|sub|participants?|persons?|cases?)$", re.IGNORECASE)
_NOT_A_PERSON = re.compile(
    r"(?:study|studies|series|session|ses|visit|view|slice|frame|im|img|image|scan|fold|batch|part|site"
    r"|cent(?:er|re)|level|mag|zoom|phase|echo|run|split|set|v|x|y|z)$",
    re.IGNORECASE,
)
"""Words before a number that counts something else, such as `study1`."""
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


def groups_in_paths(cells: Sequence[str]) -> PathGroups | None:
    """The leftmost code in the paths of image cells that groups their files; None if there is none."""
    paths = list(dict.fromkeys(_path_of(text) for text in cells if not is_missing(text)))
    places: dict[tuple[int, int], list[tuple[str, str, str]]] = defaultdict(list)
    for path in paths:
        for place, code in _codes_of(path):
            places[place].append(code)
    for place in sorted(places):
        found = _groups_of(places[place], len(paths))
        if found is not None:
            return found
    return None


def warn_path_groups(table: Table, images: Sequence[str]) -> Warnings:
    """PATIENTS_IN_PATHS for the first image column whose paths contain such a code."""
    for column in images:
        found = groups_in_paths(table.cells[column])
        if found is not None:
            message = phrase(
                "patients_in_paths",
                column=column,
                form=found.form,
                files=found.files,
                groups=found.groups,
            )
            return [warning("PATIENTS_IN_PATHS", message)]
    return []


def _path_of(cell: str) -> str:
    return split_series(split_slice(cell)[0])[0].replace("\\", "/")


def _codes_of(path: str) -> Iterator[tuple[tuple[int, int], tuple[str, str, str]]]:
    """((place of a folder, 0) or (last place, place in the file name), (everything before the code, word
    before its number, code)) of each part of a path that contains a digit."""
    *folders, name = path.split("/")
    for place, folder in enumerate(folders[:_MOST_PLACES]):
        if any(sign.isdigit() for sign in folder):
            yield (place, 0), ("/".join(folders[:place]), _word_before(folder, ""), folder)
    before = ""
    parts = [part for part in _SEPARATOR.split(image_stem(name)) if part]
    for place, part in enumerate(parts[:_MOST_PLACES]):
        if any(sign.isdigit() for sign in part) and len(parts) > 1:
            yield (_MOST_PLACES, place), ("/".join(folders), _word_before(part, before), part)
        before = part


def _word_before(part: str, before: str) -> str:
    """The letters that a part begins with; of a part without letters, the part before it."""
    letters = re.match(r"[^\W\d_]*", part)
    word = letters[0] if letters else ""
    return word or (before if before.isalpha() else "")


def _groups_of(found: Sequence[tuple[str, str, str]], num_files: int) -> PathGroups | None:
    """The groups by the codes of one place, if they can be patients."""
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


def _are_shards(found: Sequence[tuple[str, str, str]]) -> bool:
    """Return whether all codes are short and of many files, such as `p10` above `p10000032`."""
    return len(found) / len({code for _, _, code in found}) > 50 and all(
        len(re.sub(r"\D", "", code)) <= 2 for _, _, code in found
    )
