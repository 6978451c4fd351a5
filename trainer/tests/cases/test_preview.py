"""The task `preview`: the displayed table and images are those that a model reads, limited in size, and only
prepared images are written."""

from __future__ import annotations

import base64
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from PIL import Image

from medloom_trainer.cases.views import preview as module
from medloom_trainer.cases.views.preview import preview
from medloom_trainer.cases.views.stored_rows import stored_rows
from medloom_trainer.contract.schemas import task_schemas
from medloom_trainer.errors import TrainerError
from testing.node_runs import Nodes
from testing.trained_nodes import load_cases, train

TASK = task_schemas()["preview"]


def shown(
    nodes: Nodes,
    content: dict[str, Any],
    rows: int = 20,
    images: int = 8,
    *,
    offset: int = 0,
    identifiers: bool = True,
) -> dict[str, Any]:
    params = {
        "content": content,
        "offset": offset,
        "identifiers": identifiers,
        "rows": rows,
        "images": images,
        "store": str(nodes.folder / "artifacts"),
        "data_dir": str(nodes.folder / "data"),
        "cache_dir": str(nodes.cache),
        "roots": [str(nodes.folder)],
    }
    Draft202012Validator(TASK["params"]).validate(params)
    result = preview(params, lambda message, fraction: None)
    Draft202012Validator(TASK["result"]).validate(result)
    return result


def pixels(png: str) -> Any:
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))))


@pytest.fixture
def dataset(nodes: Nodes) -> dict[str, Any]:
    nodes.table("d.csv", nodes.cases(12))
    content: dict[str, Any] = nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    return content


def test_rows_are_shown_processed_and_say_what_of(nodes: Nodes, dataset: dict[str, Any]) -> None:
    content = nodes.out("processed_data", "TabularPreprocess", {"scaling": "minmax"}, dataframe=dataset)
    found = shown(nodes, content, rows=5, images=0)
    names = [column["name"] for column in found["columns"]]
    assert found["num_rows"] == 12 and len(found["rows"]) == 5 and found["images"] == []
    assert [column["of"] for column in found["columns"] if column["name"].startswith("site=")] == ["site"] * 3
    exported = nodes.out("export_path", "ExportPredictions", {"format": "JSON"}, predictions=content)
    (file,) = exported["files"]
    path = nodes.folder / "artifacts" / file["blob"]["sha256"][:2] / f"{file['blob']['sha256']}.json"
    first = json.loads(path.read_text(encoding="utf-8"))[0]
    assert list(first) == names and float(found["rows"][0][names.index("age")]) == first["age"]
    assert [note["code"] for note in found["notes"]] == ["PROCESSED_VIEW"]


def test_a_table_without_settings_is_shown_as_it_was_read(nodes: Nodes, dataset: dict[str, Any]) -> None:
    found = shown(nodes, dataset, images=0)
    cells = nodes.cells(dataset)
    assert [column["of"] for column in found["columns"]] == [None] * len(cells)
    assert found["rows"] == [list(row) for row in zip(*cells.values(), strict=True)]
    assert found["notes"] == []


def test_what_may_tell_who_a_patient_is_is_masked_until_asked(nodes: Nodes, dataset: dict[str, Any]) -> None:
    found, told = shown(nodes, dataset, images=0, identifiers=False), shown(nodes, dataset, images=0)
    masked = [column["name"] for column in found["columns"] if column["masked"]]
    assert {"case_id", "image", "patient_id"} <= set(masked)
    assert not {"age", "sex", "site", "label"} & set(masked)
    assert not any(column["masked"] for column in told["columns"])
    for place, column in enumerate(found["columns"]):
        texts = [row[place] for row in told["rows"]]
        numbers = {text: f"#{number}" for number, text in enumerate(dict.fromkeys(texts), start=1)}
        expected = [numbers[text] for text in texts] if column["masked"] else texts
        assert [row[place] for row in found["rows"]] == expected


