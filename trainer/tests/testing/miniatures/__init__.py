"""Published sets in miniature: the names of their files and columns, and what is particular about their
layout, with 20 to 60 cases of noise. Each function writes one set into a folder and returns the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from testing.miniatures import archives, brain, chest, mammography, pathology, registries, skin

MINIATURES: Mapping[str, Callable[[Path], Path]] = {
    "ham10000": skin.ham10000,
    "isic-2019": skin.isic_2019,
    "isic-2020": skin.isic_2020,
    "chexpert": chest.chexpert,
    "nih-chest-xray14": chest.nih_chest_xray14,
    "mimic-cxr-jpg": chest.mimic_cxr_jpg,
    "rsna-pneumonia": chest.rsna_pneumonia,
    "cbis-ddsm": mammography.cbis_ddsm,
    "breakhis": pathology.breakhis,
    "busi": mammography.busi,
    "nsclc-radiomics": archives.nsclc_radiomics,
    "tcia": archives.tcia,
    "medmnist": archives.medmnist,
    "bids": brain.bids,
    "adni": brain.adni,
    "oasis-1": brain.oasis_1,
    "oasis-2": brain.oasis_2,
    "uk-biobank": registries.uk_biobank,
    "cbioportal": registries.cbioportal,
    "redcap": registries.redcap,
}
"""Name of a template → its set."""

ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "tcia": {
        "files": [{"name": "series", "path": "metadata.csv"}, {"name": "clinical", "path": "clinical.csv"}],
        "join": [{"table": "clinical", "on": {"Subject ID": "TCIA ID"}, "keep": "matched"}],
        "label": {"column": "Recurrence"},
    },
    "bids": {"label": {"column": "group"}},
    "uk-biobank": {"label": {"column": "2443-0.0", "uncertain": {"": "drop"}}},
    "redcap": {
        "label": {"column": "relapse"},
        "rows": {
            "case": ["record_id"],
            "visit": {"column": "redcap_event_name", "values": ["baseline_arm_1"]},
            "rule": "first",
        },
    },
}
"""Name of a template → keys of the recipe that answer its questions without options."""
