"""From the configuration to arrays: roles, splits, leaks, images, and the same preparation for another
table.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.apply import prepare_cases
from medloom_trainer.data.types import InferenceData, PreparationStopped, PreparedData
from medloom_trainer.errors import TrainerError
from testing.workspace import Workspace, codes


def infer(
    work: Workspace, prepared: PreparedData, csv: Path, split: str = "test", **options: Any
) -> InferenceData:
    state = json.loads(json.dumps(prepared.preprocessing, allow_nan=False))
    return prepare_cases(
        state, csv, image_root=None, split=split, roots=[work.folder], cache_dir=work.cache,
        progress=lambda message, fraction: None, **options,
    )  # fmt: skip


def refused(work: Workspace, code: str, **data: Any) -> str:
    with pytest.raises(TrainerError) as caught:
        work.prepare(**data)
    assert caught.value.code == code
    return caught.value.message


def test_a_table_with_images_becomes_arrays(work: Workspace) -> None:
    work.table("train.csv", work.cases(24))
    prepared = work.prepare()
    assert (prepared.task, prepared.classes, prepared.num_views) == (
        "classification",
        ("benign", "malignant"),
        1,
    )
    assert len(prepared.train.rows) + len(prepared.val.rows) == 24
    assert set(prepared.train.rows.tolist()) | set(prepared.val.rows.tolist()) == set(range(2, 26))
    for cases in (prepared.train, prepared.val):
        count = len(cases.rows)
        assert cases.values.shape == (count, prepared.layout.num_values) == (count, 4)
        assert cases.present.shape == (count, 2) and cases.present.all()
        assert cases.slots is not None and prepared.store is not None
        assert prepared.store.gather(cases.slots).shape == (count, 1, 16, 16, 3)
    summary = prepared.summary
    assert summary["splits"]["train"]["cases"] == len(prepared.train.rows)
    assert sum(summary["splits"]["train"]["class_counts"].values()) == len(prepared.train.rows)
    assert (summary["image_columns"], summary["numeric_columns"], summary["categorical_columns"]) == (
        ["image"], ["age"], ["site"],
    )  # fmt: skip
    json.dumps(
        [summary, prepared.preprocessing, prepared.flow, prepared.image_normalization], allow_nan=False
    )


def test_the_split_is_by_patient_and_the_same_for_the_same_seed(work: Workspace) -> None:
    work.table("train.csv", work.cases(40))
    prepared, again = work.prepare(), work.prepare()
    assert not {row // 2 for row in prepared.train.rows.tolist()} & {
        row // 2 for row in prepared.val.rows.tolist()
    }
    np.testing.assert_array_equal(prepared.val.rows, again.val.rows)
    assert prepared.train.digest == again.train.digest != prepared.val.digest


def test_without_patients_the_same_image_still_stays_in_one_split(work: Workspace) -> None:
    rows = [{**row, "patient_id": ""} for row in work.cases(20)]
    for row in rows[10:]:
        row["label"] = rows[0]["label"]
        shutil.copy(work.folder / rows[0]["image"], work.folder / row["image"])
    work.table("train.csv", rows)
    prepared = work.prepare(ignore_columns=["patient_id"])
    shared = {2, *range(12, 22)}
    assert shared <= set(prepared.train.rows.tolist()) or shared <= set(prepared.val.rows.tolist())


def test_a_split_column_is_honored(work: Workspace) -> None:
    rows = work.cases(18)
    for number, row in enumerate(rows):
        row["split"] = ["Train"] * 10 + ["valid"] * 4 + ["test"] * 2 + ["spare"] * 2
        row["split"] = row["split"][number]
    path = work.table("train.csv", rows)
    prepared = work.prepare()
    assert prepared.train.rows.tolist() == list(range(2, 12))
    assert prepared.val.rows.tolist() == list(range(12, 16))
    assert "UNKNOWN_SPLIT" in codes(prepared.summary["warnings"])
    assert infer(work, prepared, path).cases.rows.tolist() == [16, 17]
    assert infer(work, prepared, path, "val").cases.digest == prepared.val.digest
    with pytest.raises(TrainerError, match="no row"):
        infer(work, prepared, path, "fold9")


def two_tables(work: Workspace, change: Any = None, name: str = "val.csv") -> Path:
    train, other = work.cases(16), work.cases(8, first=100)
    if change is not None:
        change(train, other)
    work.table("train.csv", train)
    return work.table(name, other)


def same_patient(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    other[3]["patient_id"] = f" {train[0]['patient_id']} "


def same_file(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    other[5]["image"] = train[2]["image"]


@pytest.mark.parametrize("key", ["val_csv", "test_csv"])
@pytest.mark.parametrize(
    ("change", "said"), [(same_patient, "1 patient of train"), (same_file, "1 image of train")]
)
def test_a_leak_is_refused_unless_allowed_and_then_reported(
    work: Workspace, key: str, change: Any, said: str
) -> None:
    path = two_tables(work, change)
    message = refused(work, "DATASET_LEAK", **{key: str(path)})
    assert said in message and "val.csv, row" in message
    assert "P0" not in message  # patients are counted, not named
    prepared = work.prepare(**{key: str(path), "allow_leakage": True})
    assert "DATASET_LEAK" in codes(prepared.summary["warnings"])


def test_the_same_pixels_in_another_file_are_a_leak(work: Workspace) -> None:
    def saved_again(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
        with Image.open(work.folder / train[0]["image"]) as image:
            image.save(work.folder / other[0]["image"], compress_level=1)
        assert (work.folder / train[0]["image"]).read_bytes() != (
            work.folder / other[0]["image"]
        ).read_bytes()

    path = two_tables(work, saved_again)
    assert "1 image of train is also in val (val.csv, row 2)" in refused(
        work, "DATASET_LEAK", val_csv=str(path)
    )


def test_a_model_of_the_table_alone_sees_the_same_image_too(work: Workspace) -> None:
    def copied(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
        shutil.copy(work.folder / train[0]["image"], work.folder / other[0]["image"])

    path = str(two_tables(work, copied))
    message = "1 image of train is also in val (val.csv, row 2)"
    with pytest.raises(TrainerError, match=re.escape(message)):
        work.prepare(val_csv=path, model={"vision_backbone": "none"})
    prepared = work.prepare(val_csv=path, allow_leakage=True, model={"vision_backbone": "none"})
    assert "DATASET_LEAK" in codes(prepared.summary["warnings"])


def test_a_model_of_the_table_alone_keeps_cases_of_one_image_together(work: Workspace) -> None:
    rows = work.cases(24, per_patient=1)
    for row in rows[1::2]:
        row["image"] = rows[rows.index(row) - 1]["image"]
    work.table("train.csv", rows)
    prepared = work.prepare(model={"vision_backbone": "none"})
    assert {row // 2 for row in prepared.train.rows} & {row // 2 for row in prepared.val.rows} == set()


def test_images_that_a_model_of_the_table_alone_cannot_compare_are_counted(work: Workspace) -> None:
    path = two_tables(work)
    (work.folder / "images/3.png").write_bytes(b"no image")
    warnings = work.prepare(val_csv=str(path), model={"vision_backbone": "none"}).summary["warnings"]
    (warning,) = [one for one in warnings if one["code"] == "LEAK_CHECK_INCOMPLETE"]
    assert warning["message"].startswith("1 image")


def test_separate_tables_do_not_leak(work: Workspace) -> None:
    path = two_tables(work)
    prepared = work.prepare(val_csv=str(path))
    assert (len(prepared.train.rows), len(prepared.val.rows)) == (16, 8)
    assert "DATASET_LEAK" not in codes(prepared.summary["warnings"])


def test_validation_values_never_reach_what_is_fitted(work: Workspace) -> None:
    options: dict[str, Any] = {
        "normalize": "zscore", "missing_strategy": "mean", "categorical_encoding": "target",
        "val_csv": "val.csv",
    }  # fmt: skip
    two_tables(work)
    first = work.prepare(**options)

    def everything_else(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
        for number, row in enumerate(other):
            row |= {"age": 1000 + number, "site": "moon", "label": "malignant"}
            Image.new("RGB", (9, 9), (255, number, 0)).save(work.folder / row["image"])

    two_tables(work, everything_else)
    second = work.prepare(**options)
    assert first.preprocessing == second.preprocessing
    assert first.image_normalization == second.image_normalization
    np.testing.assert_array_equal(first.train.values, second.train.values)
    assert first.val.digest != second.val.digest
    assert "UNSEEN_CATEGORIES" in codes(second.summary["warnings"])


def test_target_codes_of_training_rows_leave_out_their_own_labels(work: Workspace) -> None:
    two_tables(work)
    prepared = work.prepare(val_csv="val.csv", categorical_encoding="target")
    with_own_labels = infer(work, prepared, work.folder / "train.csv").cases
    np.testing.assert_array_equal(with_own_labels.values[:, 0], prepared.train.values[:, 0])
    assert not np.isclose(with_own_labels.values[:, 1], prepared.train.values[:, 1]).any()


def test_the_labels_of_the_test_table_are_never_read(work: Workspace) -> None:
    def no_labels(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
        for row in other:
            row["label"] = "never seen"

    path = two_tables(work, no_labels, "test.csv")
    with_test = work.prepare(test_csv=str(path))
    assert with_test.preprocessing == work.prepare().preprocessing
    assert set(with_test.summary["splits"]) == {"train", "val", "test"}
    assert with_test.summary["splits"]["test"]["class_counts"] is None


def test_another_table_is_prepared_as_training_was(work: Workspace) -> None:
    path = two_tables(work)
    prepared = work.prepare(val_csv=str(path), normalize="minmax", subgroup_columns=["site"])
    inferred = infer(work, prepared, path)
    for name in ("rows", "slots", "values", "codes", "present", "labels", "patients"):
        np.testing.assert_array_equal(getattr(inferred.cases, name), getattr(prepared.val, name))
    assert inferred.cases.digest == prepared.val.digest
    assert set(inferred.cases.subgroups) == {"age", "site"}
    assert inferred.missing == {"image": 0, "age": 0, "site": 0}
    assert inferred.flow == [{"step": "rows of val.csv", "cases": 8, "patients": 4}]


def test_labels_may_be_absent_when_only_predicting(work: Workspace) -> None:
    two_tables(work)
    prepared = work.prepare()
    rows = [{key: value for key, value in row.items() if key != "label"} for row in work.cases(4, first=200)]
    path = work.table("new.csv", rows)
    assert infer(work, prepared, path, labels_required=False).cases.labels is None
    with pytest.raises(TrainerError) as caught:
        infer(work, prepared, path)
    assert caught.value.code == "COLUMN_NOT_FOUND"


def test_a_class_only_in_validation_is_refused(work: Workspace) -> None:
    def third_class(train: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
        other[2]["label"] = "third"

    path = two_tables(work, third_class)
    assert "val.csv, row 4" in refused(work, "LABEL_INVALID", val_csv=str(path))


def test_missing_and_damaged_images_are_found_and_listed(work: Workspace) -> None:
    rows = work.cases(40)
    for row in rows[:23]:
        (work.folder / row["image"]).unlink()
    (work.folder / rows[30]["image"]).write_bytes(b"no image")
    rows[35]["image"] = "../../etc/passwd.png"
    cut = work.folder / rows[36]["image"]
    cut.write_bytes(cut.read_bytes()[:300])
    rows[37]["image"] = ""
    work.table("train.csv", rows)
    message = refused(work, "IMAGES_UNREADABLE")
    assert message.startswith("26 image files are missing or unreadable: train.csv row 2 (image): is missing")
    assert message.endswith("and 6 more; 1 case has no image: train.csv row 39")
    prepared = work.prepare(unreadable_images="missing")
    assert prepared.train.slots is not None and prepared.val.slots is not None
    missing = (prepared.train.slots < 0).sum() + (prepared.val.slots < 0).sum()
    assert missing == 27
    assert "IMAGES_UNREADABLE" in codes(prepared.summary["warnings"])


def test_damaged_images_of_the_test_table_are_found_before_training(work: Workspace) -> None:
    path = two_tables(work, name="test.csv")
    (work.folder / "images/103.png").unlink()
    assert "test.csv row 5" in refused(work, "IMAGES_UNREADABLE", test_csv=str(path))


def test_several_views_some_of_them_missing(work: Workspace) -> None:
    rows = [
        {"image_1": row["image"], "image_2": row["image"] if number % 2 else "", **row, "image": None}
        for number, row in enumerate(work.cases(16))
    ]
    for row in rows:
        del row["image"]
    path = work.table("train.csv", rows)
    prepared = work.prepare()
    assert prepared.num_views == 2
    inferred = infer(work, prepared, path)
    assert inferred.cases.slots is not None
    np.testing.assert_array_equal(inferred.cases.slots[:, 1] >= 0, np.arange(16) % 2 == 1)
    assert inferred.missing["image_2"] == 8


def test_16_bits_in_any_file_make_a_16_bit_store(work: Workspace) -> None:
    rows = work.cases(12)
    pixels = np.random.default_rng(0).integers(0, 4096, (16, 16)).astype(np.uint16)
    Image.fromarray(pixels).save(work.folder / rows[3]["image"])
    path = work.table("train.csv", rows)
    prepared = work.prepare()
    assert prepared.store is not None and prepared.store.depth == 16
    cases = infer(work, prepared, path).cases
    assert cases.slots is not None
    np.testing.assert_array_equal(prepared.store.gather(cases.slots[3:4])[0, 0, :, :, 0], pixels)


def test_one_image_of_colors_and_all_are_stored_with_three_channels(work: Workspace) -> None:
    rows = work.cases(12)
    for row in rows:
        with Image.open(work.folder / row["image"]) as image:
            image.convert("L").save(work.folder / row["image"])
    path = work.table("train.csv", rows)
    gray = work.prepare()
    assert gray.store is not None and gray.store.record_shape == (16, 16, 1)
    records = gray.store.gather(infer(work, gray, path).cases.slots[1:])
    with Image.open(work.folder / rows[0]["image"]) as image:
        image.convert("RGB").save(work.folder / rows[0]["image"])
    mixed = work.prepare()
    assert mixed.store is not None and mixed.store.record_shape == (16, 16, 3)
    np.testing.assert_array_equal(mixed.store.gather(infer(work, mixed, path).cases.slots[1:]), records)


def test_the_ablations(work: Workspace) -> None:
    rows = work.cases(12)
    work.table("train.csv", rows)
    image_only = work.prepare(model={"fusion_type": "none"})
    assert image_only.layout.columns == () and image_only.train.values.shape[1] == 0
    assert image_only.summary["ignored_columns"]["age"] == "fusion_type is none"
    shutil.rmtree(work.folder / "images")
    table_only = work.prepare(model={"vision_backbone": "none"})
    assert table_only.store is None and table_only.train.slots is None and table_only.num_views == 0
    assert table_only.summary["ignored_columns"]["image"] == "vision_backbone is none"
    assert infer(work, table_only, work.folder / "train.csv").store is None


def test_a_modality_that_is_not_there(work: Workspace) -> None:
    work.table("train.csv", [{"age": row, "label": row % 2} for row in range(12)])
    assert "image" in refused(work, "DATASET_INVALID")
    work.table("train.csv", [{"image": row["image"], "label": row["label"]} for row in work.cases(12)])
    assert "remain as input" in refused(work, "DATASET_INVALID")


def test_regression(work: Workspace) -> None:
    rows = [{**row, "label": 50 + 1.5 * number} for number, row in enumerate(work.cases(24))]
    work.table("train.csv", rows)
    prepared = work.prepare()
    assert (prepared.task, prepared.classes) == ("regression", None)
    labels = prepared.train.labels
    assert labels is not None and labels.dtype == np.float64
    assert prepared.label_normalization == pytest.approx({"mean": labels.mean(), "std": labels.std()})
    assert prepared.summary["splits"]["val"]["class_counts"] is None


def test_dropping_rows_is_told_in_the_flow(work: Workspace) -> None:
    rows = work.cases(24)
    for row in rows[::4]:
        row["age"] = ""
    path = work.table("train.csv", rows)
    prepared = work.prepare(missing_strategy="drop")
    assert {"step": "train rows without missing values", "cases": 18, "patients": 12} in prepared.flow
    inferred = infer(work, prepared, path)
    assert len(inferred.cases.rows) == 18
    assert [step["cases"] for step in inferred.flow] == [24, 18]


@pytest.mark.parametrize("strategy", ["token", "mean", "median", "mode"])
def test_missing_values_are_counted_by_part_and_column_whatever_fills_them(
    work: Workspace, strategy: str
) -> None:
    train, val, test = work.cases(16), work.cases(8, first=100), work.cases(6, first=200)
    train[0]["age"], train[1]["age"], train[2]["site"] = "", "NA", "?"
    val[0]["age"], val[1]["age"] = "nan", "inf"
    for row in test[:4]:
        row["site"] = ""
    train[3]["image"] = ""
    for name, rows in (("train.csv", train), ("val.csv", val), ("test.csv", test)):
        work.table(name, rows)
    options: dict[str, Any] = {"val_csv": "val.csv", "test_csv": "test.csv", "unreadable_images": "missing"}
    prepared = work.prepare(missing_strategy=strategy, **options)
    assert prepared.summary["missing"] == {
        "train": {"cases": 16, "columns": {"image": 1, "age": 2, "site": 1}},
        "val": {"cases": 8, "columns": {"image": 0, "age": 1, "site": 0}},
        "test": {"cases": 6, "columns": {"image": 0, "age": 0, "site": 4}},
    }


def test_missing_values_follow_the_cases_into_a_validation_split(work: Workspace) -> None:
    rows = work.cases(40)
    for row in rows[::5]:
        row["age"] = ""
    work.table("train.csv", rows)
    prepared = work.prepare(missing_strategy="mean")
    missing = prepared.summary["missing"]
    lines = {2 + row for row in range(0, 40, 5)}
    for split, cases in (("train", prepared.train), ("val", prepared.val)):
        assert missing[split]["cases"] == len(cases.rows)
        assert missing[split]["columns"]["age"] == len(lines & set(cases.rows.tolist()))


def test_missing_values_of_rows_that_are_left_out_are_counted_too(work: Workspace) -> None:
    rows = work.cases(24)
    for row in rows[::4]:
        row["age"] = ""
    rows[4]["site"] = ""
    work.table("train.csv", rows)
    missing = work.prepare(missing_strategy="drop").summary["missing"]
    assert missing["left out of train"] == {"cases": 6, "columns": {"age": 6, "site": 1}}
    assert {split: missing[split]["columns"]["age"] for split in ("train", "val")} == {"train": 0, "val": 0}


def test_a_setting_that_these_data_leave_without_effect_is_a_warning(work: Workspace) -> None:
    def warned(**data: Any) -> list[str]:
        warnings = work.prepare(**data).summary["warnings"]
        return [each["message"] for each in warnings if each["code"] == "SETTING_WITHOUT_EFFECT"]

    rows = work.cases(16)
    work.table("train.csv", rows)
    window = {"center": 40, "width": 80}
    assert warned(val_fraction=0.3) == []
    assert "data.window" in warned(window=window)[0]
    Image.new("L", (9, 9), 40).save(work.folder / rows[0]["image"])
    assert warned(window=window) == []
    work.table("train.csv", [{**row, "split": "val" if row in rows[12:] else "train"} for row in rows])
    assert "data.val_fraction" in warned(val_fraction=0.3)[0]
    assert warned(val_fraction=0.2) == []


def test_operating_points_of_more_than_two_classes_are_a_warning(work: Workspace) -> None:
    rules = [{"rule": "sensitivity", "at_least": 0.95}]

    def warned(classes: int, points: list[dict[str, Any]]) -> list[str]:
        rows = work.cases(18)
        work.table("train.csv", [{**row, "label": "abc"[i % classes]} for i, row in enumerate(rows)])
        config = work.config(model={"vision_backbone": "none"})
        config["training"]["operating_points"] = points
        warnings = work.prepare_with(config).summary["warnings"]
        return [one["message"] for one in warnings if one["code"] == "SETTING_WITHOUT_EFFECT"]

    assert warned(2, rules) == []
    assert "this task has 3 classes" in warned(3, rules)[0]
    # The default operating points of every configuration cause no warning.
    assert warned(3, contract_defaults("LoopConfig")["operating_points"]) == []


def test_a_batch_larger_than_the_training_split(work: Workspace) -> None:
    work.table("train.csv", work.cases(12))
    config = work.config()
    config["training"]["batch_size"] = 12
    with pytest.raises(TrainerError) as caught:
        work.prepare_with(config)
    assert caught.value.code == "BATCH_TOO_LARGE"


def test_stopping_between_images(work: Workspace) -> None:
    work.table("train.csv", work.cases(20))
    calls = iter(range(1000))
    with pytest.raises(PreparationStopped):
        work.prepare_with(work.config(), should_stop=lambda: next(calls) > 8)
    assert next(calls) < 15


def test_a_case_without_a_patient_is_one_of_its_own(work: Workspace) -> None:
    rows = work.cases(20)
    for row in rows[:6]:
        row["patient_id"] = ""
    work.table("train.csv", rows)
    patients = work.prepare(val_csv=str(two_tables_val(work))).train.patients
    assert patients is not None
    assert len(set(patients[:6].tolist())) == 6
    assert len(set(patients.tolist())) == 6 + 7


def two_tables_val(work: Workspace) -> Path:
    return work.table("val.csv", work.cases(8, first=100))


def test_the_positive_class_is_the_one_that_the_configuration_names(work: Workspace) -> None:
    work.table("train.csv", [row | {"label": ["ACK", "BCC"][n % 2]} for n, row in enumerate(work.cases(24))])
    assumed = work.prepare(model={"vision_backbone": "none"})
    assert (assumed.classes, assumed.summary["positive_class"]) == (("ACK", "BCC"), "BCC")
    assert "POSITIVE_CLASS_ASSUMED" in codes(assumed.summary["warnings"])
    named = work.prepare(model={"vision_backbone": "none"}, positive_class="ACK")
    assert (named.classes, named.summary["positive_class"]) == (("BCC", "ACK"), "ACK")
    assert "POSITIVE_CLASS_ASSUMED" not in codes(named.summary["warnings"])
    later = infer(work, named, work.folder / "train.csv")
    assert later.cases.labels is not None
    assert later.cases.labels.tolist() == [1, 0] * 12, "evaluating later means the same class"


def test_gaps_that_training_never_saw_are_said_with_columns_and_counts(work: Workspace) -> None:
    rows = work.cases(24)
    for row in rows[::3]:
        row["site"] = ""
    work.table("train.csv", rows)
    val = work.table("val.csv", work.cases(6, 90))
    prepared = work.prepare(model={"vision_backbone": "none"}, val_csv=str(val))
    later = work.cases(9, first=50)
    for row in later[:4]:
        row["age"] = ""
    for row in later[:2]:
        row["site"] = ""
    found = infer(work, prepared, work.table("later.csv", later))
    (given,) = [one for one in found.warnings if one["code"] == "MISSING_NEVER_SEEN"]
    assert '"age" (4)' in given["message"] and "site" not in given["message"]
    assert "MISSING_NEVER_SEEN" not in codes(infer(work, prepared, work.folder / "train.csv").warnings)


def test_the_layout_knows_the_average_training_row_and_an_unseen_category_reads_so(work: Workspace) -> None:
    work.table("train.csv", work.cases(24))
    prepared = work.prepare(
        model={"vision_backbone": "none"}, val_csv=str(work.table("val.csv", work.cases(6, 90)))
    )
    age, site = prepared.layout.columns
    assert age.means == pytest.approx([0], abs=1e-6), "scaled by these rows"
    shares = prepared.train.values[:, site.start : site.start + site.width].mean(axis=0)
    assert site.means == pytest.approx(shares.tolist())
    as_earlier = work.prepare(
        model={"vision_backbone": "none", "missing_token": "random"}, val_csv=str(work.folder / "val.csv")
    )
    assert {column.means for column in as_earlier.layout.columns} == {None}
    later = [row | {"site": "elsewhere"} for row in work.cases(3, first=50)]
    found = infer(work, prepared, work.table("later.csv", later))
    assert found.cases.values[0, site.start : site.start + site.width] == pytest.approx(shares)


def test_cases_know_their_file_row_and_patient(work: Workspace) -> None:
    work.table("train.csv", work.cases(16))
    work.table("val.csv", work.cases(4, first=100))
    cases = work.prepare(val_csv="val.csv").val
    assert cases.places == [("val.csv", line) for line in range(2, 6)]
    assert cases.patient_ids == ["P50", "P50", "P51", "P51"]


def test_cases_know_their_other_ids(work: Workspace) -> None:
    rows = [row | {"accession": f"A{number}"} for number, row in enumerate(work.cases(20))]
    work.table("train.csv", rows)
    prepared = work.prepare()
    for cases in (prepared.train, prepared.val):
        assert cases.other_ids == {"accession": [f"A{row - 2}" for row in cases.rows.tolist()]}
