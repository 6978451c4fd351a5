"""Templates for published sets: each is recognized in a miniature of its set, and makes the table that the
publication describes. Every count is that of the miniature, including the rows that are left out."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from medloom_trainer.data.tables import Roles, SourceTable, infer_roles, split_series, with_settings
from medloom_trainer.data.tables.flag_labels import flag_of
from medloom_trainer.data.tables.recipe.templates import Template, read_templates, recognize
from medloom_trainer.unicode_text import existing_path
from testing.miniatures import ANSWERS, MINIATURES
from testing.miniatures.variants import VARIANTS
from testing.recipes import compiled
from testing.sources import ROOT
from testing.workspace import DATA_DEFAULTS, Workspace

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Expected:
    """Content of a miniature as its template reads it."""

    rows: int
    patients: int | None
    labels: Mapping[str, Any]
    """Class → rows; several labels: finding → rows that are positive; survival: the event."""
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
    "nsclc-radiomics": Expected(
        28, 28, {"event": 21}, ("age", "clinical.T.Stage", "Clinical.N.Stage", "Clinical.M.Stage"),
        ("Overall.Stage", "Histology", "gender"), ("File Location",),
        counts={"join.unused": 2, "rows.dropped": 56},
    ),
    "tcia": Expected(
        24, 24, {"No": 16, "Yes": 8}, ("Age",), (), ("File Location",), counts={"rows.dropped": 48}
    ),
    "medmnist": Expected(
        48, None, {"normal": 24, "pneumonia": 24}, splits={"train": 30, "val": 8, "test": 10},
        counts={"split.train": 30, "split.val": 8, "split.test": 10},
    ),
    "bids": Expected(
        38, 21, {"control": 18, "patient": 20}, ("age", "mmse"), ("sex",),
        counts={"join.unmatched": 2, "join.unused": 1},
    ),
    "adni": Expected(
        35, 35, {"CN": 12, "MCI": 12, "Dementia": 11},
        ("AGE", "PTEDUCAT", "APOE4", "ABETA", "ADAS11", "Hippocampus"), ("PTGENDER",), (),
        counts={"label.dropped": 37, "rows.dropped": 36},
    ),
    "oasis-1": Expected(
        40, 40, {"yes": 22, "no": 18}, ("Age", "Educ", "SES", "MMSE", "eTIV", "nWBV", "ASF"), ("M/F",), (),
        counts={"label.dropped": 13},
    ),
    "oasis-2": Expected(
        30, 30, {"Nondemented": 10, "Demented": 10, "Converted": 10},
        ("Age", "EDUC", "SES", "MMSE", "eTIV", "nWBV", "ASF"), ("M/F",), (), counts={"rows.merged": 45},
    ),
    "uk-biobank": Expected(
        34, 34, {"0": 21, "1": 13},
        ("31-0.0", "21003-0.0", "1160-0.0", "1070-0.0", "1558-0.0", "21001-0.0", "189-0.0"), (), (),
        counts={"missing.cleared": 43, "missing.not_found": 3, "label.dropped": 6},
    ),
    "cbioportal": Expected(
        36, 36, {"event": 13}, ("AGE", "GRADE", "TMB_NONSYNONYMOUS"), ("SEX", "CELLULARITY", "ER_STATUS"), (),
        counts={"missing.cleared": 13, "missing.not_found": 3, "label.dropped": 4, "rows.merged": 5},
    ),
    "redcap": Expected(
        36, 36, {"0": 24, "1": 12}, ("age", "sex", "symptoms___1", "symptoms___2", "creatinine"), (), (),
        counts={"rows.dropped": 45},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def miniature(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Name of a template → the source of its miniature, which tests only read."""
    return cache(lambda name: MINIATURES[name](tmp_path_factory.mktemp("set") / name))


def made_by(template: Template, source: Path, answers: Mapping[str, Any]) -> SourceTable:
    recipe = {**template.recipe, **answers}
    return compiled(source, **{key: value for key, value in recipe.items() if key != "version"})


def data_of(template: Template, made: SourceTable, **answers: Any) -> dict[str, Any]:
    """The complete `data` configuration of a training with the template."""
    data = {"train_csv": "folder", **DATA_DEFAULTS, **template.settings.get("data", {}), **answers}
    return with_settings(data, made.settings)


def labels_in(made: SourceTable, roles: Roles) -> dict[str, int]:
    cells = made.table.cells
    assert all(roles.kinds[label] == "label" for label in roles.labels)
    if made.settings.get("event_column"):
        return {"event": sum(flag_of(text) is True for text in cells[roles.labels[1]])}
    if len(roles.labels) == 1:
        return dict(Counter(cells[roles.labels[0]]))
    return {label: sum(flag_of(text) is True for text in cells[label]) for label in roles.labels}


