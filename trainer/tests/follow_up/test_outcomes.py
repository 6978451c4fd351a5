"""Collected predictions, and the outcomes that arrive for them."""

import json

import pytest

from medloom_trainer.errors import TrainerError
from testing.follow_ups import FollowUp


def row(number, **cells):
    return {"patient_id": f"secret-{number}", "age": 40 + number, "sex": "mf"[number % 2], **cells}


def outcome(number, label):
    return {"patient_id": f"secret-{number}", "label": label}


@pytest.fixture
def follow_up(binary_checkpoint, tmp_path):
    found = FollowUp(binary_checkpoint[0], tmp_path / "follow-up")
    found.predict([row(number) for number in range(4)])
    return found


def counts(coverage):
    return coverage["predicted"], coverage["with_outcome"], coverage["waiting"]


def test_cases_are_collected_with_predictions_and_inputs_but_without_ids_and_values(follow_up):
    (record,) = [json.loads(file.read_text()) for file in follow_up.folder.glob("cases/*.json")]
    assert len(set(record["ids"])) == 4 and record["ids"] == record["patients"]
    assert [round(sum(one), 6) for one in record["predictions"]] == [1] * 4
    assert set(record["inputs"]) == {"age", "sex"} and set(record["inputs"]["sex"]) == {0, 1}
    assert all(abs(value) < 4 for value in record["inputs"]["age"])
    assert "secret" not in follow_up.texts()


def test_each_id_is_collected_once_and_cases_without_an_id_are_counted(follow_up):
    follow_up.predict([row(0), row(4), row(5, patient_id=""), row(6, age="old")], "second", day=2)
    coverage = follow_up.coverage()
    assert counts(coverage) == (5, 0, 5)
    assert [coverage[name] for name in ("repeated", "without_id", "failed")] == [1, 1, 1]


def test_windows_count_from_the_start_of_the_follow_up(follow_up):
    follow_up.predict([row(7)], "later", day=62)
    windows = follow_up.coverage()["windows"]
    assert [(one["window"], one["predicted"]) for one in windows] == [(1, 4), (2, 0), (3, 1)]
    assert windows[0]["start"] == "2026-01-01T00:00:00.000Z"
    assert windows[0]["end"] == windows[1]["start"] == "2026-01-31T00:00:00.000Z"


def test_outcomes_may_be_partial_and_the_same_rows_again_change_nothing(follow_up):
    rows = [outcome(0, "yes"), outcome(1, "no"), outcome(99, "yes"), outcome(2, "")]
    first = follow_up.add(rows)
    assert [first[name] for name in ("rows", "unknown", "without_outcome")] == [4, 1, 1]
    assert (first["added"], counts(first["coverage"])) == (2, (4, 2, 2))
    stored = (follow_up.folder / "outcomes.json").read_bytes()
    again = follow_up.add(rows)
    assert [again[name] for name in ("added", "replaced", "unchanged")] == [0, 0, 2]
    assert (follow_up.folder / "outcomes.json").read_bytes() == stored
    assert "secret" not in follow_up.texts()


def test_a_contradicting_outcome_is_refused_with_its_rows_and_nothing_is_stored(follow_up):
    follow_up.add([outcome(0, "yes"), outcome(1, "no")])
    with pytest.raises(TrainerError) as caught:
        follow_up.add([outcome(2, "no"), outcome(0, "no"), outcome(1, "no")])
    assert caught.value.code == "OUTCOME_CONFLICT"
    assert "row 3" in caught.value.message and "secret" not in caught.value.message
    assert counts(follow_up.coverage()) == (4, 2, 2)
    replaced = follow_up.add([outcome(2, "no"), outcome(0, "no"), outcome(1, "no")], replace=True)
    assert [replaced[name] for name in ("added", "replaced", "unchanged")] == [1, 1, 1]


def test_two_outcomes_of_one_id_in_a_table_are_refused_even_if_they_may_replace(follow_up):
    with pytest.raises(TrainerError) as caught:
        follow_up.add([outcome(0, "yes"), outcome(0, "no")], replace=True)
    assert caught.value.code == "OUTCOME_CONFLICT"


@pytest.mark.parametrize(
    ("cells", "options", "code"),
    [
        ({"patient_id": "secret-0", "label": "perhaps"}, {}, "LABEL_INVALID"),
        ({"patient_id": "secret-0", "diagnosis": "yes"}, {}, "COLUMN_NOT_FOUND"),
        ({"patient_id": "secret-0", "label": "yes"}, {"id_column": "case"}, "COLUMN_NOT_FOUND"),
        ({"patient_id": "secret-0", "label": "yes"}, {"label_columns": ["label", "age"]}, "INVALID_REQUEST"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(follow_up, cells, options, code):
    with pytest.raises(TrainerError) as caught:
        follow_up.add([cells], **options)
    assert caught.value.code == code


def test_outcomes_may_have_other_column_names(follow_up):
    rows = [{"case": " secret-3 ", "diagnosis": "yes"}]
    assert follow_up.add(rows, id_column="case", label_columns=["diagnosis"])["added"] == 1


def test_a_follow_up_has_its_own_id_column(binary_checkpoint, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up", id_column="lesion")
    follow_up.predict([row(0, lesion="a"), row(0, lesion="b")])
    assert counts(follow_up.coverage()) == (2, 0, 2)
    assert follow_up.add([{"lesion": "b", "label": "no"}], id_column="lesion")["added"] == 1


def test_a_removed_follow_up_does_not_disturb_predictions(binary_checkpoint, tmp_path):
    follow_up = FollowUp(binary_checkpoint[0], tmp_path / "follow-up")
    (follow_up.folder / "key").unlink()
    assert follow_up.predict([row(0)])["num_failed"] == 0
    assert not list(follow_up.folder.glob("cases/*"))
