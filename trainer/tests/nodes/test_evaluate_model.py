"""EvaluateModel: the checkpoint's preprocessing is applied and never refitted; a test set that overlaps the
training data is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from testing.checkpoints import JOB_ID, evaluation_params, forget_store_version, write_table
from testing.node_runs import Nodes
from testing.trained_nodes import load_cases, train

pytestmark = pytest.mark.slow

EVALUATION = task_schemas()["evaluate"]["result"]


def blob(nodes: Nodes, facts: dict[str, Any]) -> bytes:
    return (
        nodes.folder / "artifacts" / facts["sha256"][:2] / f"{facts['sha256']}{facts['suffix']}"
    ).read_bytes()


def document(nodes: Nodes, result: dict[str, Any]) -> dict[str, Any]:
    found = json.loads(blob(nodes, result["outputs"]["metrics"]["content"]["document"]))
    Draft202012Validator(EVALUATION).validate(found)
    return found


def rows(nodes: Nodes, result: dict[str, Any]) -> list[dict[str, str]]:
    text = blob(nodes, result["outputs"]["predictions"]["content"]["table"]).decode("utf-8")
    return list(csv.DictReader(text.splitlines()))


def codes(result: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in result["warnings"]}


@pytest.fixture
def binary(nodes: Nodes) -> dict[str, Any]:
    return train(nodes, load_cases(nodes, "train.csv", split="train"))


def test_it_says_what_the_evaluate_task_says(nodes: Nodes, binary: dict[str, Any]) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    result = nodes.run("EvaluateModel", model=binary, test_dataset=test)
    found = document(nodes, result)
    assert "failure_images" not in result["outputs"]["metrics"]["content"]
    checkpoint = nodes.folder / "data" / binary["checkpoint"]
    params = evaluation_params(checkpoint, nodes.folder / "test.csv", nodes.folder / "out")
    expected = json.loads(json.dumps(evaluate(params, lambda *_: None)))
    for part in ("metrics", "intervals", "threshold", "confusion_matrix", "calibration", "class_counts"):
        assert found[part] == expected[part], part
    with (nodes.folder / "out" / "predictions.csv").open(newline="", encoding="utf-8") as file:
        for ours, theirs in zip(rows(nodes, result), csv.DictReader(file), strict=True):
            assert (theirs["file"], theirs["split"]) == ("test.csv", "test")
            assert ours.keys() - theirs.keys() == {"case_id"}
            assert all(ours[name] == theirs[name] for name in ours.keys() - {"case_id"})
    matrix = result["outputs"]["confusion_matrix"]["content"]
    assert (matrix["classes"], matrix["matrix"]) == (["no", "yes"], expected["confusion_matrix"])


def test_cases_of_a_workflow_are_a_table_already(nodes: Nodes) -> None:
    """The recipe of the model made the table of its training from files; here other nodes made it."""
    train_set = load_cases(nodes, "train.csv", split="train")
    files = [{"name": "cases", "path": f"{train_set['table']['sha256']}.csv"}]
    model = train(nodes, train_set, data__recipe={"version": 1, "files": files})
    result = nodes.run("EvaluateModel", model=model, test_dataset=load_cases(nodes, "test.csv", seed=1))
    assert document(nodes, result)["num_cases"] == 60


def test_every_case_is_predicted_under_its_id(nodes: Nodes, binary: dict[str, Any]) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    result = nodes.run("EvaluateModel", model=binary, test_dataset=test)
    assert [row["case_id"] for row in rows(nodes, result)] == nodes.cells(test)["case_id"]
    predictions = result["outputs"]["predictions"]["content"]
    assert predictions["columns"] == [
        *("case_id", "file", "row", "split", "patient", "truth", "predicted", "correct"),
        *("probability_no", "probability_yes"),
        # Five networks of the table predict; their disagreement is in additional columns.
        *("member_sd", "mutual_information"),
    ]
    assert predictions["num_cases"] == 60


def test_other_ids_are_in_the_predictions(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train", ids=("image_id", "row")))
    test = load_cases(nodes, "test.csv", seed=1, ids=("image_id", "row"))
    predictions = nodes.out("predictions", "EvaluateModel", model=model, test_dataset=test)
    assert predictions["columns"][:7] == [
        *("case_id", "file", "row", "split", "patient"),
        *("image_id", "input_row"),
    ]
    assert predictions["id_columns"] == ["image_id", "input_row"]


def test_nothing_is_fitted_to_the_test_set(nodes: Nodes, binary: dict[str, Any]) -> None:
    """The prediction of a case does not depend on the other cases."""
    whole = load_cases(nodes, "test.csv", seed=1)
    lines = (nodes.folder / "test.csv").read_text(encoding="utf-8").splitlines()
    nodes.write("part.csv", "\n".join(lines[:11]) + "\n")

    def chances(content: dict[str, Any]) -> list[float]:
        result = nodes.run("EvaluateModel", model=binary, test_dataset=content)
        return [float(row["probability_yes"]) for row in rows(nodes, result)]

    assert chances(load_cases(nodes, "part.csv")) == pytest.approx(chances(whole)[:10], abs=1e-6)


def test_of_data_that_no_node_divided_the_test_rows_are_measured(nodes: Nodes) -> None:
    """The other rows train the model: they are neither measured nor reported as a leak."""
    write_table(nodes.folder / "all.csv")
    header, *lines = (nodes.folder / "all.csv").read_text(encoding="utf-8").splitlines()
    splits = ["train"] * 30 + ["val"] * 10 + ["test"] * 20
    joined = [f"{line},{split}" for line, split in zip(lines, splits, strict=True)]
    nodes.write("all.csv", "\n".join([f"{header},split", *joined]) + "\n")
    whole = load_cases(nodes, "all.csv", split="all")
    result = nodes.run("EvaluateModel", model=train(nodes, whole), test_dataset=whole)
    found = document(nodes, result)
    assert (found["split"], found["num_cases"]) == ("test", 20)
    assert [row["case_id"] for row in rows(nodes, result)] == nodes.cells(whole)["case_id"][40:]


@pytest.mark.parametrize(
    "chosen",
    [["accuracy"], ["auc", "f1"], ["recall", "precision"], ["accuracy", "precision", "recall", "f1", "auc"]],
)
def test_the_chosen_metrics_come_first_and_the_document_holds_all(
    nodes: Nodes, binary: dict[str, Any], chosen: list[str]
) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    result = nodes.run("EvaluateModel", {"metrics": chosen}, model=binary, test_dataset=test)
    found = document(nodes, result)
    metrics = result["outputs"]["metrics"]["content"]["metrics"]
    names = {"f1": "f1_score", "precision": "ppv", "recall": "sensitivity"}
    assert list(metrics.values()) == [found["metrics"][names.get(name, name)] for name in chosen]
    assert [{"f1_score": "f1"}.get(name, name) for name in metrics] == chosen
    assert {"brier", "auprc", "specificity"} <= set(found["metrics"])


def test_precision_and_recall_of_several_classes_are_means_over_them(nodes: Nodes) -> None:
    classes = {"no": "a", "yes": "b"}
    for name, seed in (("train.csv", 0), ("test.csv", 1)):
        load_cases(nodes, name, seed=seed)
        lines = (nodes.folder / name).read_text(encoding="utf-8").splitlines()
        cells = [line.rsplit(",", 1) for line in lines[1:]]
        changed = [f"{cell[0]},{'c' if k % 3 == 0 else classes[cell[1]]}" for k, cell in enumerate(cells)]
        nodes.write(name, "\n".join([lines[0], *changed]) + "\n")
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    result = nodes.run("EvaluateModel", model=model, test_dataset=load_cases(nodes, "test.csv"))
    found, metrics = document(nodes, result), result["outputs"]["metrics"]["content"]["metrics"]
    for name, part in (("precision", "ppv"), ("recall", "sensitivity")):
        values = [row["metrics"][part] for row in found["per_class"]]
        expected = None if None in values else pytest.approx(sum(values) / 3)
        assert metrics[name] == expected
    assert len(result["outputs"]["confusion_matrix"]["content"]["matrix"]) == 3


def test_a_regression_hands_on_its_own_metrics(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train", regression=True))
    test = load_cases(nodes, "test.csv", seed=1, regression=True)
    result = nodes.run("EvaluateModel", model=model, test_dataset=test)
    assert list(result["outputs"]["metrics"]["content"]["metrics"]) == ["mae", "rmse", "r2"]
    assert "SETTING_WITHOUT_EFFECT" not in codes(result)
    chosen = nodes.run("EvaluateModel", {"metrics": ["auc"]}, model=model, test_dataset=test)
    assert "SETTING_WITHOUT_EFFECT" in codes(chosen)
    matrix = result["outputs"]["confusion_matrix"]["content"]
    assert (matrix["classes"], matrix["matrix"]) == (None, None)
    assert list(rows(nodes, result)[0])[-3:] == ["truth", "predicted", "member_sd"]


def test_predictions_are_kept_as_a_file_of_the_run_where_that_is_wanted(
    nodes: Nodes, binary: dict[str, Any]
) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    result = nodes.run("EvaluateModel", {"save_predictions": False}, model=binary, test_dataset=test)
    assert "files" not in result["outputs"]["metrics"]["content"] and len(rows(nodes, result)) == 60
    saved = nodes.run("EvaluateModel", {"save_predictions": True}, model=binary, test_dataset=test)
    (file,) = saved["outputs"]["metrics"]["content"]["files"]
    assert file["path"] == f"artifacts/{document(nodes, saved)['predictions']}"
    assert file["blob"] == saved["outputs"]["predictions"]["content"]["table"]


def test_the_importance_of_the_inputs_is_measured_where_that_is_asked_for(
    nodes: Nodes, binary: dict[str, Any]
) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    asked = nodes.run("EvaluateModel", {"importance": 2}, model=binary, test_dataset=test)
    importance = document(nodes, asked)["importance"]
    assert importance["repeats"] == 2
    assert {"age", "sex"} <= {one["name"] for one in importance["inputs"]}
    files = asked["outputs"]["metrics"]["content"]["files"]
    kept = [one for one in files if one["title"] == "Predictions without images or table"]
    assert [one["path"] for one in kept] == (
        [] if importance["predictions"] is None else [f"artifacts/{importance['predictions']}"]
    )
    plain = document(nodes, nodes.run("EvaluateModel", model=binary, test_dataset=test))
    assert plain.get("importance") is None


def test_the_same_inputs_give_the_same_bytes(nodes: Nodes, binary: dict[str, Any]) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    first, second = (nodes.run("EvaluateModel", model=binary, test_dataset=test) for _ in range(2))
    assert first == second
    assert str(nodes.folder) not in blob(nodes, first["outputs"]["metrics"]["content"]["document"]).decode()


def test_a_table_that_names_label_and_patient_otherwise(nodes: Nodes, binary: dict[str, Any]) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    expected = document(nodes, nodes.run("EvaluateModel", model=binary, test_dataset=test))["metrics"]
    text = (nodes.folder / "test.csv").read_text(encoding="utf-8")
    header, body = text.split("\n", 1)
    nodes.write(
        "other.csv", header.replace("label", "diagnosis").replace("patient_id", "subject") + "\n" + body
    )
    other = load_cases(nodes, "other.csv") | {"label_column": "diagnosis", "patient_column": "subject"}
    found = document(nodes, nodes.run("EvaluateModel", model=binary, test_dataset=other))
    assert found["metrics"] == expected and found["num_patients"] == 30


class TestLeakage:
    def test_new_patients_are_welcome(self, nodes: Nodes, binary: dict[str, Any]) -> None:
        test = load_cases(nodes, "test.csv", seed=1)
        assert "DATASET_LEAK" not in codes(nodes.run("EvaluateModel", model=binary, test_dataset=test))

    @pytest.mark.parametrize("part", ["train", "val"])
    def test_patients_of_the_training_and_the_validation_data_are_recognized(
        self, nodes: Nodes, part: str
    ) -> None:
        sets = {
            "train": load_cases(nodes, "train.csv", split="train"),
            "val": load_cases(nodes, "val.csv", split="val", seed=2),
        }
        model = train(nodes, sets["train"], sets["val"])
        load_cases(nodes, "test.csv", seed=1)
        known = (nodes.folder / f"{part}.csv").read_text(encoding="utf-8").splitlines()
        with (nodes.folder / "test.csv").open("a", encoding="utf-8") as file:
            file.write("\n".join(known[1:7]) + "\n")
        error = nodes.refuse(
            "DATASET_LEAK", "EvaluateModel", model=model, test_dataset=load_cases(nodes, "test.csv")
        )
        assert error.message.startswith("3 patients of the test data")
        assert "allow_leakage in the node that trained the model" in error.details
        assert "secret" not in error.message, "counts only"

    def test_patients_whose_ids_are_written_differently_are_a_warning(self, nodes: Nodes) -> None:
        def numbered(name: str, ending: str, **options: Any) -> dict[str, Any]:
            load_cases(nodes, name, **options)
            header, *rows = (nodes.folder / name).read_text(encoding="utf-8").splitlines()
            place = header.split(",").index("patient_id")
            cells = [row.split(",") for row in rows]
            patients = list(dict.fromkeys(row[place] for row in cells))
            for row in cells:
                row[place] = f"{patients.index(row[place])}{ending}"
            nodes.write(name, "\n".join([header, *(",".join(row) for row in cells)]) + "\n")
            return load_cases(nodes, name)

        model = train(nodes, numbered("train.csv", "") | {"split": "train"})
        result = nodes.run("EvaluateModel", model=model, test_dataset=numbered("test.csv", ".0", seed=1))
        (warning,) = [one for one in result["warnings"] if one["code"] == "PATIENTS_ALIKE"]
        assert warning["message"].startswith("30 patient IDs of the training data and the test data")

    def test_cases_of_one_table_are_recognized_through_lineage(self, nodes: Nodes) -> None:
        """Without patients and images, if both sets were taken from one table."""
        load_cases(nodes, "all.csv")
        whole = load_cases(nodes, "all.csv") | {"patient_column": None}
        model = train(nodes, whole | {"split": "train"})
        part = nodes.read(whole).take(range(5))
        text = "\n".join(
            [
                ",".join(part.table.columns),
                *(",".join(cells) for cells in zip(*part.table.cells.values(), strict=True)),
            ]
        )
        nodes.write("part.csv", text + "\n")
        test = load_cases(nodes, "part.csv") | {"patient_column": None}
        lost = {"lineage": [*whole["lineage"], *test["lineage"]]}
        # The patient column is unknown to all; ids are only compared if a table is shared.
        assert "DATASET_LEAK" not in codes(
            nodes.run("EvaluateModel", model=blind(nodes, model), test_dataset=test)
        )
        error = nodes.refuse(
            "DATASET_LEAK", "EvaluateModel", model=blind(nodes, model), test_dataset=test | lost
        )
        assert error.message.startswith("5 cases of the test data")

    @pytest.mark.parametrize("reads_images", [True, False])
    def test_the_same_image_under_another_name_is_recognized(self, nodes: Nodes, reads_images: bool) -> None:
        backbone = "mobilenetv3_small_100" if reads_images else "none"
        train_set = load_cases(nodes, "train.csv", split="train", rows=24, images=True)
        model = train(nodes, train_set, model__vision_backbone=backbone)
        load_cases(nodes, "test.csv", seed=1, rows=24, images=True)
        (nodes.folder / "1-5.png").write_bytes((nodes.folder / "0-3.png").read_bytes())
        test = load_cases(nodes, "test.csv")
        error = nodes.refuse("DATASET_LEAK", "EvaluateModel", model=model, test_dataset=test)
        assert error.message.startswith("1 image of the test data")

    def test_images_that_an_earlier_version_saw_before_a_fine_tuning_are_recognized(
        self, nodes: Nodes
    ) -> None:
        train_set = load_cases(nodes, "train.csv", split="train", rows=24, images=True)
        model = train(nodes, train_set, model__vision_backbone="mobilenetv3_small_100")
        test = load_cases(nodes, "test.csv", seed=1, rows=24, images=True)
        folder = nodes.folder / "data" / model["checkpoint"]
        trained = load_checkpoint(folder)
        state = trained.state | {"fine_tuned_from": {"job_id": JOB_ID}}
        tensors = {"model": trained.tensors("model")}
        save_checkpoint(folder, job_id=JOB_ID, epoch=1, metrics={}, state=state, tensors=tensors)
        forget_store_version(folder.parents[1], [nodes.folder / "1-5.png"])
        error = nodes.refuse("DATASET_LEAK", "EvaluateModel", model=model, test_dataset=test)
        assert error.message.startswith("1 image of the test data")

    @pytest.mark.parametrize("where", ["data", "training"])
    def test_a_leak_that_is_allowed_reaches_the_report(
        self, nodes: Nodes, binary: dict[str, Any], where: str
    ) -> None:
        allowed = {"data.allow_leakage": True}
        test = load_cases(nodes, "train.csv", settings=allowed if where == "data" else {})
        model = binary | {"settings": allowed if where == "training" else {}}
        result = nodes.run("EvaluateModel", model=model, test_dataset=test)
        assert "DATASET_LEAK" in codes(result)
        (warning,) = [one for one in document(nodes, result)["warnings"] if one["code"] == "DATASET_LEAK"]
        assert "30 patients" in warning["message"]

    def test_images_that_are_gone_are_said_not_to_be_compared(self, nodes: Nodes) -> None:
        train_set = load_cases(nodes, "train.csv", split="train", rows=24, images=True)
        model = train(nodes, train_set, model__vision_backbone="mobilenetv3_small_100")
        test = load_cases(nodes, "test.csv", seed=1, rows=24, images=True)
        for number in range(3):
            (nodes.folder / f"0-{number}.png").unlink()
        result = nodes.run("EvaluateModel", model=model, test_dataset=test)
        (warning,) = [one for one in result["warnings"] if one["code"] == "LEAK_CHECK_INCOMPLETE"]
        assert warning["message"].startswith("3 training images")
        # The failure cases still have their images, without a name; those of tables have none.
        content = result["outputs"]["metrics"]["content"]
        text = blob(nodes, content["failure_images"]).decode("utf-8")
        assert len(json.loads(text)["cases"]) == min(12, len(document(nodes, result)["failures"]))
        assert "secret" not in text and ".png" not in text


def blind(nodes: Nodes, model: dict[str, Any]) -> dict[str, Any]:
    """The same model, from a training without patients."""
    from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint

    folder: Path = nodes.folder / "data" / model["checkpoint"]
    checkpoint = load_checkpoint(folder)
    state = checkpoint.state
    state["preprocessing"]["patient_column"] = None
    save_checkpoint(
        folder,
        job_id=model["job_id"],
        epoch=1,
        metrics={},
        state=state,
        tensors={"model": checkpoint.tensors("model")},
    )
    return model


def test_what_cannot_be_evaluated_is_refused(nodes: Nodes, binary: dict[str, Any]) -> None:
    test = load_cases(nodes, "test.csv", seed=1)
    plan = {"content": "model_plan", "settings": {}, "num_classes": 2, "task": "classification"}
    assert (
        "is not trained"
        in nodes.refuse("INVALID_REQUEST", "EvaluateModel", model=plan, test_dataset=test).message
    )
    outside = binary | {"checkpoint": "../elsewhere"}
    nodes.refuse("PATH_NOT_ALLOWED", "EvaluateModel", model=outside, test_dataset=test)
    gone = binary | {"checkpoint": "runs/nothing"}
    nodes.refuse("CHECKPOINT_NOT_FOUND", "EvaluateModel", model=gone, test_dataset=test)
    replaced = binary | {"checkpoint_digest": "0" * 64}
    assert (
        "replaced"
        in nodes.refuse("CHECKPOINT_CORRUPT", "EvaluateModel", model=replaced, test_dataset=test).message
    )
    foreign = load_cases(nodes, "foreign.csv", seed=1, classes=("maybe", "perhaps"))
    nodes.refuse("LABEL_INVALID", "EvaluateModel", model=binary, test_dataset=foreign)
