"""Scores over folds → means, wins and a paired bootstrap over tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from contenders import CLASSICS, FOLDS, REPEATS
from tables import SOURCES

Scores = Mapping[tuple[str, str, int, int], float]
_DEFAULT = "five networks, quantile"
_BEFORE = "one network"
_DRAWS = 10_000
_T_OF_TEN_FOLDS = 2.262
"""97.5 % point of t with 9 degrees of freedom."""


def report(scores: Scores, names: Sequence[str]) -> int:
    """Print the tables as Markdown. → 1 where the target is missed"""
    titles = {source.name: source.title for source in SOURCES}
    tables = [name for name in titles if any(key[0] == name for key in scores)]
    means = {(table, name): float(np.mean(_folds(scores, table, name))) for table in tables for name in names}
    print(f"\n\n| table | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for table in tables:
        best = max(means[table, name] for name in names)
        cells = [_bold(means[table, name], best) for name in names]
        print(f"| {titles[table]} | {' | '.join(cells)} |")
    whole = {name: float(np.mean([means[table, name] for table in tables])) for name in names}
    print(f"| **mean** | {' | '.join(f'{whole[name]:.4f}' for name in names)} |\n")
    if _DEFAULT not in names:
        return 0
    for other in names:
        if other != _DEFAULT:
            print(_against(other, [means[t, _DEFAULT] - means[t, other] for t in tables]))
    classics = [name for name in CLASSICS if name in names]
    worse = [titles[t] for t in tables if classics and _is_worse(scores, t, classics, means)]
    print(f"\nWorse than the best classic beyond noise: {', '.join(worse) or 'on none'}")
    return int(bool(worse) or any(whole[_DEFAULT] <= whole[name] for name in classics))


def _folds(scores: Scores, table: str, name: str) -> npt.NDArray[np.float64]:
    return np.array([scores[table, name, r, i] for r in range(REPEATS) for i in range(FOLDS)])


def _bold(value: float, best: float) -> str:
    return f"**{value:.4f}**" if value == best else f"{value:.4f}"


def _against(other: str, differences: Sequence[float]) -> str:
    """Tables are drawn with replacement: what another choice of tables might have shown."""
    each = np.asarray(differences)
    draws = np.random.default_rng(0).choice(each, (_DRAWS, len(each))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    wins = int((each > 0).sum())
    return (
        f"- {_DEFAULT} against {other}: {each.mean():+.4f} ({low:+.4f} to {high:+.4f}), "
        f"better on {wins} of {len(each)} tables"
    )


def _is_worse(
    scores: Scores, table: str, classics: Sequence[str], means: Mapping[tuple[str, str], float]
) -> bool:
    """By a t interval over the folds with the correction of Nadeau and Bengio (2003): folds share training
    rows.
    """
    best = max(classics, key=lambda name: means[table, name])
    differences = _folds(scores, table, _DEFAULT) - _folds(scores, table, best)
    variance = differences.var(ddof=1) * (1 / len(differences) + 1 / (FOLDS - 1))
    return bool(differences.mean() + _T_OF_TEN_FOLDS * np.sqrt(variance) < 0)
