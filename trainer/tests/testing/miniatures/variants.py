"""Other forms in which the sets of the miniatures are distributed, made of the miniatures themselves."""

from __future__ import annotations

import gzip
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from testing.miniatures import archives, brain, chest, mammography, pathology, registries, skin
from testing.miniatures.files import dicom_picture, picture


def _renamed(make: Callable[[Path], Path], *names: tuple[str, str]) -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        source = make(folder)
        for name, other in names:
            (source / other).parent.mkdir(parents=True, exist_ok=True)
            (source / name).rename(source / other)
        return source

    return build


def _inside(make: Callable[[Path], Path], below: str) -> Callable[[Path], Path]:
    return lambda folder: make(folder) / below


def _rewritten(make: Callable[[Path], Path], name: str, *changes: tuple[str, Any]) -> Callable[[Path], Path]:
    def build(folder: Path) -> Path:
        source = make(folder)
        text = (source / name).read_text("utf-8")
        for pattern, other in changes:
            text = re.sub(pattern, other, text)
        (source / name).write_text(text, "utf-8")
        return source

    return build


def _unpacked(folder: Path) -> Path:
    for file in [*chest.mimic_cxr_jpg(folder).glob("*.gz")]:
        file.with_suffix("").write_bytes(gzip.decompress(file.read_bytes()))
        file.unlink()
    return folder


def _as_dicom(folder: Path) -> Path:
    """The tables of MIMIC-CXR-JPG with the files of MIMIC-CXR."""
    for seed, file in enumerate(sorted(chest.mimic_cxr_jpg(folder).rglob("*.jpg"))):
        dicom_picture(file.with_suffix(".dcm"), seed, Modality="DX")
        file.unlink()
    return folder


def _as_jpeg(folder: Path) -> Path:
    """CBIS-DDSM with a folder of JPEG files for each series."""
    mammography.cbis_ddsm(folder)
    shutil.rmtree(folder / "CBIS-DDSM")
    (folder / "csv").mkdir()
    for file in [*folder.glob("*.csv")]:
        series = re.findall(r",[^,/]*/[^,/]*/([^,/]*)/000000\.dcm,", file.read_text("utf-8"))
        for seed, uid in enumerate(dict.fromkeys(series)):
            picture(folder / "jpeg" / uid / f"1-{100 + seed:03d}.jpg", seed, gray=True)
        file.rename(folder / "csv" / file.name)
    return folder


def _without_sessions(folder: Path) -> Path:
    """BIDS without tables of the sessions."""
    for file in [*brain.bids(folder).rglob("*_sessions.tsv")]:
        file.unlink()
    return folder


def _one_session(folder: Path) -> Path:
    """BIDS without folders for sessions: the second one is another run."""
    for anat in [*_without_sessions(folder).glob("sub-*/ses-*/anat")]:
        for file in anat.iterdir():
            other = anat.parents[1] / "anat" / file.name.replace("_ses-", "_run-")
            other.parent.mkdir(exist_ok=True)
            file.rename(other)
        shutil.rmtree(anat.parent)
    return folder


VARIANTS = {
    "ham10000 of the Dataverse": _renamed(skin.ham10000, ("HAM10000_metadata.csv", "HAM10000_metadata.tab")),
    "ham10000 without extension": _renamed(skin.ham10000, ("HAM10000_metadata.csv", "HAM10000_metadata")),
    "isic-2020 of Kaggle": _renamed(
        skin.isic_2020, ("train", "jpeg/train"), ("ISIC_2020_Training_GroundTruth_v2.csv", "train.csv")
    ),
    "isic-2020 without lesions": _rewritten(
        _renamed(
            skin.isic_2020, ("ISIC_2020_Training_GroundTruth_v2.csv", "ISIC_2020_Training_GroundTruth.csv")
        ),
        "ISIC_2020_Training_GroundTruth.csv",
        (r",lesion_id|,IL_\d+", ""),
    ),
    "nih-chest-xray14 of 2020": _rewritten(
        _renamed(chest.nih_chest_xray14, ("Data_Entry_2017.csv", "Data_Entry_2017_v2020.csv")),
        "Data_Entry_2017_v2020.csv",
        (r"(?m),$", ""),
    ),
    "mimic-cxr-jpg unpacked": _unpacked,
    "mimic-cxr-jpg as DICOM": _as_dicom,
    "cbis-ddsm of Kaggle": _as_jpeg,
    "breakhis from its slides": _inside(pathology.breakhis, "BreaKHis_v1"),
    "breakhis from its classes": _inside(pathology.breakhis, "BreaKHis_v1/histology_slides/breast"),
    "busi from its classes": _inside(mammography.busi, "Dataset_BUSI_with_GT"),
    "bids without sessions.tsv": _without_sessions,
    "bids without sessions": _one_session,
    "adni of a date": _renamed(brain.adni, ("ADNIMERGE.csv", "ADNIMERGE_29Nov2024.csv")),
    "uk-biobank of the research platform": _rewritten(
        _renamed(registries.uk_biobank, ("ukb12345.csv", "participants.csv")),
        "participants.csv",
        (r"(\d+)-(\d)\.0(?=[,\n])", r"p\1_i\2"),
        (r"p31_i0", "p31"),
    ),
    "nsclc-radiomics of Windows": _rewritten(
        archives.nsclc_radiomics,
        "metadata.csv",
        (r"\./[^,]*", lambda found: found[0].replace("/", "\\")),
    ),
    "medmnist of 64 pixels": _renamed(archives.medmnist, ("pneumoniamnist.npz", "pneumoniamnist_64.npz")),
}
"""Name of a template and of a form → the set. Its table has the rows of the miniature."""
