"""Choice of the positive one of two classes, to which sensitivity and PPV refer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from difflib import get_close_matches
from typing import NamedTuple

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError

_NEGATORS = frozenset({"no", "non", "not", "without", "never", "absence", "lack"})
"""First words that negate the rest: "no cancer", "non-covid", but also "not normal"."""
_FOREIGN_NEGATORS = frozenset(
    {"kein", "keine", "keinen", "keiner", "keines", "ohne", "nicht", "sans", "aucun", "aucune", "pas",
     "absent", "sin", "ningún", "ninguna", "ausencia", "sem", "nenhum", "nenhuma", "ausência", "senza",
     "nessun", "nessuno", "nessuna", "assenza", "geen", "zonder", "niet", "ingen", "inga", "inget", "intet",
     "utan", "uten", "uden", "inte", "ikke", "bez", "brak", "nie", "без", "нет", "не"}
)  # fmt: skip
"""The same in other languages: "ohne Rezidiv", "sin tumor"."""
_NEGATING_SIGNS = re.compile(r"(?:没有|無し|未见|未見|不伴|[无無未非])(?=.)")
_NEGATED = re.compile(r".+(?:阴性|陰性|음성|なし|無し|ない|없음|frei)", re.DOTALL)
"""Signs before and after what they negate, such as 无肿瘤 and 転移なし; and "rezidivfrei"."""
_LESSER = frozenset({"low", "lower", "minus"})
"""First words of the lower one of two: "low risk"."""
_NEGATIVE = frozenset(
    {"negative", "neg", "normal", "benign", "healthy", "control", "controls", "unaffected", "unremarkable",
     "absent", "none", "free", "alive", "survived", "survivor"}
)  # fmt: skip
"""Words that mark the negative class in any position: "covid negative", "healthy control"."""
_NEGATIVE_NAMES = frozenset(
    {"0", "-1", "n", "false", "-", "cn", "hc", "nc", "nv", "nevus", "naevus", "nevi", "unlikely",
     "nein", "non", "nee", "nej", "nei", "não", "nao", "нет", "否", "无", "いいえ", "なし", "아니오", "없음",
     "阴性", "陰性", "음성", "正常", "良性", "gutartig", "bénin", "bénigne", "benigno", "benigna",
     "unauffällig", "gesund", "sain", "sano", "lebend"}
)  # fmt: skip
"""Whole names of negative classes: "CN" of AD and CN is cognitively normal, "nv" of mel and nv a nevus."""
_POSITIVE_NAMES = frozenset(
    {"+", "y", "yes", "true", "positive", "pos", "malignant", "cancer", "disease", "diseased", "case",
     "abnormal", "present", "dead", "died", "deceased", "event", "sick", "ill",
     "ja", "oui", "sí", "si", "sì", "sim", "да", "是", "有", "はい", "あり", "예", "있음",
     "阳性", "陽性", "양성", "恶性", "bösartig", "malin", "maligne", "maligno", "maligna", "verstorben",
     "krank"}
)  # fmt: skip
"""In the languages of hospitals that publish data: English, German, French, Spanish, Portuguese, Italian,
Dutch, Swedish, Russian, Chinese, Japanese, Korean."""
_PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)")


class ClassOrder(NamedTuple):
    """Classes of a label in the order of the outputs of the network."""

    classes: tuple[str, ...]
    """The positive one of two classes is last."""
    assumed: bool
    """Only size or alphabetical order chose the positive class."""


def order_classes(names: Iterable[str], positive: str | None, column: str) -> ClassOrder:
    """Numbers by size, texts alphabetically; of two classes the last is `positive`, or else the one without a
    negation.

    LABEL_INVALID, with the nearest name, if `positive` is not among the classes, or if there are not two.
    """
    ordered = _sorted(names)
    if positive is not None:
        chosen = _find(positive, ordered, column)
        return ClassOrder((*(name for name in ordered if name != chosen), chosen), False)
    if len(ordered) != 2:
        return ClassOrder(tuple(ordered), False)
    negative = [_is_negative(name) for name in ordered]
    if all(negative):  # "low" and "normal": normal is the negative one, whatever the other name
        lesser = [_is_lesser(name) for name in ordered]
        negative = [not one for one in lesser] if lesser[0] != lesser[1] else negative
    if negative[0] == negative[1]:
        is_positive = [name.casefold() in _POSITIVE_NAMES for name in ordered]
        negative = [not one for one in is_positive]
    if negative[1] and not negative[0]:
        ordered.reverse()
    return ClassOrder(tuple(ordered), negative[0] == negative[1])


def comparable_name(name: str) -> str:
    """The same text for all spellings of one class: `Yes`, `yes ` and `YES`."""
    return " ".join(name.split()).casefold()


def _sorted(names: Iterable[str]) -> list[str]:
    distinct = set(names)
    try:
        return sorted(distinct, key=lambda name: (float(name), name))
    except ValueError:
        return sorted(distinct)


def _find(positive: str, classes: Sequence[str], column: str) -> str:
    chosen = next((name for name in classes if comparable_name(name) == comparable_name(positive)), None)
    if chosen is None and all(_PLAIN_NUMBER.fullmatch(name) for name in (positive, *classes)):
        chosen = next((name for name in classes if Decimal(name) == Decimal(positive)), None)
    if chosen is None:
        near = get_close_matches(
            comparable_name(positive), [comparable_name(name) for name in classes], n=1, cutoff=0.5
        )
        similar = next((name for name in classes if near and comparable_name(name) == near[0]), None)
        value = positive[:80]
        message = (
            phrase("not_a_class_similar", value=value, column=column, near=similar)
            if similar
            else phrase("not_a_class", value=value, column=column, classes=_quoted(classes))
        )
        raise TrainerError("LABEL_INVALID", message)
    if len(classes) != 2:
        message = phrase("positive_needs_two", column=column, classes=str(len(classes)))
        raise TrainerError("LABEL_INVALID", message, phrase("remove_positive_class"))
    return chosen


def _is_negative(name: str) -> bool:
    if name.strip().casefold() in _NEGATIVE_NAMES:
        return True
    folded = name.strip().casefold()
    if found := _NEGATING_SIGNS.match(folded):
        return folded[found.end() :] not in _NEGATIVE_NAMES
    if _NEGATED.fullmatch(folded):
        return True
    words = _words(name)
    if not words:
        return False
    first, rest = words[0], words[1:]
    if first in _NEGATORS or first in _FOREIGN_NEGATORS:
        return not any(word in _NEGATIVE for word in rest)
    return first in _LESSER or any(word in _NEGATIVE or word in _NEGATORS for word in words)


def _is_lesser(name: str) -> bool:
    """Decided only by its first word: "low risk", but not "low grade benign"."""
    words = _words(name)
    other = _NEGATIVE | _NEGATORS
    return bool(words) and words[0] in _LESSER and other.isdisjoint(words)


def _words(name: str) -> list[str]:
    """ "NoFinding" is two words, "CN" is one."""
    return [word.casefold() for word in re.findall(r"[A-Z]*[^\W\d_A-Z]+|[A-Z]+|\d+", name)]


def _quoted(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name[:40]}"' for name in names[:10])
    return f"{shown} and others" if len(names) > 10 else shown
