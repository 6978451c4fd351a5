"""Messages that carry their phrases."""

from __future__ import annotations

import copy
import json

import pytest

from medloom_trainer.contract.phrases import Phrased, join, listing, phrase, quoted, with_phrases


def test_a_phrase_is_an_english_text_with_its_code_and_values() -> None:
    one, several = phrase("cases", count=1), phrase("cases", count=1234)
    assert (one, several) == ("1 case", "1,234 cases")
    assert several.phrases == ({"code": "cases", "values": {"count": 1234}},)
    assert phrase("predicting").phrases == ({"code": "predicting"},)


def test_a_value_that_the_text_needs_is_not_left_out() -> None:
    with pytest.raises(KeyError):
        phrase("metric", metric="auc")


def test_phrases_are_joined_with_their_punctuation() -> None:
    line = join(join("resnet18", phrase("images_only")), phrase("cases_left_out", count=2), mark="semicolon")
    assert line == "resnet18, images only; 2 cases excluded"
    assert line.phrases == (
        {"code": "name", "values": {"name": "resnet18"}},
        {"code": "images_only"},
        {"code": "cases_left_out", "values": {"count": 2}, "mark": "semicolon"},
    )


def test_a_value_may_be_a_message_itself() -> None:
    message = phrase(
        "rows_at", count=2, rows=listing(["3", phrase("row_in_file", row="8", file="a.csv")], 20)
    )
    assert message == "rows 3, 8 of a.csv"
    assert message.phrases == (
        {
            "code": "rows_at",
            "values": {
                "count": 2,
                "rows": [
                    {"code": "name", "values": {"name": "3"}},
                    {"code": "row_in_file", "values": {"row": "8", "file": "a.csv"}},
                ],
            },
        },
    )


def test_a_listing_counts_what_it_leaves_out() -> None:
    listed = quoted(["a", "b", "c"], 2)
    assert listed == '"a", "b" and 1 more'
    assert listed.phrases[-1] == {"code": "and_more", "values": {"count": 1}, "mark": "space"}
    assert listing(["a", "b", "c"], 2, mark="semicolon") == "a; b; and 1 more"


def test_only_messages_that_carry_phrases_have_them_beside() -> None:
    fields = with_phrases({"method": phrase("wilson"), "reason": "as it is", "caution": None})
    assert json.loads(json.dumps(fields)) == {
        "method": "Wilson",
        "method_phrases": [{"code": "wilson"}],
        "reason": "as it is",
        "caution": None,
    }


def test_a_copy_carries_the_phrases() -> None:
    message = phrase("epochs", count=3)
    copied = copy.deepcopy(message)
    assert isinstance(copied, Phrased)
    assert (copied, copied.phrases) == (message, message.phrases)
