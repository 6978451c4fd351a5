"""Whether the values of a column name splits, whatever the name of the column: `Fold` with train and eval."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medloom_trainer.data.tables.column_names import SPLIT_WORDS, SPLITS, plain_name
from medloom_trainer.data.tables.column_texts import counted

_TRAINING = frozenset(
    {word for word, split in SPLIT_WORDS.items() if split == "train"}
    | {"derivation", "discovery", "development", "entwicklung", "训练"}
)
_OTHERS = frozenset(
    {word for word, split in SPLIT_WORDS.items() if split != "train"}
    | {"eval", "evaluation", "heldout", "held-out", "held_out", "held out", "replication"}
    | {"validierung", "验证", "校验", "测试"}
)
_FLAG_NAMES = frozenset({"istrain", "istraining", "intrain", "istest", "isval", "isvalidation", "traintest"})
"""As `plain_name` writes them: columns of yes and no."""
_AROUND = re.compile(
    r"^(?:internal|external|temporal)[ _-]+|[ _-]*(?:(?:data)?set|cohort|data|sample|split|集|组|队列|\d+)$"
)
"""Additions to the word: `external test`, `training set`, `val2`."""
_MOST_VALUES = 12
_MOSTLY = 0.5


def name_splits(column: str, texts: Sequence[str]) -> bool:
    """Return whether most rows have a word for a split, and both a word for training and another occur; or
    whether the column is named as a flag such as `is_train`, and has few values."""
    counts = counted(texts)
    if plain_name(column) in _FLAG_NAMES and len(counts) <= len(SPLITS):
        return True
    if len(counts) > _MOST_VALUES:
        return False
    words = {text: _AROUND.sub("", _AROUND.sub("", text.casefold())) for text in counts}
    named = {text: word for text, word in words.items() if word in _TRAINING or word in _OTHERS}
    kinds = {word in _TRAINING for word in named.values()}
    rows = sum(counts[text] for text in named)
    return kinds == {True, False} and rows > _MOSTLY * sum(count for text, count in counts.items() if text)