def counts_of(made: SourceTable) -> dict[str, int]:
    found: Counter[str] = Counter()
    for step in made.steps:
        found.update({f"{step.kind}.{name}": count for name, count in step.counts.items()})
    return dict(found)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_miniature_becomes_the_table_of_its_publication(
    miniature: Callable[[str], Path], name: str
) -> None:
    expected, source = EXPECTED[name], miniature(name)
    template = recognize(source)
    assert template is not None and template.name == name
    made = made_by(template, source, ANSWERS.get(name, {}))
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
        assert all(existing_path(made.image_root / split_series(cell)[0]).exists() for cell in cells[column])
    assert dict(Counter(cells[roles.split])) == expected.splits if roles.split else not expected.splits
    assert labels_in(made, roles) == expected.labels
    assert counts_of(made) == expected.counts


@pytest.mark.parametrize("name", VARIANTS)
def test_other_forms_of_a_set_make_the_same_table(tmp_path: Path, name: str) -> None:
    source = VARIANTS[name](tmp_path)
    template = recognize(source)
    assert template is not None and template.name == name.split()[0]
    answers = ANSWERS.get(template.name, {})
    if template.name == "uk-biobank":
        answers = {"label": {"column": "p2443_i0", "uncertain": {"": "drop"}}}
    made = made_by(template, source, answers)
    roles = infer_roles(made.table, data_of(template, made), made.image_root)
    expected = EXPECTED[template.name]
    assert len(made.table) == expected.rows
    assert labels_in(made, roles) == expected.labels
    for column in roles.images:
        assert all(
            existing_path(made.image_root / split_series(cell)[0]).exists()
            for cell in made.table.cells[column]
        )


def test_chestmnist_has_several_labels(tmp_path: Path) -> None:
    flags = (np.arange(20)[:, None] % np.arange(2, 16) == 0).astype(np.uint8)
    images = np.zeros((20, 28, 28), dtype=np.uint8)
    np.savez(tmp_path / "chestmnist.npz", train_images=images, train_labels=flags)
    template = recognize(tmp_path)
    assert template is not None
    made = made_by(template, tmp_path, {})
    assert made.settings["label_columns"] == [f"label_{place}" for place in range(14)]
    assert made.table.cells["label_1"][:4] == ["1", "0", "0", "1"]


@pytest.mark.parametrize("template", read_templates(), ids=lambda template: template.name)
def test_every_layout_and_option_follows_the_contract(tmp_path: Path, template: Template) -> None:
    options = [option for question in template.questions for option in question.options]
    for recipe in [layout.recipe for layout in template.layouts]:
        for option in [None, *options]:
            settings = dict(template.settings.get("data", {}))
            changes: Mapping[str, Any] = {} if option is None else option.recipe
            settings |= {} if option is None else option.settings.get("data", {})
            given = {key: value for key, value in settings.items() if value is not None}
            whole = {**template.recipe, **recipe, **changes}
            Workspace(tmp_path).config(model=dict(template.settings.get("model", {})), recipe=whole, **given)


def identity(made: SourceTable) -> tuple[str, str]:
    return made.table.digest, repr(made.settings)


@pytest.mark.parametrize("name", MINIATURES)
def test_each_option_of_a_question_makes_a_table(miniature: Callable[[str], Path], name: str) -> None:
    source = miniature(name)
    template = recognize(source)
    assert template is not None
    seen = [identity(made_by(template, source, {}))]
    for place, question in enumerate(template.questions):
        for option in range(1, len(question.options)):
            answered = template.answered(place, option)
            made = made_by(answered, source, {})
            data = data_of(answered, made)
            roles = infer_roles(made.table, data, made.image_root)
            assert all(roles.kinds[label] == "label" for label in roles.labels)
            seen.append(identity(made))
    assert len({*seen}) == len(seen)  # no option does nothing


@pytest.mark.parametrize("name", MINIATURES)
def test_a_miniature_is_the_same_each_time(
    miniature: Callable[[str], Path], tmp_path: Path, name: str
) -> None:
    one, other = miniature(name), MINIATURES[name](tmp_path)
    files = {path.relative_to(one): path.read_bytes() for path in one.rglob("*") if path.is_file()}
    again = {path.relative_to(other): path.read_bytes() for path in other.rglob("*") if path.is_file()}
    assert again == files


def test_every_template_has_a_miniature_and_a_source() -> None:
    assert [template.name for template in read_templates()] == sorted(MINIATURES)
    assert all(template.title and template.source for template in read_templates())


def test_the_wheel_contains_every_template() -> None:
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["medloom_trainer"]
    packed = {file for pattern in patterns for file in ROOT.glob(pattern)}
    assert {*ROOT.rglob("templates/*.json")} <= packed


def test_another_folder_has_no_template(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("image,label\na.png,1\n")
    assert recognize(tmp_path) is None
    assert recognize(tmp_path / "nowhere") is None
