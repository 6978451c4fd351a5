"""Difference between the evaluated cases and the training cases of the model: contract InputShift.

Its size is a standardized mean difference: for numbers and image intensities the difference of the means over
the square root of the mean variance (Austin 2009), for categories its generalization to several shares (Yang
and Dalton 2012). It does not depend on the units, but it exceeds 0 by chance, especially with few cases and
many categories. The result therefore also contains the value that chance exceeds in about 5 % of samples,
with patients counted once. Groups that are too small for a subgroup have no number here either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri

from medloom_trainer.contract.codes import PhraseCode
from medloom_trainer.contract.phrases import listing, phrase, quoted, with_phrases
from medloom_trainer.data.features import image_intensities, moments
from medloom_trainer.data.tables import Notation, is_missing, missing_mask, read_numbers
from medloom_trainer.data.types import Cases, ImageStore, InferenceData
from medloom_trainer.evaluation.subgroups import MIN_PATIENTS
from medloom_trainer.metrics.outcome import finite
from medloom_trainer.metrics.statistics.clusters import Clusters
from medloom_trainer.warnings import Warnings, warning

LARGE = 0.25
"""Size above which a model that adjusts for the input extrapolates (Rubin 2001, Stuart 2010)."""
_NAMED = 10
_NO_SHARED_CATEGORY = phrase("no_shared_category")
_CONSTANT = phrase("constant_input")


def input_shift(preprocessing: Mapping[str, Any], prepared: InferenceData) -> dict[str, Any] | None:
    """preprocessing: of the checkpoint, with which the cases were prepared. None if it has no description of
    its training cases."""
    reference = preprocessing.get("reference")
    if reference is None:
        return None
    cases, store = prepared.cases, prepared.store
    clusters = Clusters.from_patients(cases.patients, len(cases.rows))
    # For several combined models, the first one that reads a column represents all.
    states = {state["name"]: state for state in reversed(preprocessing["table"]["columns"])}
    inputs = [_column(state, reference, prepared, clusters) for state in reversed(states.values())]
    if reference["images"] is not None and store is not None and cases.slots is not None:
        inputs.append(_images(reference["images"], cases.slots, store, clusters))
    return {
        "cases_trained": reference["cases"],
        "inputs": [one | {"differs": _differs(one)} for one in sorted(inputs, key=_size, reverse=True)],
        "outcome": _outcome(reference["labels"], preprocessing, cases, clusters),
    }


def _differs(one: Mapping[str, Any]) -> bool:
    """The input differs from the training by more than LARGE and chance, or shares no category with it."""
    if one["smd"] is None:
        return _shares_no_category(one)
    return float(one["smd"]) > max(LARGE, float(one["chance"]))


def _size(one: Mapping[str, Any]) -> float:
    """Sort key of inputs: no difference is larger than that of columns without a common category."""
    if _shares_no_category(one):
        return float("inf")
    return -1.0 if one["smd"] is None else float(one["smd"])


def _shares_no_category(one: Mapping[str, Any]) -> bool:
    """Every value is a category that training does not have: the covariance of the shares is singular, so the
    difference has no size."""
    return one["smd"] is None and bool(one["unseen"])


def shift_warnings(shift: Mapping[str, Any] | None) -> Warnings:
    """Warn about inputs that differ by more than LARGE and by more than chance, and about those without a
    common category with the training cases."""
    inputs = (shift or {"inputs": []})["inputs"]
    large = [one for one in inputs if one["differs"] and not _shares_no_category(one)]
    recoded = [one for one in inputs if _shares_no_category(one)]
    messages = []
    if large:
        named = listing([f'"{one["name"]}" ({one["smd"]:.2f})' for one in large], _NAMED)
        messages.append(phrase("inputs_differ", limit=str(LARGE), inputs=named))
    if recoded:
        messages.append(phrase("inputs_recoded", inputs=quoted((one["name"] for one in recoded), _NAMED)))
    return [warning("INPUTS_SHIFTED", message) for message in messages]


def mean_difference(trained: Mapping[str, Any], evaluated: Mapping[str, Any]) -> float | None:
    """|difference of the means| / square root of the mean variance; None if neither varies."""
    if None in (trained["sd"], evaluated["sd"]):
        return None
    spread = sqrt((trained["sd"] ** 2 + evaluated["sd"] ** 2) / 2)
    return abs(evaluated["mean"] - trained["mean"]) / spread if spread > 0 else None


def share_difference(trained: npt.ArrayLike, evaluated: npt.ArrayLike) -> float | None:
    """The same for the shares of K categories (K,), each summing to 1: the Mahalanobis distance of all but
    one share under the mean of both multinomial covariances. None if nothing varies.
    """
    first, second = np.asarray(trained, float), np.asarray(evaluated, float)
    held = (first + second) > 0
    first, second = first[held][1:], second[held][1:]
    if not len(first):
        return None
    covariance = sum(np.diag(share) - np.outer(share, share) for share in (first, second)) / 2
    gap = second - first
    if np.linalg.matrix_rank(covariance) < len(gap):  # no category is in both
        return None
    return finite(sqrt(max(0.0, float(gap @ np.linalg.solve(covariance, gap)))))


def by_chance(freedom: int, trained: int, evaluated: int) -> float:
    """The standardized difference that about 5 % of pairs of samples from one population exceed: its square
    over (1 / trained + 1 / evaluated) is chi-squared. freedom: 1 for a mean, number of categories less one
    for shares."""
    return sqrt(float(chdtri(freedom, 0.05)) * (1 / trained + 1 / evaluated))


def _column(
    state: Mapping[str, Any], reference: Mapping[str, Any], prepared: InferenceData, clusters: Clusters
) -> dict[str, Any]:
    known, texts = reference["columns"][state["name"]], prepared.texts[state["name"]]
    there = ~missing_mask(texts)
    entry = {
        "name": state["name"],
        "kind": "numeric" if state["kind"] == "numeric" else "categorical",
        "smd": None,
        "chance": None,
        "trained": None,
        "evaluated": None,
        "unseen": None,
        "missing_trained": known["missing"] / reference["cases"],
        "missing": float(1 - there.mean()),
        **with_phrases({"reason": _too_few(there, clusters)}),
    }
    if entry["reason"] is not None:
        return entry
    if state["kind"] == "numeric":
        own = moments(read_numbers(texts, prepared.delimiter, Notation.of_column(state)).values)
        size, freedom = mean_difference(known, own), 1
        entry |= {"trained": _pair(known), "evaluated": _pair(own)}
    else:
        counts = Counter(text for text in texts if not is_missing(text))
        unseen = counts.total() - sum(counts[category] for category in state["categories"])
        shares = [counts[category] / counts.total() for category in state["categories"]]
        before = state.get("shares") or [0.0] * len(shares)
        size = share_difference([*before, 0.0], [*shares, unseen / counts.total()])
        freedom = len(shares) - 1 + (unseen > 0)
        entry |= {"unseen": unseen}
    if size is None:
        shared_none = _shares_no_category(entry)
        return entry | with_phrases({"reason": _NO_SHARED_CATEGORY if shared_none else _CONSTANT})
    chance = by_chance(freedom, reference["cases"] - known["missing"], clusters.having(there))
    return entry | {"smd": size, "chance": chance}


def _images(
    known: Mapping[str, Any], slots: npt.NDArray[np.int64], store: ImageStore, clusters: Clusters
) -> dict[str, Any]:
    there: npt.NDArray[np.bool_] = np.asarray((slots >= 0).any(axis=1))
    reason = _too_few(there, clusters)
    seen = image_intensities(store, slots) if reason is None else np.zeros(0)
    own = moments(seen)
    size = mean_difference(known, own)
    patients = min(clusters.having(there), len(seen))
    return {
        "name": "image intensity",
        "kind": "image",
        "smd": size,
        "chance": None if size is None else by_chance(1, known["count"], patients),
        "trained": _pair(known) if reason is None else None,
        "evaluated": _pair(own),
        "unseen": None,
        "missing_trained": None,
        "missing": float(1 - there.mean()),
        **with_phrases({"reason": reason or (_CONSTANT if size is None else None)}),
    }


def _too_few(there: npt.NDArray[np.bool_], clusters: Clusters) -> str | None:
    if not there.any():
        return phrase("no_case_with_value")
    patients = clusters.having(there)
    if patients >= MIN_PATIENTS:
        return None
    few: PhraseCode = "fewer_cases_with_value" if clusters.one_row_each else "fewer_patients_with_value"
    return phrase(few, needed=MIN_PATIENTS)


def _pair(found: Mapping[str, Any]) -> dict[str, float] | None:
    return None if found["mean"] is None else {"mean": found["mean"], "sd": found["sd"]}


def _outcome(
    known: Mapping[str, Any] | None, preprocessing: Mapping[str, Any], cases: Cases, clusters: Clusters
) -> dict[str, Any] | None:
    """Shares of the classes, or mean and standard deviation of the number; None if training did not store
    them."""
    labels = cases.labels
    if known is None or labels is None or clusters.count < MIN_PATIENTS:
        return None
    if "counts" not in known:
        own = moments(np.asarray(labels, dtype=np.float64))
        return {
            "smd": mean_difference(known, own),
            "classes": None,
            "trained": _pair(known),
            "evaluated": _pair(own),
        }
    classes: Sequence[str] = preprocessing["classes"]
    total = sum(known["counts"].values())
    before = [known["counts"][name] / total for name in classes]
    after = [float((labels == k).mean()) for k in range(len(classes))]
    shares = zip(classes, before, after, strict=True)
    return {
        "smd": share_difference(before, after),
        "classes": [{"name": name, "trained": one, "evaluated": other} for name, one, other in shares],
        "trained": None,
        "evaluated": None,
    }
