"""Texts that may mean a missing or uncertain value. They are read as values until a recipe lists them
(docs/guides/reading-data.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = frozenset(
    {"unknown", "unk", "undetermined", "indeterminate", "indetermined", "uncertain", "unclear",
     "unspecified", "unavailable", "unevaluable", "unassessable", "equivocal", "inconclusive", "missing",
     "no data", "no information", "no info", "no answer", "no response",
     "refused", "invalid", "declined to answer",
     "dont know", "do not know", "dk", "prefer not to answer", "prefer not to say", "cannot be determined",
     "cannot be assessed", "nd", "n/d", "nr", "n/r", "tbd", "pending", "other/unknown", "u", "nos", "na",
     "unbekannt", "unklar", "unbestimmt", "fehlend", "fehlt", "ka", "keine angabe", "keine angaben",
     "weiß nicht", "weiss nicht", "inconnu", "inconnue", "indéterminé", "manquant", "non renseigné",
     "non précisé", "ne sait pas", "desconocido", "desconocida", "ignorado", "sin datos", "no sabe",
     "no disponible", "desconhecido", "sem informação", "sconosciuto", "non noto", "onbekend", "niet bekend",
     "okänd", "okänt", "ukjent", "ukendt", "nieznany", "brak danych", "неизвестно", "нет данных",
     "未知", "不详", "不明", "未查", "未检", "缺失", "不确定", "无法判断", "无数据", "불명", "모름", "미상"}
)  # fmt: skip
_NOT = re.compile(
    r"(?:not|non|nicht) (?:available|collected|done|assessed|assessable|evaluated|evaluable|reported"
    r"|applicable|known|specified|determined|given|recorded|documented|tested|performed|measured|stated|answered"
    r"|provided|examined|bekannt|erhoben|verfügbar|beurteilbar|angegeben|untersucht|bestimmt|durchgeführt)"
)
_MARKS = re.compile(r"-{1,3}|\u2013|\.{1,3}|\.[a-z]|_+")
"""`-` and `.`; the missing values of SAS and Stata: `.a` to `.z`."""
_HAS_MEANING = {"-": "+", "nr": "r", "n/r": "r", "nd": "d"}
"""A text → another one that gives it a meaning of its own: NR beside R is "not reactive"."""
_SHORT, _FEW = 2, 3
"""`U`, `ND` and `DK` are abbreviations of something else among many texts."""


def missing_words(texts: Iterable[str]) -> list[str]:
    """The texts of a column that may mean a missing or uncertain value."""
    every = list(dict.fromkeys(texts))
    words = [text for text in every if _is_missing_word(text)]
    others = {text.strip().casefold() for text in every if text not in words} if words else set()
    return [text for text in words if not _has_meaning(text, others)]


def _is_missing_word(text: str) -> bool:
    plain = text.strip().casefold()
    if _MARKS.fullmatch(plain):
        return True
    words = _words(plain)
    return words in _WORDS or _NOT.fullmatch(words) is not None or _is_alternative(words)


def _has_meaning(text: str, others: set[str]) -> bool:
    plain = text.strip().casefold()
    short = len(plain) <= _SHORT and not _MARKS.fullmatch(plain)
    return _HAS_MEANING.get(plain) in others or (short and len(others) > _FEW)


def _is_alternative(words: str) -> bool:
    """`unknown/not reported`, `other or unknown`."""
    parts = re.split(r" ?/ ?| or | oder ", words)
    return len(parts) > 1 and all(part == "other" or part in _WORDS or _NOT.fullmatch(part) for part in parts)


def _words(plain: str) -> str:
    """`[Not_Available]` → "not available", `n.a.` → "na"."""
    bare = plain.strip("[](){}<>* ").replace(".", "").replace("\u2019", "'").replace("'", "")
    return " ".join(re.split(r"[\s_\-]+", bare)).strip()
