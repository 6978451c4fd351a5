"""What is trained: the ways of training that are compared, and the keys that all of them share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.spec import contract_defaults

METRIC = "auc"
"""Macro average of the areas under the ROC curves, one class against the rest."""

NOT_FOR_THE_MODEL = ("biopsed", "cancer", "lesion_id")
"""biopsed reveals the label, cancer is the label in other words, lesion_id only names the row."""

TELLING_GAPS = (
    "smoke", "drink", "pesticide", "background_father", "background_mother", "skin_cancer_history",
    "cancer_history", "has_piped_water", "has_sewage_system", "gender", "fitspatrick", "diameter_1",
    "diameter_2",
)  # fmt: skip
"""Columns that are missing together where the lesion was not biopsied: their gaps tell the label."""


@dataclass(frozen=True)
class Setting:
    name: str
    """Of its folder."""
    title: str
    encoding: str
    """data.categorical_encoding, as the page writes it; empty without a table."""
    images: bool
    fusion: str
    data: dict[str, Any]
    learning_rate: float
    without: tuple[str, ...] = ()
    """Columns that are left out besides those that no model may read."""

    def reduced(self) -> Setting:
        """The same without the columns whose gaps tell the label."""
        return replace(
            self, name=f"{self.name}-complete", title=f"{self.title}, complete columns", without=TELLING_GAPS
        )

    def config(self, data: Path, *, backbone: str, image_size: int, epochs: int, seed: int) -> dict[str, Any]:
        """The complete training configuration; `data` holds train.csv, val.csv and test.csv."""
        return {
            "data": {
                **contract_defaults("DataConfig"),
                **{f"{split}_csv": str(data / f"{split}.csv") for split in ("train", "val", "test")},
                "label_column": "label",
                "patient_column": "patient_id",
                "ignore_columns": [*NOT_FOR_THE_MODEL, *self.without],
                "image_size": [image_size, image_size],
                **self.data,
            },
            "model": {
                **contract_defaults("ModelConfig"),
                "vision_backbone": backbone if self.images else "none",
                "fusion_type": self.fusion,
                "dropout": 0.3,
            },
            "training": {
                **contract_defaults("LoopConfig"),
                "epochs": epochs,
                "batch_size": 32,
                "learning_rate": self.learning_rate,
                "seed": seed,
                "device": "cpu",
                "num_workers": 1,
            },
        }


_ENCODINGS = {"onehot": "one-hot", "target": "target"}


def _with_table(images: bool, fusion: str, encoding: str, title: str) -> Setting:
    name = f"{fusion if images else 'table'}-{encoding}"
    data = {"categorical_encoding": encoding}
    return Setting(name, title, _ENCODINGS[encoding], images, fusion, data, learning_rate=3e-4)


def _image_only(learning_rate: float) -> Setting:
    return Setting(f"image-{learning_rate:g}", "image only", "", True, "none", {}, learning_rate)


SETTINGS = (
    *(_with_table(True, "gated", encoding, "image and table, gated") for encoding in _ENCODINGS),
    *(_with_table(True, "concatenate", encoding, "image and table, concatenated") for encoding in _ENCODINGS),
    *(_with_table(False, "concatenate", encoding, "table only (MLP)") for encoding in _ENCODINGS),
    *(_image_only(learning_rate) for learning_rate in (3e-4, 1e-3)),
)
"""Validation chooses among these."""
