"""Real data: the PAD-UFES-20 subset, if it exists next to the checkout."""

from __future__ import annotations

from itertools import islice

import pytest

from testing.shared_data import SHARED
from testing.workspace import Workspace

PAD = SHARED / "pad-ufes-20-subset"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PAD.is_dir(), reason="no ../shared/data/pad-ufes-20-subset beside the checkout"),
]


def test_pad_is_prepared_and_its_traps_are_named(work: Workspace) -> None:
    data = {
        "train_csv": str(PAD / "train.csv"),
        "val_csv": str(PAD / "val.csv"),
        "test_csv": str(PAD / "test.csv"),
    }
    prepared = work.prepare(**data, image_size=[32, 32])
    assert prepared.classes == ("ACK", "BCC", "MEL", "NEV", "SCC", "SEK")
    summary = prepared.summary
    assert (summary["label_column"], summary["patient_column"], summary["split_column"]) == (
        "label", "patient_id", "split",
    )  # fmt: skip
    assert [summary["splits"][split]["cases"] for split in ("train", "val")] == [525, 110]
    assert summary["splits"]["train"]["patients"] == 413
    assert set(summary["ignored_columns"]) == {"lesion_id", "cancer"}
    assert summary["ignored_columns"]["cancer"] == 'determines the label "label", or follows from it'
    assert "elevation" in summary["categorical_columns"] and "fitspatrick" in summary["numeric_columns"]
    warnings = [(warning["code"], warning["message"]) for warning in summary["warnings"]]
    assert len(set(warnings)) == len(warnings)
    for column, expected in (("cancer", "OTHER_LABEL_COLUMN"), ("biopsed", "LABEL_PREDICTED_BY_COLUMN")):
        assert any(code == expected and f'"{column}"' in message for code, message in warnings)
    gaps = " ".join(message for code, message in warnings if code == "LABEL_PREDICTED_BY_MISSINGNESS")
    assert all(f'"{column}"' in gaps for column in ("smoke", "diameter_1", "has_sewage_system"))
    accused = " ".join(message for code, message in warnings if code == "LABEL_PREDICTED_BY_COLUMN")
    assert not any(f'"{column}"' in accused for column in ("age", "region", "itch", "bleed", "gender"))
    assert not any(code == "LABEL_PREDICTED_BY_IMAGE_SIZE" for code, _ in warnings)


def test_the_views_of_pad(work: Workspace) -> None:
    with (PAD / "multiview.csv").open(encoding="utf-8") as file:
        (work.folder / "train.csv").write_text("".join(islice(file, 201)), encoding="utf-8")
    prepared = work.prepare(image_root=str(PAD), image_size=[16, 16])
    assert prepared.num_views == 3
    assert prepared.train.slots is not None
    assert 0 < (prepared.train.slots[:, 1] >= 0).mean() < 0.3
