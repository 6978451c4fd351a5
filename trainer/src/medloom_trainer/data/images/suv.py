"""Standardized uptake values of PET: activity divided by the dose for each gram of the body (SUVbw, QIBA
profile FDG-PET/CT). Values in Bq/ml of two patients are not comparable."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from pydicom.dataset import Dataset
from pydicom.valuerep import DA, DT, TM

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.data.images.decoded import UnreadableImage

SUV_RANGE = (0.0, 10.0)
_PET_IMAGES = ("1.2.840.10008.5.1.4.1.1.128", "1.2.840.10008.5.1.4.1.1.130")
_PHILIPS_FACTOR = (0x7053, 0x1000)
_ANY_DAY = date(2000, 1, 1)
"""For files whose dates were removed."""


def is_activity(data: Dataset) -> bool:
    """Return whether an image is one of PET, and not a picture of the screen."""
    return data.get("Modality") == "PT" and str(data.get("SOPClassUID", "")) in _PET_IMAGES


def suv_factor(files: Sequence[Dataset]) -> float:
    """Factor from the values of a PET series to SUV. UnreadableImage names the tag that is missing or not
    valid."""
    data = files[0]
    units = str(data.get("Units", "") or "").upper()
    if units == "GML":
        return 1.0
    if units == "CNTS":
        return _positive(data.get(_PHILIPS_FACTOR), "(7053,1000)")
    if units != "BQML":
        raise _without("Units")
    item = next(iter(data.get("RadiopharmaceuticalInformationSequence") or []), Dataset())
    grams = 1000 * _positive(data.get("PatientWeight"), "PatientWeight")
    dose = _positive(item.get("RadionuclideTotalDose"), "RadionuclideTotalDose")
    correction = str(data.get("DecayCorrection", "") or "").upper()
    if correction == "ADMIN":
        return float(grams / dose)
    if correction != "START":
        raise _without("DecayCorrection")
    half_life = _positive(item.get("RadionuclideHalfLife"), "RadionuclideHalfLife")
    seconds = _seconds_since_injection(files, item)
    return float(grams / (dose * 2 ** (-seconds / half_life)))


def _seconds_since_injection(files: Sequence[Dataset], item: Dataset) -> float:
    start = _scan_start(files)
    given = item.get("RadiopharmaceuticalStartDateTime")
    if given:
        injected = _parsed(DT, given, "RadiopharmaceuticalStartDateTime").replace(tzinfo=None)
    else:
        name = "RadiopharmaceuticalStartTime"
        injected = datetime.combine(start.date(), _parsed(TM, item.get(name), name))
        if injected > start:  # before midnight
            injected -= timedelta(days=1)
    if injected > start:
        raise _without("RadiopharmaceuticalStartDateTime")
    return float((start - injected).total_seconds())


def _scan_start(files: Sequence[Dataset]) -> datetime:
    """The time to which the decay is corrected: that of the series, or of the first slice if the series was
    derived later."""
    series = _moment(files[0], "Series")
    acquired = [_moment(data, "Acquisition") for data in files if data.get("AcquisitionTime")]
    return min([series, *acquired])


def _moment(data: Dataset, kind: str) -> datetime:
    day = data.get(f"{kind}Date") or data.get("SeriesDate") or data.get("StudyDate")
    time = _parsed(TM, data.get(f"{kind}Time"), f"{kind}Time")
    return datetime.combine(_parsed(DA, day, f"{kind}Date") if day else _ANY_DAY, time)


def _parsed(kind: Any, value: Any, tag: str) -> Any:
    try:
        parsed = kind(str(value)) if value else None
    except (ValueError, TypeError):
        parsed = None
    if parsed is None:
        raise _without(tag)
    return parsed


def _positive(value: Any, tag: str) -> float:
    given = getattr(value, "value", value)
    try:
        number = float(given)
    except (ValueError, TypeError):
        number = 0.0
    if not number > 0:
        raise _without(tag)
    return number


def _without(tag: str) -> UnreadableImage:
    return UnreadableImage(phrase("image_pet_without_suv", tag=tag))
