"""Scores over folds → means, paired differences with intervals, and a bootstrap over tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from contenders import CLASSICS, FOLDS

from medloom_trainer.metrics.statistics.holm import holm
from medloom_trainer.metrics.statistics.resampled_t import corrected_resampled_t

Scores = Mapping[tuple[str, str, int, int], tuple[float, float]]
"""(table, contender, repeat, fold) → score, and seconds of processor time."""
_DEFAULT = "five networks"
_DRAWS = 10_000
_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class _Against:
    """The default compared with the best classic on a table."""

    text: str
    estimate: float
    p: float
    """Two-sided, for this table alone; 0 if all folds differ by the same amount."""


def report(scores: Scores, names: Sequence[str], titles: Mapping[str, str], repeats: int) -> int:
    """Print the results as Markdown tables. titles: of each table. → 1 if the target is missed"""
    folds = {(t, n): _folds(scores, t, n, repeats) for t in titles for n in names}
    means = {key: float(found.mean()) for key, found in folds.items()}
    classics = [name for name in CLASSICS if name in names]
    against = {
        table: _against_best(folds, means, table, classics)
        for table in titles
        if classics and _DEFAULT in names
    }
    corrected = dict(zip(against, holm([found.p for found in against.values()]), strict=True))
    print(
        f"\n\n| table | {' | '.join(names)} | {_DEFAULT} - best classic | p, of all tables |"
        f"\n|---|{'---|' * (len(names) + 2)}"
    )
    for table, title in titles.items():
        best = max(means[table, name] for name in names)
        cells = [_bold(means[table, name], best) for name in names]
        if table in against:
            cells += [against[table].text, f"{corrected[table]:.2f}"]
        print(f"| {title} | {' | '.join(cells)} |")
    whole = {name: float(np.mean([means[table, name] for table in titles])) for name in names}
    print(f"| **mean** | {' | '.join(f'{whole[name]:.4f}' for name in names)} | | |")
    print(f"| seconds of a fold | {' | '.join(f'{_seconds(scores, name):.1f}' for name in names)} | | |\n")
    if _DEFAULT not in names:
        return 0
    for other in names:
        if other != _DEFAULT:
            print(_over_tables(other, [means[t, _DEFAULT] - means[t, other] for t in titles]))
    if not against:
        return 0
    losses = [table for table, found in against.items() if found.estimate < 0]
    worse = [titles[table] for table in losses if against[table].p < _ALPHA]
    of_all = [titles[table] for table in losses if corrected[table] < _ALPHA]
    print(f"\nWorse than the best classic beyond noise: {', '.join(worse) or 'on none'}")
    print(f"After Holm's correction for {len(against)} tables: {', '.join(of_all) or 'on none'}")
    # Each table counts separately: a correction would make a loss harder to detect, and the target easier.
    return int(bool(worse) or any(whole[_DEFAULT] <= whole[name] for name in classics))


def _folds(scores: Scores, table: str, name: str, repeats: int) -> npt.NDArray[np.float64]:
    return np.array([scores[table, name, r, i][0] for r in range(repeats) for i in range(FOLDS)])


def _seconds(scores: Scores, name: str) -> float:
    return float(np.mean([seconds for key, (_, seconds) in scores.items() if key[1] == name]))


def _bold(value: float, best: float) -> str:
    return f"**{value:.4f}**" if value == best else f"{value:.4f}"


def _against_best(
    folds: Mapping[tuple[str, str], npt.NDArray[np.float64]],
    means: Mapping[tuple[str, str], float],
    table: str,
    classics: Sequence[str],
) -> _Against:
    """These folds select the best classic of this table, which favors it."""
    best = max(classics, key=lambda name: means[table, name])
    differences = folds[table, _DEFAULT] - folds[table, best]
    mean = float(differences.mean())
    found = corrected_resampled_t(differences, 1 / (FOLDS - 1))
    if found is None:
        return _Against(f"{mean:+.4f}", mean, 0.0)
    return _Against(f"{found.estimate:+.4f} ({found.low:+.4f} to {found.high:+.4f})", found.estimate, found.p)


def _over_tables(other: str, differences: Sequence[float]) -> str:
    """Tables are drawn with replacement: variation over other selections of tables."""
    each = np.asarray(differences)
    draws = np.random.default_rng(0).choice(each, (_DRAWS, len(each))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    wins = int((each > 0).sum())
    return (
        f"- {_DEFAULT} against {other}: {each.mean():+.4f} ({low:+.4f} to {high:+.4f}), "
        f"better on {wins} of {len(each)} tables"
    )
