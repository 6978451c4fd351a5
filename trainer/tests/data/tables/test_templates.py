"""Templates for published sets: each is recognized in a miniature of its set, and makes the table that the
publication describes. Every count is that of the miniature, including the rows that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.tables import Roles, SourceTable, infer_roles, with_settings
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.recipe.templates import Template, read_templates, recognize
from testing.miniatures import MINIATURES
from testing.recipes import compiled
from testing.workspace import DATA_DEFAULTS


@dataclass(frozen=True)
class Expected:
    """Content of a miniature as its template reads it."""

    rows: int
    patients: int | None
    labels: Mapping[str, Any]
    """Class → rows; several labels: finding → rows that are positive; survival: rows with the event."""
    numeric: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    images: tuple[str, ...] = ("image",)
    splits: Mapping[str, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    """"step.count" → what the step reports that is not used as it is."""


EXPECTED = {
    "ham10000": Expected(
        56, 28, dict.fromkeys(("nv", "mel", "bkl", "bcc", "akiec", "vasc", "df"), 8), ("age",),
        ("sex", "localization"),
    ),
    "isic-2019": Expected(
        48, 20, dict.fromkeys(("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC"), 6), ("age_approx",),
        ("anatom_site_general", "sex"), ("file",), counts={"patient.without": 8},
    ),
    "isic-2020": Expected(
        40, 20, {"benign": 30, "malignant": 10}, ("age_approx",), ("sex", "anatom_site_general_challenge")
    ),
    "chexpert": Expected(
        50, 13,
        {"Atelectasis": 20, "Cardiomegaly": 20, "Consolidation": 20, "Edema": 20, "Pleural Effusion": 20},
        ("Age",), ("Sex", "Frontal/Lateral", "AP/PA"), splits={"train": 40, "val": 10},
        counts={"label.uncertain": 100, "split.train": 40, "split.val": 10},
    ),
    "nih-chest-xray14": Expected(
        60, 20,
        {
            **dict.fromkeys(("Atelectasis", "Cardiomegaly", "Effusion", "Nodule"), 5),
            **dict.fromkeys(("Infiltration", "Mass", "Pneumonia", "Pneumothorax", "Consolidation"), 4),
            **dict.fromkeys(("Edema", "Emphysema", "Fibrosis", "Pleural_Thickening", "Hernia"), 4),
        },
        ("Patient Age",), ("Patient Gender", "View Position"),
        splits={"train": 48, "test": 12}, counts={"split.train": 48, "split.test": 12},
    ),
    "mimic-cxr-jpg": Expected(
        46, 12,
        {"Atelectasis": 20, "Cardiomegaly": 20, "Consolidation": 18, "Edema": 16, "Pleural Effusion": 16},
        (), ("ViewPosition",), splits={"train": 30, "val": 8, "test": 8},
        counts={"join.unmatched": 2, "join.unused": 2, "label.uncertain": 94,
        "split.train": 30, "split.val": 8, "split.test": 8},
    ),
    "rsna-pneumonia": Expected(36, 36, {"no": 24, "yes": 12}, counts={"rows.merged": 6}),
    "cbis-ddsm": Expected(
        32, 16, {"benign": 13, "malignant": 19}, ("breast_density",), ("left or right breast", "image view"),
        splits={"train": 24, "test": 8}, counts={"split.train": 28, "split.test": 10, "rows.merged": 6},
    ),
    "breakhis": Expected(48, 11, {"benign": 24, "malignant": 24}),
    "busi": Expected(34, None, {"benign": 16, "malignant": 10, "normal": 8}),
}  # fmt: skip


def made_by(template: Template, source: Path) -> SourceTable:
    return compiled(source, **{key: value for key, value in template.recipe.items() if key != "version"})


def data_of(template: Template, made: SourceTable, **answers: Any) -> dict[str, Any]:
    """The complete `data` configuration of a training with the template."""
    data = {"train_csv": "folder", **DATA_DEFAULTS, **template.settings.get("data", {}), **answers}
    return with_settings(data, made.settings)


def labels_in(cells: Mapping[str, list[str]], roles: Roles) -> dict[str, int]:
    assert all(roles.kinds[label] == "label" for label in roles.labels)
    if len(roles.labels) == 1:
        return dict(Counter(cells[roles.labels[0]]))
    return {label: sum(flag_of(text) is True for text in cells[label]) for label in roles.labels}


def counts_of(made: SourceTable) -> dict[str, int]:
    found: Counter[str] = Counter()
    for step in made.steps:
        found.update({f"{step.kind}.{name}": count for name, count in step.counts.items()})
    return dict(found)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_miniature_becomes_the_table_of_its_publication(tmp_path: Path, name: str) -> None:
    expected, source = EXPECTED[name], MINIATURES[name](tmp_path / "set")
    template = recognize(source)
    assert template is not None and template.name == name
    made = made_by(template, source)
    data = data_of(template, made)
    roles = infer_roles(made.table, data, made.image_root)
    cells = made.table.cells
    assert len(made.table) == expected.rows
    assert (None if roles.patient is None else len({*cells[roles.patient]} - {""})) == expected.patients
    assert (roles.numeric, roles.categorical, roles.images) == (
        expected.numeric,
        expected.categorical,
        expected.images,
    )
    for column in roles.images:
        assert all((made.image_root / cell).is_file() for cell in cells[column])
    assert dict(Counter(cells[roles.split])) == expected.splits if roles.split else not expected.splits
    print(roles.ignored, roles.labels)
    if roles.label:
        assert dict(Counter(cells[roles.label])) == expected.labels
    else:
        assert {
            label: sum(text in ("1", "1.0") for text in cells[label]) for label in roles.labels
        } == expected.labels
    found = Counter()
    for step in made.steps:
        for count, number in step.counts.items():
            found[f"{step.kind}.{count}"] += number
    assert dict(found) == dict(expected.counts)


def identity(made: SourceTable) -> tuple[str, str]:
    return made.table.digest, repr(made.settings)


@pytest.mark.parametrize("name", MINIATURES)
def test_each_option_of_a_question_makes_a_table(tmp_path: Path, name: str) -> None:
    source = MINIATURES[name](tmp_path)
    template = recognize(source)
    assert template is not None
    seen = [identity(made_by(template, source))]
    for place, question in enumerate(template.questions):
        for option in range(1, len(question.options)):
            answered = template.answered(place, option)
            made = made_by(answered, source)
            data = data_of(answered, made)
            roles = infer_roles(made.table, data, made.image_root)
            assert all(roles.kinds[label] == "label" for label in roles.labels)
            seen.append(identity(made))
    assert len({*seen}) == len(seen)  # no option does nothing


def test_every_template_has_a_miniature_and_a_source() -> None:
    assert [template.name for template in read_templates()] == sorted(MINIATURES)
    assert all(template.title and template.source for template in read_templates())


def test_another_folder_has_no_template(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("image,label\na.png,1\n")
    assert recognize(tmp_path) is None
    assert recognize(tmp_path / "nowhere") is None
