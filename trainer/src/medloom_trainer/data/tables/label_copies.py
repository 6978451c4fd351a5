"""Columns that copy the label, or the event of survival, in another coding, or nearly copy it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from medloom_trainer.data.tables.cells import missing_mask, present_texts
from medloom_trainer.data.tables.class_order import comparable_name
from medloom_trainer.data.tables.column_texts import coded
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.numbers import is_like_number

_FEWEST_CLASSES = (2, 3)
"""Minimum number of classes: of any label, and of one with general answers, such as yes and no."""
_MOST_TEXTS = 100
_SHARED = 0.8
"""Minimum share of the texts of a second reading that are classes of the label."""
_SUBSTANTIAL = 0.6
"""Minimum kappa of a second reading: "substantial" agreement of two readers."""
Answers = Sequence[str | None]
Patients = npt.NDArray[np.int64] | None
"""(N,) number of the patient of each row; None: each row is a patient."""

_MOST_VALUES = 20
_FEWEST = 5
_FEWEST_IN_ALL = 20
_COMMON = 0.95
"""A copy has at most twenty values and twenty patients, nearly all of them with a value that five patients or
more have: fewer agree by chance."""
_AGREEMENT = 0.95
_BEYOND_CHANCE = 0.8
"""Minimum share of the cases in which a near copy agrees, and of those that the most frequent answer does not
get right: "almost perfect" agreement of two readers."""


def answers_of(texts: Sequence[str], *, flags: bool) -> list[str | None]:
    """The answers of a label or event in one spelling; None if a text is missing, or neither yes nor no."""
    answer_of = {text: comparable_name(text) for text in present_texts(texts)}
    if flags:
        answer_of = {text: str(flag) for text in answer_of if (flag := flag_of(text)) is not None}
    return list(map(answer_of.get, texts))


def is_copy(texts: Sequence[str], answers: Answers, patients: Patients) -> bool:
    """Return whether a column determines the answers, as a second coding or a later outcome does, or follows
    from them, as a coarser class or a column of a one-hot group does."""
    values = _few_values(texts)
    if values is None:
        return False
    return _determines(values, answers, patients) or _determines(answers, values, patients)


def is_second_reading(texts: Sequence[str], labels: Sequence[str]) -> bool:
    """Return whether a column has the classes of the label, hardly any other text, and agrees with the label
    beyond chance, as a second reader does. Answers such as yes and no, or 0 and 1, are those of any
    question."""
    classes = {comparable_name(text) for text in present_texts(labels)}
    if not _FEWEST_CLASSES[0] <= len(classes) <= _MOST_VALUES:
        return False
    if all(map(_is_general, classes)) and len(classes) < _FEWEST_CLASSES[1]:
        return False
    found = present_texts(texts)
    if len(found) > _MOST_TEXTS or not classes <= {comparable_name(text) for text in found}:
        return False
    read, given = answers_of(texts, flags=False), answers_of(labels, flags=False)
    pairs = [pair for pair in zip(read, given, strict=True) if None not in pair]
    shared = [one for one, _ in pairs if one in classes]
    if len(pairs) < _FEWEST_IN_ALL or len(shared) < _SHARED * len(pairs):
        return False
    equal = sum(one == other for one, other in pairs) / len(pairs)
    counts = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(counts[0][name] * counts[1][name] for name in classes) / len(pairs) ** 2
    return chance < 1 and (equal - chance) / (1 - chance) >= _SUBSTANTIAL


def _is_general(text: str) -> bool:
    return flag_of(text) is not None or is_like_number(text)


def number_answers(answers: Answers) -> npt.NDArray[np.int64]:
    """(N,) number of each answer; -1 if there is none."""
    known = dict.fromkeys(answer for answer in answers if answer is not None)
    numbers: dict[str | None, int] = {None: -1} | {answer: number for number, answer in enumerate(known)}
    return np.array([numbers[answer] for answer in answers], dtype=np.int64)


def agreement(texts: Sequence[str], answers: npt.NDArray[np.int64], patients: Patients) -> float | None:
    """Share of the cases in which a column with the values of a second reading, in any coding, gives the
    answer; None if it is not nearly all of them. answers: (N,) as `number_answers`."""
    share = _agreement(_cross_table(texts, answers, None))
    if share is None or patients is None:
        return share
    return _agreement(_cross_table(texts, answers, patients))


def _agreement(table: npt.NDArray[np.int64]) -> float | None:
    common = table[table.sum(axis=1) >= _FEWEST]
    cases = common.sum()
    if cases < max(_FEWEST_IN_ALL, _COMMON * table.sum()):
        return None
    by_answer = common.sum(axis=0)
    frequent = np.flatnonzero(by_answer >= _FEWEST).tolist()
    if len(frequent) < 2 or {*frequent} != {*common.argmax(axis=1).tolist()}:
        return None
    share, largest = common.max(axis=1).sum() / cases, by_answer.max() / cases
    agrees = share >= _AGREEMENT and share - largest >= _BEYOND_CHANCE * (1 - largest)
    return float(share) if agrees else None


def _few_values(texts: Sequence[str]) -> list[str | None] | None:
    present = set(present_texts(texts))
    return None if len(present) > _MOST_VALUES else [text if text in present else None for text in texts]


def _cross_table(
    texts: Sequence[str], answers: npt.NDArray[np.int64], patients: Patients
) -> npt.NDArray[np.int64]:
    """(values, answers) number of patients; empty if there are too many values or answers."""
    distinct, codes = coded(texts)
    size = int(answers.max(initial=-1)) + 1
    if len(distinct) > _MOST_VALUES + 1 or not 1 < size <= _MOST_VALUES:
        return np.zeros((0, 2), dtype=np.int64)
    known = ~missing_mask(texts) & (answers >= 0)
    cells = codes[known].astype(np.int64) * size + answers[known]
    if patients is not None:
        of_patients = np.unique(np.stack([cells, patients[known]]), axis=1)
        cells = of_patients[0]
    return np.bincount(cells, minlength=len(distinct) * size).reshape(len(distinct), size)


def _determines(causes: Answers, effects: Answers, patients: Patients) -> bool:
    """Return whether each value of the first column occurs with one value of the second, in enough
    patients."""
    effect_of: dict[str, str] = {}
    seen: dict[str, set[int]] = {}
    whose = range(len(causes)) if patients is None else patients.tolist()
    for cause, effect, patient in zip(causes, effects, whose, strict=True):
        if cause is None or effect is None:
            continue
        if effect_of.setdefault(cause, effect) != effect or len(effect_of) > _MOST_VALUES:
            return False
        seen.setdefault(cause, set()).add(patient)
    counts = {cause: len(found) for cause, found in seen.items()}
    common = {cause: count for cause, count in counts.items() if count >= _FEWEST}
    enough = sum(counts.values()) >= _FEWEST_IN_ALL and sum(common.values()) >= _COMMON * sum(counts.values())
    return enough and len({effect_of[cause] for cause in common}) > 1
