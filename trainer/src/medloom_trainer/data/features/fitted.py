"""The fitted state of a trained model, for a training that starts from it: it is applied to new data, not
fitted again.

The weights are only valid for the inputs that they were trained on: the same columns in their order, encoded
and scaled in the same way, images prepared in the same way, the same classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.data.features.fit import TableFit
from medloom_trainer.data.images import FIRST_RULES
from medloom_trainer.data.splits import SeenCases, store_version_of
from medloom_trainer.data.tables import TrainingTables
from medloom_trainer.data.types import TableLayout
from medloom_trainer.errors import TrainerError


@dataclass(frozen=True)
class FittedPreparation:
    """State of the checkpoint from which a training starts."""

    preprocessing: dict[str, Any]
    layout: TableLayout
    image_normalization: dict[str, Any]
    label_normalization: dict[str, float] | None
    seen: SeenCases | None
    """The cases that its model has learned from; None if they are unknown."""

    @property
    def store_version(self) -> int:
        """Version of the image store whose digests can be compared with those of the seen cases."""
        return store_version_of(self.seen)

    @property
    def image_rules(self) -> int | None:
        """Version of the rules by which the model reads medical images; None if it reads no images."""
        images = self.preprocessing["images"]
        return None if images is None else int(images.get("rules", FIRST_RULES))

    def table_fit(self) -> TableFit:
        """The state in the form of a fit of this training."""
        return TableFit.of_state(self.preprocessing["table"], self.layout)

    def refuse_others(self, tables: TrainingTables) -> None:
        """CHECKPOINT_MISMATCH if the tables have other classes than the model, or other columns."""
        before, scheme = self.preprocessing, tables.scheme
        classes = None if scheme.classes is None else list(scheme.classes)
        if (scheme.task, classes) != (before["task"], before["classes"]):
            raise _mismatch(
                phrase(
                    "label_of_trained_differs", found=_in_words(classes), trained=_in_words(before["classes"])
                )
            )
        wanted = {column["name"] for column in before["table"]["columns"]}
        given = {*tables.columns.numeric, *tables.columns.categorical}
        if wanted != given:
            names = ", ".join(sorted(wanted ^ given)[:10])
            raise _mismatch(phrase("columns_of_trained_differ", columns=names))

    def refuse_other_images(self, images: dict[str, Any] | None) -> None:
        """CHECKPOINT_MISMATCH if the images are prepared differently. images: from the preprocessing."""
        if images != self.preprocessing["images"]:
            raise _mismatch(phrase("images_of_trained_differ"))


def _in_words(classes: list[str] | None) -> str:
    return phrase("a_number") if classes is None else ", ".join(classes)


def _mismatch(message: Phrased) -> TrainerError:
    return TrainerError(
        "CHECKPOINT_MISMATCH",
        message,
        phrase("data_of_trained_model"),
    )
