"""Folds of a cross-validation: by patient and image, stratified, identical wherever they are computed."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from medloom_trainer.data.splits import folds_of_study, study_folds
from medloom_trainer.data.splits.folds import number_folds
from medloom_trainer.data.tables import ImageTable, TrainingTables, infer_roles, make_table, role_settings
from medloom_trainer.data.tables.labels import learn_labels, read_labels
from medloom_trainer.data.tables.training_tables import Columns
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace

TABLE_ALONE = {"vision_backbone": "none"}


def tables_of(patients: list[int], labels: list[str], order: np.ndarray | None = None) -> TrainingTables:
    rows = np.arange(len(labels)) if order is None else order
    table = make_table(
        "train.csv",
        {
            "patient_id": [f"P{patients[row]}" for row in rows],
            "age": [str(row) for row in rows],
            "label": [labels[row] for row in rows],
        },
    )
    roles = infer_roles(table, role_settings(label_column="label"), Path())
    scheme = learn_labels(table, "label", "classification")
    source = {"train": ImageTable(table, Path())}
    given = {"train": read_labels(table, scheme, "train")}
    return TrainingTables(roles, Columns(("age",), (), (), {}), source, {}, scheme, given)


def folds_of(tables: TrainingTables, k: int, repeat: int = 0, seed: int = 0) -> np.ndarray:
    table = tables.splits["train"].table
    groups = np.unique(table.cells["patient_id"], return_inverse=True)[1]
    return number_folds(tables, groups, k, repeat, seed)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(
    st.integers(12, 60).flatmap(
        lambda n: st.tuples(
            st.lists(st.integers(0, 25), min_size=n, max_size=n),
            st.lists(st.integers(0, 2), min_size=n, max_size=n),
        )
    ),
    st.sampled_from([2, 3, 5]),
    st.integers(0, 3),
)
def test_no_patient_is_divided_and_every_fold_has_every_class(
    drawn: tuple[list[int], list[int]], k: int, seed: int
) -> None:
    # In addition to the drawn patients, each class has as many separate patients as there are folds.
    patients = drawn[0] + [100 + i for i in range(3 * k)]
    labels = [f"class {x}" for x in drawn[1] + [i % 3 for i in range(3 * k)]]
    tables = tables_of(patients, labels)
    folds = folds_of(tables, k, seed=seed)
    assert {len(set(folds[np.asarray(patients) == p].tolist())) for p in patients} == {1}
    assert {(f, c) for f, c in zip(folds.tolist(), labels, strict=True)} == {
        (f, c) for f in range(k) for c in set(labels)
    }
    # Rows in a different order are in the same folds.
    order = np.random.default_rng(seed).permutation(len(labels))
    np.testing.assert_array_equal(folds_of(tables_of(patients, labels, order), k, seed=seed), folds[order])


def test_folds_are_stratified_and_of_like_size_and_repeats_and_seeds_divide_anew() -> None:
    random = np.random.default_rng(0)
    patients = random.integers(0, 400, 900).tolist()
    labels = random.choice(["a", "b", "c", "d"], 900, p=[0.6, 0.25, 0.12, 0.03]).tolist()
    tables = tables_of(patients, labels)
    folds = folds_of(tables, 5)
    sizes = Counter(folds.tolist())
    assert max(sizes.values()) - min(sizes.values()) <= 12
    for name in "abcd":
        inside = Counter(folds[np.asarray(labels) == name].tolist())
        assert max(inside.values()) - min(inside.values()) <= 3
    for other in (folds_of(tables, 5, repeat=1), folds_of(tables, 5, seed=1)):
        assert (other != folds).mean() > 0.5
    np.testing.assert_array_equal(folds, folds_of(tables, 5))


@pytest.mark.parametrize(
    ("patients", "labels", "said"),
    [
        ([0, 0, 1, 1], "abab", "3 folds require at least 3 patients that share no image; train.csv has 2"),
        (
            [0, 1, 2, 3, 4, 4],
            "aaaabb",
            '3 folds require at least 3 patients of each class that share no image: "b" has 1',
        ),
    ],
)
def test_too_few_patients_are_refused_with_how_many_there_are(
    patients: list[int], labels: str, said: str
) -> None:
    with pytest.raises(TrainerError) as caught:
        folds_of(tables_of(patients, list(labels)), 3)
    assert (caught.value.code, caught.value.message) == ("FOLDS_IMPOSSIBLE", said)


def fold(index: int, k: int = 3, **other: int) -> dict[str, int]:
    return {"k": k, "index": index, "repeat": 0, "seed": 0, **other}


def places(cases: Any) -> set[tuple[str, int]]:
    return set(cases.places)


def request(work: Workspace, folds: dict[str, Any] | None, **data: Any) -> dict[str, Any]:
    params = {
        "config": work.config(model=TABLE_ALONE, **data), "folds": folds,
        "cache_dir": str(work.cache), "roots": [str(work.folder)],
    }  # fmt: skip
    return study_folds(params, lambda message, fraction: None)


def test_jobs_have_the_folds_that_the_check_announces_whatever_they_read(work: Workspace) -> None:
    rows = work.cases(24) + work.cases(12, first=100)
    for row in rows[24:]:
        row["split"] = "test"
    # One image file for two patients, and the same blank image for two others.
    shutil.copy(work.folder / rows[0]["image"], work.folder / rows[10]["image"])
    for row in (rows[4], rows[14]):
        Image.new("RGB", (16, 16)).save(work.folder / row["image"])
    work.table("train.csv", [{"split": "train", **row} for row in rows[:20]] + rows[24:])
    work.table("val.csv", rows[20:24])
    given = {"val_csv": str(work.folder / "val.csv")}
    announced = request(work, {"k": 3, "repeats": 1, "seed": 0}, **given)
    assert (announced["cases"], announced["never_held_out"]) == (24, 0)
    held: list[tuple[str, int]] = []
    for index in range(3):
        by_table = work.prepare(model=TABLE_ALONE, fold=fold(index), **given)
        by_image = work.prepare(model={"fusion_type": "none"}, fold=fold(index), **given)
        assert places(by_table.held_out) == places(by_image.held_out)
        assert announced["folds"][index]["fold"] == fold(index)
        part = by_table.summary["splits"]["held-out"]
        assert {key: announced["folds"][index][key] for key in part} == part
        assert places(by_table.train) | places(by_table.val) | places(by_table.held_out) == {
            *(("train.csv", line) for line in range(2, 22)), *(("val.csv", line) for line in range(2, 6)),
        }  # fmt: skip
        held += by_table.held_out.places
        for cases in (by_table.train, by_table.val, by_table.held_out):
            ids = set(cases.patient_ids)
            assert {rows[0]["patient_id"], rows[10]["patient_id"]} <= ids or not (
                {rows[0]["patient_id"], rows[10]["patient_id"]} & ids
            )
    assert sorted(held) == sorted(set(held)) and len(held) == 24


@pytest.mark.parametrize("folds", [{"k": 3, "repeats": 1, "seed": 0}, {"column": "site"}, None])
@pytest.mark.parametrize("validation", ["chosen", "given"])
def test_the_check_announces_how_many_cases_train(
    work: Workspace, folds: dict[str, Any] | None, validation: str
) -> None:
    """Patients have one to six rows, so that the fraction for validation alone does not determine it."""
    rows = work.cases(60)
    patients = [int(number**0.7) for number in range(60)]
    for patient, row in zip(patients, rows, strict=True):
        row["patient_id"] = f"P{patient}"
        row["site"], row["label"] = ["arm", "leg"][patient % 2], ["benign", "malignant"][patient // 2 % 2]
    cut = patients.index(14)
    work.table("train.csv", rows[:cut] if validation == "given" else rows)
    given = {"val_csv": str(work.table("val.csv", rows[cut:]))} if validation == "given" else {}
    announced = request(work, folds, **given)

    def trained(data_fold: dict[str, Any] | None) -> int:
        return len(work.prepare(model=TABLE_ALONE, fold=data_fold, **given).train.rows)

    for part in announced["folds"]:
        assert part["training_cases"] == trained(part["fold"])
    assert announced["training_cases"] == (trained(None) if folds is None else None)


def test_the_cases_of_a_large_table_are_estimated(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    work.table("train.csv", work.cases(60))
    monkeypatch.setattr(folds_of_study, "_MOST_DIVIDED", 0)
    announced = request(work, {"k": 2, "repeats": 1, "seed": 0}, val_fraction=0.25)
    for part in announced["folds"]:
        assert part["training_cases"] == round((60 - part["cases"]) * 0.75)


def test_images_of_the_validation_table_are_found_in_its_own_folder(work: Workspace) -> None:
    elsewhere = Workspace(work.folder / "elsewhere")
    work.table("train.csv", work.cases(20))
    val = elsewhere.table("val.csv", elsewhere.cases(10, first=100))
    prepared = work.prepare(fold=fold(0), val_csv=str(val))
    assert sum(len(part.rows) for part in (prepared.train, prepared.val, prepared.held_out)) == 30
    assert all((part.slots >= 0).all() for part in (prepared.train, prepared.val, prepared.held_out))


def test_the_same_image_saved_again_is_a_leak_between_fold_and_training(work: Workspace) -> None:
    rows = work.cases(24)
    for first, second in zip(rows[:12], rows[12:], strict=True):
        with Image.open(work.folder / first["image"]) as image:
            image.save(work.folder / second["image"], compress_level=1)
    work.table("train.csv", rows)
    with pytest.raises(
        TrainerError, match=r"images? of (train|held-out) (is|are) also in (held-out|val)"
    ) as caught:
        work.prepare(fold=fold(0))
    assert caught.value.code == "DATASET_LEAK"


def test_a_site_is_left_out_and_its_class_may_be_the_only_one(work: Workspace) -> None:
    rows = [{**row, "site": ["arm", "leg", "face"][n % 12 // 4]} for n, row in enumerate(work.cases(36))]
    for n, row in enumerate(rows):
        row["label"] = "benign" if row["site"] == "arm" or n % 4 < 2 else "malignant"
    rows[5]["site"] = rows[4]["site"] = ""
    work.table("train.csv", rows)
    prepared = work.prepare(model=TABLE_ALONE, fold={"column": "site", "value": "arm"})
    assert prepared.summary["splits"]["held-out"]["class_counts"] == {"benign": 12, "malignant": 0}
    announced = request(work, {"column": "site"})
    assert [part["name"] for part in announced["folds"]] == ["arm", "face", "leg"]
    assert announced["never_held_out"] == 2
    assert announced["folds"][0]["cases"] == 12


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"column": "site", "value": "Arm"}, "FOLDS_IMPOSSIBLE", '; did you mean "arm"?'),
        ({"column": "sites", "value": "arm"}, "COLUMN_NOT_FOUND", 'did you mean "site"'),
        ({"column": "patient_id", "value": "P0"}, "FOLDS_IMPOSSIBLE", "is the patient column"),
        ({"column": "one", "value": "x"}, "FOLDS_IMPOSSIBLE", "no training rows remain"),
        ({"column": "site", "value": "arm"}, "DATASET_LEAK", "patients of train are also in held-out"),
    ],
)  # fmt: skip
def test_a_column_that_cannot_be_the_folds_is_refused(
    work: Workspace, given: dict[str, str], code: str, said: str
) -> None:
    rows = [{**row, "one": "x"} for row in work.cases(24)]
    for number, row in enumerate(rows):
        row["site"] = "arm" if number % 2 else "leg"
    work.table("train.csv", rows)
    with pytest.raises(TrainerError) as caught:
        work.prepare(model=TABLE_ALONE, fold=given)
    assert caught.value.code == code and said in caught.value.message
    assert "P1" not in caught.value.message


def test_the_check_refuses_a_site_that_alone_has_a_class(work: Workspace) -> None:
    rows = [{**row, "site": ["arm", "leg"][n // 12]} for n, row in enumerate(work.cases(24))]
    for n, row in enumerate(rows):
        row["label"] = ["benign", "malignant", "rare"][n % 3 if n < 12 else n % 2]
    work.table("train.csv", rows)
    with pytest.raises(TrainerError, match="training has no case of rare") as caught:
        request(work, {"column": "site"})
    assert caught.value.code == "FOLDS_IMPOSSIBLE"


def test_what_is_held_out_changes_nothing_that_is_fitted(work: Workspace) -> None:
    """validity.md rule 1: different values, gaps and labels there do not change the prepared training."""
    rows = [{**row, "site": ["arm", "leg", "face"][n % 12 // 4]} for n, row in enumerate(work.cases(48))]
    for n, row in enumerate(rows):
        row["label"] = "benign" if n % 4 < 2 else "malignant"
    given: dict[str, Any] = {"fold": {"column": "site", "value": "leg"}, "scaling": "robust"}
    given |= {"categorical_encoding": "target", "feature_selection": {"method": "variance", "keep": None}}
    work.table("train.csv", rows)
    before = work.prepare(model=TABLE_ALONE, **given)
    for n, row in enumerate(rows):
        if row["site"] == "leg":
            row["age"], row["label"] = [10_000, ""][n % 2], ["malignant", "benign"][n % 4 // 2]
    work.table("train.csv", rows)
    after = work.prepare(model=TABLE_ALONE, **given)
    assert before.preprocessing == after.preprocessing and before.layout == after.layout
    for first, second in ((before.train, after.train), (before.val, after.val)):
        np.testing.assert_array_equal(first.values, second.values)
        assert first.digest == second.digest
    assert before.held_out is not None and after.held_out is not None
    assert before.held_out.digest != after.held_out.digest
