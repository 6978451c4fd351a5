"""Numbers that may be codes for a missing or uncertain value, such as -9, 99 and 999. They are read as
numbers until a recipe lists them (docs/guides/reading-data.md).

A code is judged by the other values: it is far from them, negative although they are not, or much more
frequent than each of them. Other values that are far from the rest do not count as other values, and are in
question themselves if they repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

_Floats = npt.NDArray[np.float64]
_Ints = npt.NDArray[np.int64]
_LARGE = (7, 8, 9, *range(95, 100), *range(995, 1000), *range(9995, 10_000))
_CODES = frozenset(map(float, (*_LARGE, *(-code for code in (*_LARGE, *range(1, 11))))))
"""7, 8 and 9 are codes of questions with few answers: refused, not asked, unknown."""
_REPEATED_DIGIT = re.compile(r"-?(?:([6-9])\1+(?:\.\1+)?|([6-9])\.\2+)")
"""77, 888, 99.9, -9.99."""
_FILL = 1e15
"""Fill values such as 1e20."""
_SCALE = 12
"""Most values of a scale: whole numbers from 0 or 1 without a gap."""
_FAR = 3
"""Steps from a scale to a code."""
_FEWEST_OTHERS = 5
"""Different values of a quantity."""
_MANY_OTHERS = 20
_MOST_EXTREMES = 10
_SPIKE = 4
"""A code within the others is this many times as frequent as each of them."""
_SPIKE_CASES = 5


def suspected_numbers(values: _Floats, counts: _Ints) -> list[float]:
    """values: (V,) different finite numbers, ascending, with their counts."""
    coded = np.array([is_code(value) for value in values.tolist()], dtype=np.bool_)
    others = ~coded
    found = {*_drop_extremes(values, counts, others)}
    rest = values[others]
    if is_scale(rest):
        found |= _beyond(values[coded], counts[coded], rest, counts[others], _FAR - 1)
    elif len(rest) >= _FEWEST_OTHERS:
        found |= _beyond(values[coded], counts[coded], rest, counts[others], np.ptp(rest) / 2)
        found |= _spikes(values, counts, others)
    return sorted(found)


def is_scale(rest: _Floats) -> bool:
    """Return whether these are at least two whole numbers from 0 or 1 without a gap."""
    return 2 <= len(rest) <= _SCALE and rest[0] in (0, 1) and bool((np.diff(rest) == 1).all())


def is_code(value: float) -> bool:
    return value in _CODES or abs(value) >= _FILL or _repeats_digit(value)


def _repeats_digit(value: float) -> bool:
    return _REPEATED_DIGIT.fullmatch(f"{value:.10g}") is not None


def _drop_extremes(values: _Floats, counts: _Ints, others: npt.NDArray[np.bool_]) -> Iterator[float]:
    """Remove the values that are far from the rest from `others`; yield those that repeat although many other
    values do not, except 0."""
    for _ in range(_MOST_EXTREMES):
        rest = np.flatnonzero(others)
        if len(rest) <= _FEWEST_OTHERS:
            return
        inner = values[rest]
        if _is_isolated(inner):
            extreme, near = rest[-1], rest[:-1]
        elif _is_isolated(-inner[::-1]):
            extreme, near = rest[0], rest[1:]
        else:
            return
        others[extreme] = False
        usual = max(3.0, 0.01 * counts.sum(), 3 * float(np.median(counts[near])))
        if len(near) >= _MANY_OTHERS and counts[extreme] >= usual and values[extreme] != 0:
            yield float(values[extreme])


def _is_isolated(ascending: _Floats) -> bool:
    """Return whether the last value is farther from the others than they are from each other; a series such
    as 10, 100, 1000 is even on a logarithmic scale."""
    low, high, last = ascending[0], ascending[-2], ascending[-1]
    if last - high <= high - low:
        return False
    least = low if low else ascending[1]
    return bool(least <= 0 or np.log(last / high) > np.log(high / least) / 2)


def _beyond(codes: _Floats, counts: _Ints, rest: _Floats, counts_of_rest: _Ints, gap: float) -> set[float]:
    """The codes farther than the gap from the rest. A code that is not belongs to the rest itself."""
    low, high = float(rest[0]), float(rest[-1])
    found: set[float] = set()
    for value, count in zip(codes[codes > low].tolist(), counts[codes > low].tolist(), strict=True):
        if value - high <= gap:
            high = max(high, value)
        elif count > 1 or _is_certain(value):
            found.add(value)
    below = codes < low
    if low >= 0 and _counts_down(codes[below], counts[below], rest, counts_of_rest):
        return found
    for value, count in zip(codes[below][::-1].tolist(), counts[below][::-1].tolist(), strict=True):
        if low - value > gap or (value < 0 <= low and (count > 1 or len(rest) < _FEWEST_OTHERS)):
            found.add(value)
        else:
            low = value
    return found


def _is_certain(code: float) -> bool:
    """Return whether it is in question even if one case has it: not 9 or 77.7."""
    return code >= 100 or (code >= 10 and code.is_integer())


def _counts_down(codes: _Floats, counts: _Ints, rest: _Floats, counts_of_rest: _Ints) -> bool:
    """Return whether the values go on below 0 without a gap and become rarer, as differences do: -2, -1, 0,
    1, 2."""
    size = len(codes)
    if size < 2 or rest[0] != 0 or not np.array_equal(codes, np.arange(-size, 0)):
        return False
    rarer = bool((np.diff([*counts.tolist(), int(counts_of_rest[0])]) >= 0).all())
    return rarer and (size > 2 or rest[-1] <= size)


def _spikes(values: _Floats, counts: _Ints, others: npt.NDArray[np.bool_]) -> set[float]:
    """Codes of repeated digits, such as 99 and 999, that are much more frequent than the other values."""
    digits = np.array(
        [value > 9 and value.is_integer() and _repeats_digit(value) for value in values.tolist()]
    )
    usual = counts[~digits]
    if len(usual) < _MANY_OTHERS:
        return set()
    fewest = max(_SPIKE_CASES, 0.02 * counts.sum(), _SPIKE * int(usual.max()))
    return {*values[digits & (counts >= fewest)].tolist()}