@pytest.mark.parametrize("large", [False, True])
def test_a_label_that_identifies_patients_stays_masked_in_every_node_below(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    rows = "".join(f"Name {row // 2},{30 + row}\n" for row in range(40))
    nodes.write("t.csv", f"surname,age\n{rows}")
    config = {"path": "t.csv", "label_column": "surname"}
    loaded = nodes.out("dataframe", "LoadTabular", config)
    # A few rows alone would not look like names.
    few = nodes.out(
        "filtered_dataset",
        "FilterData",
        {"filter_column": "age", "filter_condition": "<= 31"},
        dataset=loaded,
    )
    if large:
        monkeypatch.setattr(module, "_LARGE_BYTES", 0)
    for content in (loaded, few):
        found = shown(nodes, content, images=0, identifiers=False)
        masked = {column["name"] for column in found["columns"] if column["masked"]}
        assert "surname" in masked and "age" not in masked
        assert not any(text.startswith("Name") for row in found["rows"] for text in row)
    metadata = nodes.out("metadata", "LoadDataset", {"dataset_id": "t.csv", "label_column": "surname"})
    assert metadata["facts"]["classes"] is None


@pytest.mark.slow
def test_pages_join_to_the_whole_and_images_are_those_of_the_page(
    nodes: Nodes, dataset: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = nodes.out("processed_images", "ImagePreprocess", images=dataset)
    whole = shown(nodes, content, rows=200, images=12)
    for large in (False, True):
        if large:
            monkeypatch.setattr(module, "_LARGE_BYTES", 0)
        pages = [shown(nodes, content, rows=5, images=5, offset=offset) for offset in (0, 5, 10)]
        assert [row for page in pages for row in page["rows"]] == whole["rows"]
        images = [image["png"] for page in pages for image in page["images"]]
        assert images == [image["png"] for image in whole["images"]]
        assert pages[2]["num_rows"] == 12 and [image["row"] for image in pages[2]["images"]] == [0, 1]
        assert shown(nodes, content, offset=99)["rows"] == []
    assert {image["png"] for image in whole["images"]} != {whole["images"][0]["png"]}


def test_a_large_table_is_shown_as_it_is_stored(
    nodes: Nodes, dataset: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    processed = nodes.out("processed_data", "TabularPreprocess", {"scaling": "minmax"}, dataframe=dataset)
    monkeypatch.setattr(module, "_LARGE_BYTES", 0)
    found = shown(nodes, processed, images=0, identifiers=False)
    assert [note["code"] for note in found["notes"]] == ["PROCESSED_VIEW"]
    cells, names = nodes.cells(dataset), [column["name"] for column in found["columns"]]
    assert [row[names.index("age")] for row in found["rows"]] == list(cells["age"])
    assert {row[names.index("patient_id")] for row in found["rows"]} == {"#"}


@pytest.mark.slow
def test_a_page_of_a_gigabyte_is_found_in_bounded_memory(tmp_path: Path) -> None:
    path, cell = tmp_path / "table.csv", 'two\nlines, "" and a quote'
    rows = 3000
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write('"case_id","text"\n')
        for number in range(rows):
            file.write(f'"{number}","{cell}{"x" * 20_000}"\n')
    blob = {"sha256": "0" * 64}
    tracemalloc.start()
    found = stored_rows(path, blob, tmp_path / "cache")
    assert len(found) == rows
    for offset in (0, 255, 256, 2047, 2999):
        page = found.read(offset, 2, ["case_id", "text"])
        assert page["case_id"] == [str(number) for number in range(offset, min(rows, offset + 2))]
        assert page["text"][0].startswith('two\nlines, " and a quote')
    assert tracemalloc.get_traced_memory()[1] < path.stat().st_size / 2
    tracemalloc.stop()
    assert np.array_equal(stored_rows(path, blob, tmp_path / "cache").starts, found.starts)


@pytest.mark.parametrize("rows", [0, 1, 255, 256, 257, 512])
def test_rows_are_counted_at_the_edges_of_strides(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "table.csv"
    path.write_text('"a"\n' + "".join(f'"{number}"\n' for number in range(rows)), encoding="utf-8")
    found = stored_rows(path, {"sha256": str(rows)}, tmp_path / "cache")
    assert len(found) == rows
    assert found.read(max(0, rows - 3), 9, ["a"])["a"] == [str(n) for n in range(max(0, rows - 3), rows)]


def test_images_are_those_that_a_model_reads(nodes: Nodes, dataset: dict[str, Any]) -> None:
    config = {"resize": {"width": 40, "height": 30}, "augmentation": "none"}
    content = nodes.out("processed_images", "ImagePreprocess", config, images=dataset)
    found = shown(nodes, content, images=2)
    assert found["image_size"] == [40, 30]
    assert [(image["row"], image["column"], image["view"]) for image in found["images"]] == [
        (0, "image", 1),
        (1, "image", 1),
    ]
    assert all(image["augmented_png"] is None for image in found["images"])
    prepared = nodes.prepare(train_csv=str(nodes.folder / "d.csv"), image_size=[40, 30], label_column="label")
    places = [place[1] - 2 for place in prepared.train.places or []]
    for image in found["images"]:
        if image["row"] in places:
            slots = prepared.train.slots
            assert prepared.store is not None and slots is not None
            record = prepared.store.gather(slots[[places.index(image["row"])]])[0, 0]
            assert np.array_equal(pixels(image["png"]), record)


def test_augmentation_is_seen_beside_the_image(nodes: Nodes, dataset: dict[str, Any]) -> None:
    plan = {"methods": ["brightness"], "probability": 1.0, "intensity": 1.0}
    content = nodes.out("augmented_images", "DataAugmentation", plan, images=dataset)
    first, second = (shown(nodes, content, images=2)["images"] for _ in range(2))
    assert first == second, "drawn alike each time"
    assert any(not np.array_equal(pixels(one["png"]), pixels(one["augmented_png"])) for one in first)


def test_what_cannot_be_read_is_a_note(nodes: Nodes, dataset: dict[str, Any]) -> None:
    (nodes.folder / "images" / "1.png").write_bytes(b"no image")
    found = shown(nodes, dataset, images=3)
    assert [image["row"] for image in found["images"]] == [0, 2]
    (note,) = [note for note in found["notes"] if note["code"] == "IMAGES_UNREADABLE"]
    assert "d.csv row 3 (image)" in note["message"]


def test_predictions_are_shown(nodes: Nodes) -> None:
    model = train(nodes, load_cases(nodes, "train.csv", split="train"))
    outputs = nodes.run("EvaluateModel", model=model, test_dataset=load_cases(nodes, "test.csv", seed=1))[
        "outputs"
    ]
    found = shown(nodes, outputs["predictions"]["content"], rows=3)
    assert [column["name"] for column in found["columns"]][:5] == [
        "case_id",
        "file",
        "row",
        "split",
        "patient",
    ]
    assert (found["num_rows"], len(found["rows"]), found["images"]) == (60, 3, [])
    with pytest.raises(TrainerError, match="neither a table nor images"):
        shown(nodes, outputs["confusion_matrix"]["content"])


@pytest.mark.parametrize("limit", [None, 0])
def test_ids_of_predictions_are_masked(
    nodes: Nodes, monkeypatch: pytest.MonkeyPatch, limit: int | None
) -> None:
    """Also in a table that is too large to be read completely."""
    ids = ("image_id", "group_id")
    model = train(nodes, load_cases(nodes, "train.csv", split="train", ids=ids))
    test = load_cases(nodes, "test.csv", seed=1, ids=ids)
    content = nodes.out("predictions", "EvaluateModel", model=model, test_dataset=test)
    if limit is not None:
        monkeypatch.setattr(module, "_LARGE_BYTES", limit)
    found = shown(nodes, content, rows=3, identifiers=False)
    masked = [column["name"] for column in found["columns"] if column["masked"]]
    assert masked == ["case_id", "patient", "image_id", "input_group_id"]
    assert "secret" not in json.dumps(found)
    assert "secret-image_id" in json.dumps(shown(nodes, content, rows=3))


def test_a_preview_is_bounded(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {**{f"x{n}": n + k for n in range(30)}, "note": "long " * 200, "label": "ab"[k % 2]} for k in range(3)
    ]
    nodes.table("wide.csv", rows)
    content = nodes.out("dataframe", "LoadTabular", {"path": "wide.csv"})
    monkeypatch.setattr(module, "_MAX_COLUMNS", 10)
    found = shown(nodes, content)
    assert (found["num_columns"], len(found["columns"]), len(found["rows"][0])) == (33, 10, 10)
    monkeypatch.setattr(module, "_MAX_COLUMNS", 40)
    assert max(len(cell) for row in shown(nodes, content)["rows"] for cell in row) == 201


def test_a_preview_changes_no_artifact(nodes: Nodes, dataset: dict[str, Any]) -> None:
    store = nodes.folder / "artifacts"
    before = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    shown(nodes, nodes.out("processed_images", "ImagePreprocess", images=dataset), images=1)
    after = {path: path.read_bytes() for path in store.rglob("*") if path.is_file()}
    assert after == before


def test_an_empty_part_has_no_rows(nodes: Nodes, dataset: dict[str, Any]) -> None:
    shares = {"train_ratio": 0.5, "val_ratio": 0.5, "test_ratio": 0.0}
    part = nodes.out("test_dataset", "DataSplit", shares, dataset=dataset)
    assert (shown(nodes, part)["num_rows"], shown(nodes, part)["rows"]) == (0, [])
