"""External validation: cases that differ from those of the training, and the reported differences."""

import csv
import json

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn import metrics as reference

from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.evaluation.recalibration import recalibration
from medloom_trainer.evaluation.shift import by_chance, mean_difference, share_difference
from medloom_trainer.inference.checkpoint import load_checkpoint, save_checkpoint
from medloom_trainer.metrics.binary import BinaryOutcome
from medloom_trainer.metrics.multiclass import MulticlassOutcome
from medloom_trainer.metrics.regression import RegressionOutcome
from testing.checkpoints import configuration, evaluation_params, write_checkpoint, write_table


def rows_of(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rewritten(path, change):
    """The table after `change(row number, row)`; a row without a column has none."""
    rows = [change(number, row) for number, row in enumerate(rows_of(path))]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def run(checkpoint, table, out):
    return evaluate(evaluation_params(checkpoint, table, out), lambda *_: None)


def codes(result):
    return [warning["code"] for warning in result["warnings"]]


def test_a_column_that_the_table_lacks_is_missing_everywhere_and_said(binary_checkpoint, tmp_path):
    checkpoint = binary_checkpoint[0]
    table = write_table(tmp_path / "test.csv", seed=1)
    gaps = rewritten(write_table(tmp_path / "gaps.csv", seed=1), lambda _, row: row | {"sex": ""})
    lacking = rewritten(table, lambda _, row: {k: v for k, v in row.items() if k != "sex"})
    found, expected = run(checkpoint, lacking, tmp_path / "a"), run(checkpoint, gaps, tmp_path / "b")
    assert found["metrics"] == expected["metrics"] and found["missing"] == {"age": 0, "sex": 60}
    assert "COLUMNS_ABSENT" in codes(found) and "COLUMNS_ABSENT" not in codes(expected)
    sex = next(one for one in found["shift"]["inputs"] if one["name"] == "sex")
    assert (sex["missing"], sex["missing_trained"], sex["smd"]) == (1.0, 0.0, None)
    assert sex["reason"] == "no case has a value"


def test_a_misspelt_column_is_found_by_its_nearest_name(binary_checkpoint, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    named = rewritten(table, lambda _, row: {{"sex": "Sex"}.get(k, k): v for k, v in row.items()})
    messages = [one["message"] for one in run(binary_checkpoint[0], named, tmp_path / "out")["warnings"]]
    assert any('no column "sex" (did you mean "Sex"?)' in message for message in messages)


@pytest.mark.parametrize("lacking", [("age", "sex"), ("label",)])
def test_a_table_that_lacks_all_inputs_or_the_label_is_refused(binary_checkpoint, tmp_path, lacking):
    table = write_table(tmp_path / "test.csv", seed=1)
    rewritten(table, lambda _, row: {k: v for k, v in row.items() if k not in lacking})
    with pytest.raises(TrainerError) as caught:
        run(binary_checkpoint[0], table, tmp_path / "out")
    assert caught.value.code == "COLUMN_NOT_FOUND"


def test_a_model_that_leaves_out_rows_with_gaps_needs_every_column(tmp_path):
    config = configuration(write_table(tmp_path / "train.csv"), data__missing_strategy="drop")
    checkpoint = write_checkpoint(tmp_path / "run", config, tmp_path / "cache")
    table = write_table(tmp_path / "test.csv", seed=1)
    rewritten(table, lambda _, row: {k: v for k, v in row.items() if k != "sex"})
    with pytest.raises(TrainerError) as caught:
        run(checkpoint, table, tmp_path / "out")
    assert caught.value.code == "COLUMN_NOT_FOUND"


def test_the_size_of_a_shift_is_that_of_the_two_tables(binary_checkpoint, tmp_path):
    checkpoint, train = binary_checkpoint
    table = write_table(tmp_path / "test.csv", seed=1)
    older = rewritten(table, lambda _, row: row | {"age": str(int(row["age"]) + 25)})
    result = run(checkpoint, older, tmp_path / "out")
    # The training rows used for fitting are those that validation did not take.
    known = load_checkpoint(checkpoint).state["preprocessing"]["reference"]["columns"]["age"]
    before = [float(row["age"]) for row in rows_of(train)]
    after = np.array([float(row["age"]) for row in rows_of(older)])
    assert known["mean"] == pytest.approx(np.mean(before), abs=5)
    gap = after.mean() - known["mean"]
    expected = abs(gap) / np.sqrt((known["sd"] ** 2 + after.var(ddof=1)) / 2)
    first = result["shift"]["inputs"][0]
    assert (first["name"], first["smd"]) == ("age", pytest.approx(expected, abs=1e-9))
    assert first["evaluated"]["mean"] == pytest.approx(after.mean(), abs=1e-9)
    said = next(one["message"] for one in result["warnings"] if one["code"] == "INPUTS_SHIFTED")
    assert f'"age" ({expected:.2f})' in said and '"sex"' not in said
    verdicts = {one["name"]: one["differs"] for one in result["shift"]["inputs"]}
    assert verdicts["age"] and not verdicts["sex"]


def test_new_categories_are_counted(binary_checkpoint, tmp_path):
    table = rewritten(
        write_table(tmp_path / "test.csv", seed=1),
        lambda number, row: row | {"sex": "zz-hidden" if number < 7 else row["sex"]},
    )
    result = run(binary_checkpoint[0], table, tmp_path / "out")
    sex = next(one for one in result["shift"]["inputs"] if one["name"] == "sex")
    assert sex["unseen"] == 7 and sex["smd"] > 0.25
    assert "zz-hidden" not in json.dumps(result)


def test_a_column_that_is_coded_differently_everywhere_is_a_shift(binary_checkpoint, tmp_path):
    """1 and 2 for F and M: no share of a category can be compared."""
    coded: dict[str, str] = {}
    table = rewritten(
        write_table(tmp_path / "test.csv", seed=1),
        lambda _, row: row | {"sex": coded.setdefault(row["sex"], str(len(coded) + 1))},
    )
    result = run(binary_checkpoint[0], table, tmp_path / "out")
    first = result["shift"]["inputs"][0]
    assert (first["name"], first["smd"], first["unseen"]) == ("sex", None, 60)
    assert first["reason"] == "no category of these cases occurs in training"
    said = [one["message"] for one in result["warnings"] if one["code"] == "INPUTS_SHIFTED"]
    assert any("none of the categories occurs" in one and '"sex"' in one for one in said)


def test_of_few_patients_no_number_is_told(binary_checkpoint, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1, rows=30)
    result = run(binary_checkpoint[0], table, tmp_path / "out")
    assert {one["reason"] for one in result["shift"]["inputs"]} == {"fewer than 20 patients have a value"}
    assert all(one["smd"] is None and one["evaluated"] is None for one in result["shift"]["inputs"])
    assert result["shift"]["outcome"] is None and result["recalibration"]["reason"]


def test_prevalence_of_the_classes_before_and_now(binary_checkpoint, tmp_path):
    table = write_table(tmp_path / "test.csv", seed=1)
    result = run(binary_checkpoint[0], table, tmp_path / "out")
    share = np.mean([row["label"] == "yes" for row in rows_of(table)])
    found = {one["name"]: one["evaluated"] for one in result["shift"]["outcome"]["classes"]}
    assert found == pytest.approx({"yes": share, "no": 1 - share}, abs=1e-12)


@pytest.mark.slow
def test_darker_images_are_a_shift(tmp_path):
    from PIL import Image

    train = write_table(tmp_path / "train" / "train.csv", images=True)
    changes = {"model__vision_backbone": "mobilenetv3_small_100", "model__pretrained": False}
    checkpoint = write_checkpoint(tmp_path / "run", configuration(train, **changes), tmp_path / "cache")
    table = write_table(tmp_path / "test" / "test.csv", seed=1, images=True)
    for file in table.parent.glob("*.png"):
        Image.open(file).point(lambda value: value // 2).save(file)
    found = run(checkpoint, table, tmp_path / "out")["shift"]["inputs"][0]
    assert (found["kind"], found["evaluated"]["mean"]) == ("image", pytest.approx(0.25, abs=0.02))
    assert found["trained"]["mean"] == pytest.approx(0.5, abs=0.02) and found["smd"] > 5


def test_a_checkpoint_of_an_older_version_says_nothing_of_its_cases(binary_checkpoint, tmp_path):
    checkpoint = load_checkpoint(binary_checkpoint[0])
    del checkpoint.state["preprocessing"]["reference"]
    old = tmp_path / "run" / "checkpoints" / "best"
    save_checkpoint(
        old,
        job_id=checkpoint.manifest["job_id"],
        epoch=1,
        metrics={},
        state=checkpoint.state,
        tensors={"model": checkpoint.tensors("model")},
    )
    assert run(old, write_table(tmp_path / "test.csv", seed=1), tmp_path / "out")["shift"] is None


def test_differences_by_their_definitions():
    first, second = {"mean": 50.0, "sd": 10.0}, {"mean": 56.0, "sd": 14.0}
    assert mean_difference(first, second) == pytest.approx(6 / np.sqrt((100 + 196) / 2), abs=1e-12)
    assert mean_difference(first | {"sd": 0.0}, second | {"sd": 0.0}) is None
    # Two categories: the usual difference of two proportions.
    expected = 0.2 / np.sqrt((0.3 * 0.7 + 0.5 * 0.5) / 2)
    assert share_difference([0.3, 0.7], [0.5, 0.5]) == pytest.approx(expected, abs=1e-12)
    # The distance is the same, whichever category is left out.
    three = ([0.2, 0.3, 0.5], [0.4, 0.4, 0.2])
    turned = [share[::-1] for share in three]
    assert share_difference(*three) == pytest.approx(share_difference(*turned), abs=1e-12)
    assert share_difference([1.0, 0.0], [1.0, 0.0]) is None


def test_without_a_shift_chance_is_exceeded_in_about_one_of_twenty_samples():
    generator = np.random.default_rng(0)
    shares, exceeded = np.array([0.4, 0.2, 0.15, 0.15, 0.1]), {"mean": 0, "shares": 0}
    for _ in range(600):
        first, second = generator.normal(size=400), generator.normal(size=150)
        sides = [{"mean": one.mean(), "sd": one.std(ddof=1)} for one in (first, second)]
        exceeded["mean"] += mean_difference(*sides) > by_chance(1, 400, 150)
        counts = [generator.multinomial(size, shares) / size for size in (400, 150)]
        exceeded["shares"] += share_difference(*counts) > by_chance(4, 400, 150)
    assert all(0.025 < count / 600 < 0.08 for count in exceeded.values()), exceeded


def shifted(size=400):
    """Probabilities that are too high and too extreme."""
    generator = np.random.default_rng(0)
    truth = generator.normal(size=size)
    return (generator.random(size) < expit(truth)).astype(int), expit(0.8 + 2 * truth)


def test_logistic_recalibration_equals_a_fit_by_another_optimizer():
    labels, probability = shifted()
    found = recalibration(BinaryOutcome(labels, probability, 0.5), None)

    def loss(line):
        return reference.log_loss(labels, expit(line[0] + line[1] * logit(probability)))

    both = minimize(loss, [0.0, 1.0], tol=1e-12).x
    level = minimize(lambda a: loss([a[0], 1.0]), [0.0], tol=1e-12).x[0]
    first, second = found["updates"]
    assert (first["name"], first["intercept"], first["slope"]) == (
        "intercept",
        pytest.approx(level, abs=1e-4),
        1,
    )
    assert [second["intercept"], second["slope"]] == pytest.approx(both, abs=1e-4)
    expected = reference.log_loss(labels, expit(second["intercept"] + second["slope"] * logit(probability)))
    assert second["metrics"]["log_loss"] == pytest.approx(expected, abs=1e-9)
    assert second["metrics"]["calibration_slope"] == pytest.approx(1, abs=1e-6)
    assert second["metrics"]["log_loss"] < first["metrics"]["log_loss"] < found["original"]["log_loss"]


def test_linear_recalibration_is_least_squares():
    generator = np.random.default_rng(0)
    truth = generator.normal(size=60)
    found = recalibration(RegressionOutcome(truth, 3 + 2 * truth + generator.normal(size=60)), None)
    assert found["updates"][1]["metrics"]["rmse"] < found["updates"][0]["metrics"]["rmse"]
    assert found["updates"][0]["metrics"]["bias"] == pytest.approx(0, abs=1e-12)


def test_what_has_no_update():
    probability = np.full((30, 3), 1 / 3)
    assert recalibration(MulticlassOutcome(np.arange(30) % 3, probability, ("a", "b", "c")), None) is None
    rare = recalibration(BinaryOutcome([1, 1] + [0] * 40, np.linspace(0, 1, 42), 0.5), None)
    assert rare["reason"] == "fewer than 5 patients of a class" and rare["updates"] == []
    separated = recalibration(BinaryOutcome([0] * 20 + [1] * 20, np.linspace(0, 1, 40), 0.5), None)
    assert [update["name"] for update in separated["updates"]] == ["intercept"]
