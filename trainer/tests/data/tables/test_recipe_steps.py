"""Steps of recipes: each on a small table, and what each refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

from medloom_trainer.data.tables import is_missing
from medloom_trainer.data.tables.recipe.patterns import Pattern
from testing.recipes import compiled, refused, write


def counts(made: Any, kind: str) -> dict[str, int]:
    return {name: count for step in made.steps if step.kind == kind for name, count in step.counts.items()}


@pytest.mark.parametrize(
    ("pattern", "text", "values"),
    [
        ("{split}/{label}/{_}.png", "train/nv/1.png", {"split": "train", "label": "nv"}),
        ("{split}/{label}/{_}.png", "train/a/b/1.png", None),
        ("sub-{id}/anat/sub-{id}_T1w.nii.gz", "sub-01/anat/sub-01_T1w.nii.gz", {"id": "01"}),
        ("sub-{id}/anat/sub-{id}_T1w.nii.gz", "sub-01/anat/sub-02_T1w.nii.gz", None),
        ("{_}-{_}-{patient}-{_}-{_}.png", "SOB_B_A-14-22549AB-40-001.png", {"patient": "22549AB"}),
        ("a.b{x}", "aXb1", None),
        ("{a}_{b}.png", "x_y_z.png", {"a": "x", "b": "y_z"}),
        ("{a}_{b}_T1w.nii", "x_1_T1w_T1w.nii", {"a": "x", "b": "1_T1w"}),
        ("{a}x{b}/{_}", "axb/c/d", None),
        ("{a}-{a}.png", "1-1.png", {"a": "1"}),
        ("{a}_{b}_", "x_y_", {"a": "x", "b": "y"}),
        ("_".join(f"{{c{index}}}" for index in range(60)) + "!", "_" * 250, None),
        ("{Image Index}.png", "7.png", {"Image Index": "7"}),
    ],
)
def test_a_pattern_parses_columns(pattern: str, text: str, values: dict[str, str] | None) -> None:
    assert Pattern(pattern).parse(text) == values
    if values is not None and not Pattern(pattern).drops:
        assert Pattern(pattern).build(values) == text


def test_a_list_of_codes_replaces_the_standard_list_of_a_column(tmp_path: Path) -> None:
    write(tmp_path, t="id,dx,sex\n1,None,NA\n2,-9,F\n3,,M\n")
    made = compiled(tmp_path / "t.csv", missing={"columns": {"dx": ["-9"]}})
    assert made.table.cells["dx"] == ["None", "", ""]
    assert [is_missing(text) for text in made.table.cells["dx"]] == [False, True, True]
    assert [is_missing(text) for text in made.table.cells["sex"]] == [True, False, False]
    assert counts(made, "missing") == {"cleared": 1}
    assert "dy" in refused(tmp_path / "t.csv", "COLUMN_NOT_FOUND", missing={"columns": {"dy": []}})


def test_codes_match_numbers_by_value_and_unmatched_codes_are_counted(tmp_path: Path) -> None:
    write(tmp_path, t="id;x;y\n1;-9.0;-9,0\n2;-9;9,000\n3;-9.5;09\n")
    missing = {"columns": {"x": ["-9", "-8"]}, "everywhere": ["-9", "9", "[None]"]}
    made = compiled(tmp_path / "t.csv", missing=missing)
    assert made.table.cells["x"] == ["", "", "-9.5"]
    assert made.table.cells["y"] == ["", "9,000", "09"]
    assert counts(made, "missing") == {"cleared": 3, "not_found": 3}
    assert "3 codes not found" in next(step.message for step in made.steps if step.kind == "missing")


def test_texts_of_a_recipe_are_compared_as_those_of_tables(tmp_path: Path) -> None:
    write(tmp_path, t="id,gr\u00f6\u00dfe,dx\n1,a\u00a0b,m\u00e9\n2,x ,no\n")
    size = "gro\u0308\u00dfe"
    made = compiled(
        tmp_path / "t.csv",
        missing={"columns": {size: ["a b ", "x"]}},
        label={"column": "dx", "map": {"me\u0301": "yes", "no": "no"}},
    )
    assert made.table.cells["gr\u00f6\u00dfe"] == ["", ""]
    twice = {"column": "dx", "map": {"m\u00e9": "yes", "me\u0301": "no"}}
    assert "twice" in refused(tmp_path / "t.csv", "DATASET_INVALID", label=twice)


def test_codes_of_all_columns_add_to_the_standard_list(tmp_path: Path) -> None:
    write(tmp_path, t="id,dx,sex\n1,[Unknown],NA\n2,-9,[Unknown]\n3,None,M\n")
    missing = {"columns": {"dx": ["-9"]}, "everywhere": ["[Unknown]"]}
    made = compiled(tmp_path / "t.csv", missing=missing)
    assert made.table.cells["dx"] == ["[Unknown]", "", "None"]
    assert made.table.cells["sex"] == ["NA", "", "M"]
    assert is_missing(made.table.cells["sex"][0]) and not is_missing(made.table.cells["dx"][2])
    assert counts(made, "missing") == {"cleared": 2}
    assert "missing" in compiled(tmp_path / "t.csv", missing={"everywhere": ["-9"]}).steps[1].kind


def test_a_join_adds_columns_and_counts_what_did_not_match(tmp_path: Path) -> None:
    write(tmp_path, a="id,site\n1,x\n2,y\n3,z\n,w\n", b="key,age,site\n1,50,q\n2,60,r\n9,70,s\n")
    parts = {"files": [{"name": "a", "path": "a.csv"}, {"name": "b", "path": "b.csv"}]}
    joined = compiled(tmp_path, **parts, join=[{"table": "b", "on": {"id": "key"}}])
    assert joined.table.cells == {
        "id": ["1", "2", "3", ""],
        "site": ["x", "y", "z", "w"],
        "age": ["50", "60", "", ""],
        "b.site": ["q", "r", "", ""],
    }
    assert counts(joined, "join") == {"unmatched": 2, "unused": 1}
    matched = compiled(tmp_path, **parts, join=[{"table": "b", "on": {"id": "key"}, "keep": "matched"}])
    assert matched.table.cells["id"] == ["1", "2"]
    assert [matched.table.place(row) for row in range(2)] == [("a.csv", 2), ("a.csv", 3)]


def test_a_key_is_unique_on_one_side(tmp_path: Path) -> None:
    write(
        tmp_path,
        p="id,age\n1,50\n2,60\n",
        i="id,image\n1,a.png\n1,b.png\n2,c.png\n",
        d="id,x\n1,a\n1,b\n2,c\n",
    )
    of = lambda *names: {"files": [{"name": name, "path": f"{name}.csv"} for name in names]}  # noqa: E731
    made = compiled(tmp_path, **of("p", "i"), join=[{"table": "i", "on": ["id"]}])
    assert made.table.cells == {
        "id": ["1", "1", "2"],
        "age": ["50", "50", "60"],
        "image": ["a.png", "b.png", "c.png"],
    }
    message = refused(tmp_path, "DATASET_INVALID", **of("i", "d"), join=[{"table": "d", "on": ["id"]}])
    assert "repeats in both tables: 1 key in i.csv (rows 2, 3) and 1 key in d.csv (rows 2, 3)" in message
    message = refused(tmp_path, "DATASET_INVALID", **of("p", "d"), join=[{"table": "d", "on": {"age": "x"}}])
    assert "no row" in message
    message = refused(tmp_path, "COLUMN_NOT_FOUND", **of("p", "d"), join=[{"table": "d", "on": ["Id"]}])
    assert 'did you mean "id"' in message


def test_keys_are_compared_as_numbers_if_the_recipe_declares_it(tmp_path: Path) -> None:
    write(tmp_path, a="id,x\n0001,a\n2,b\n", b="id,y\n1,c\n02,d\n3,e\n", c="id,z\n2,c\n02,d\n1,e\n")
    of = lambda name: [{"name": "a", "path": "a.csv"}, {"name": name, "path": f"{name}.csv"}]  # noqa: E731
    message = refused(tmp_path, "DATASET_INVALID", files=of("b"), join=[{"table": "b", "on": ["id"]}])
    assert "2 keys would match without leading zeros" in message
    plain = compiled(tmp_path, files=of("c"), join=[{"table": "c", "on": ["id"]}])
    assert counts(plain, "join") == {"unmatched": 1, "unused": 2, "only_as_numbers": 1}
    numbers = {"on": ["id"], "numbers": True}
    joined = compiled(tmp_path, files=of("b"), join=[{"table": "b", **numbers}])
    assert (joined.table.cells["id"], joined.table.cells["y"]) == (["0001", "2"], ["c", "d"])
    assert counts(joined, "join") == {"unused": 1, "only_as_numbers": 2}
    message = refused(tmp_path, "DATASET_INVALID", files=of("c"), join=[{"table": "c", **numbers}])
    assert "equal as numbers: rows 2 and 3" in message or "equal as numbers: rows 2, 3" in message


def test_listed_values_without_a_row_are_counted_by_their_forms(tmp_path: Path) -> None:
    write(tmp_path, t="id\na1\na2\n")
    (tmp_path / "train.txt").write_text("a1\nMiller7\n")
    made = compiled(tmp_path / "t.csv", split={"column": "id", "files": {"train": "train.txt"}})
    assert counts(made, "split") == {"train": 1, "unused": 1, "not_found": 1}
    message = next(step.message for step in made.steps if step.kind == "split")
    assert "1 listed value without a row" in message and "Miller" not in message


def test_a_declared_class_is_not_missing(tmp_path: Path) -> None:
    write(tmp_path, t="dx\nNone\nmild\nNA\n")
    label = {"column": "dx", "classes": ["None"]}
    texts = compiled(tmp_path / "t.csv", label=label).table.cells["dx"]
    assert [is_missing(text) for text in texts] == [False, False, True]


@pytest.mark.parametrize(
    ("recipe", "label"),
    [
        ({}, {"column": "label"}),
        ({"files": [{"name": "a", "pattern": "{kind}/{_}.png"}]}, {"column": "kind"}),
        ({"files": [{"name": "a", "pattern": "{kind}/{_}.png"}]}, {"column": "kind", "name": "dx"}),
        (
            {
                "files": [{"name": "a", "pattern": "{_}/{number}.png"}],
                "columns": [{"from": "image", "pattern": "{kind}/{_}"}],
            },
            {"column": "kind"},
        ),
    ],
)
@pytest.mark.parametrize("name", ["None", "NA", "null"])
def test_the_name_of_a_folder_is_a_class(
    tmp_path: Path, recipe: dict[str, Any], label: dict[str, Any], name: str
) -> None:
    for place in (f"{name}/1.png", f"{name}/2.png", "mild/3.png"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).touch()
    made = compiled(tmp_path, **recipe, label=label)
    texts = made.table.cells[made.settings["label_column"]]
    assert sorted(texts) == sorted([name, name, "mild"])
    assert not any(map(is_missing, texts))


def test_a_recipe_may_list_the_name_of_a_folder_as_missing(tmp_path: Path) -> None:
    for place in ("None/1.png", "mild/3.png"):
        (tmp_path / place).parent.mkdir()
        (tmp_path / place).touch()
    files = [{"name": "a", "pattern": "{kind}/{_}.png"}]
    made = compiled(tmp_path, files=files, missing={"everywhere": ["None"]}, label={"column": "kind"})
    assert sorted(made.table.cells["kind"]) == ["", "mild"]


def test_a_part_of_a_file_name_may_be_missing(tmp_path: Path) -> None:
    write(tmp_path, t="id,path\n1,a/NA.png\n2,NA/F.png\n")
    columns = [{"from": "path", "pattern": "{site}/{sex}.png"}]
    cells = compiled(tmp_path / "t.csv", columns=columns).table.cells
    assert [is_missing(text) for text in cells["sex"]] == [True, False]
    assert [is_missing(text) for text in cells["site"]] == [False, False]


def test_equal_rows_of_a_joined_table_are_one(tmp_path: Path) -> None:
    """A table with a row for each box repeats the class of the image."""
    write(tmp_path, boxes="id,x\n1,5\n1,6\n2,\n", classes="id,class\n1,opacity\n1,opacity\n2,normal\n")
    files = [{"name": name, "path": f"{name}.csv"} for name in ("boxes", "classes")]
    made = compiled(tmp_path, files=files, join=[{"table": "classes", "on": ["id"]}])
    assert made.table.cells["class"] == ["opacity", "opacity", "normal"]
    assert counts(made, "join") == {"equal": 1}


def test_images_are_found_by_pattern_and_by_name(tmp_path: Path) -> None:
    write(tmp_path, t="part,name\na,1\nb,2\nb,3\n,4\n")
    for file in ("a/1.png", "b/2.png", "c/2.jpg", "c/5.jpg"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).touch()
    cells = lambda **image: compiled(tmp_path / "t.csv", images=[{"column": "image", **image}])  # noqa: E731
    assert cells(pattern="{part}/{name}.png").table.cells["image"] == ["a/1.png", "b/2.png", "b/3.png", ""]
    dropped = cells(pattern="{_}/{name}.png")
    assert dropped.table.cells["image"] == ["a/1.png", "b/2.png", "_/3.png", "_/4.png"]
    assert counts(dropped, "images") == {"not_found": 2}
    found = cells(search=["a", "b"], key="name")
    assert found.table.cells["image"] == ["a/1.png", "b/2.png", "a/3", "a/4"]
    assert found.settings["image_columns"] == ["image"]
    wanted = cells(search=["{_}"], key="name", suffixes=[".png"])
    assert wanted.table.cells["image"][:2] == ["a/1.png", "b/2.png"]
    assert cells(prefix="b/", key="name").table.cells["image"] == ["b/1", "b/2.png", "b/3", "b/4"]
    image = {"column": "image", "search": ["a", "b", "c"], "key": "name"}
    assert "row 3" in refused(tmp_path / "t.csv", "DATASET_INVALID", images=[image])
    image = {"column": "image", "pattern": "{_}/{name}.{_}"}
    assert "row 3" in refused(tmp_path / "t.csv", "DATASET_INVALID", images=[image])
    image = {"column": "image", "search": ["nowhere"], "key": "name"}
    assert "nowhere" in refused(tmp_path / "t.csv", "FILE_NOT_FOUND", images=[image])


def test_nothing_outside_the_folder_of_the_data_is_read(tmp_path: Path) -> None:
    data = write(tmp_path / "data", t="id\n1\n")
    other = write(tmp_path / "other", secret="id\n2\n")
    (data / "link").symlink_to(other)
    (data / "link.csv").symlink_to(other / "secret.csv")
    for parts in (
        {"files": [{"name": "t", "path": "link/secret.csv"}]},
        {"files": [{"name": "t", "path": "link.csv"}]},
        {"files": [{"name": "t", "pattern": "link/{_}.csv"}]},
        {"images": [{"column": "image", "search": ["link"], "key": "id"}]},
        {"split": {"column": "id", "files": {"train": "link.csv"}}},
    ):
        refused(data if "files" in parts else data / "t.csv", "PATH_NOT_ALLOWED", **parts)
    inside = compiled(data, roots=(tmp_path,), files=[{"name": "t", "path": "link.csv"}])
    assert inside.table.cells == {"id": ["2"]}


def test_a_source_that_is_a_file_is_the_main_table(tmp_path: Path) -> None:
    """The recipe of a training reads the tables of other splits."""
    write(tmp_path, train="id\n1\n", other="id\n2\n", ages="id,age\n1,50\n2,60\n")
    files = [{"name": "m", "path": "train.csv"}, {"name": "ages", "path": "ages.csv"}]
    for source, cells in (("train.csv", ["1", "50"]), ("other.csv", ["2", "60"]), ("", ["1", "50"])):
        made = compiled(tmp_path / source, files=files, join=[{"table": "ages", "on": ["id"]}])
        assert [texts[0] for texts in made.table.cells.values()] == cells
    for main in ({"path": "{split}.csv"}, {"pattern": "{_}.csv"}, {"dicom": True}):
        message = refused(tmp_path / "other.csv", "DATASET_INVALID", files=[{"name": "m", **main}])
        assert "Select the folder" in message


def test_columns_and_the_patient_are_parsed_from_paths(tmp_path: Path) -> None:
    write(tmp_path, t="Path\nx/patient1/study1/v1.jpg\nx/patient2/study1/v1.jpg\n")
    pattern = "{_}/{patient}/{study}/{_}.jpg"
    made = compiled(
        tmp_path / "t.csv", columns=[{"from": "Path", "pattern": pattern}], patient={"column": "patient"}
    )
    assert made.table.cells["patient"] == ["patient1", "patient2"]
    assert made.settings["patient_column"] == "patient"
    message = refused(
        tmp_path / "t.csv", "DATASET_INVALID", patient={"from": "Path", "pattern": "{_}/{patient}/{_}.png"}
    )
    assert "does not match 2 texts" in message and "rows 2, 3" in message
    assert "patient1" not in message  # an identifier appears as a form only


def test_a_map_lists_every_class(tmp_path: Path) -> None:
    label = {"column": "dx", "name": "malignant", "map": {"mel": "yes", "nv": "no", "bkl": "no"}}
    write(tmp_path, t="dx,x\nmel,1\nmel,2\nnv,3\nbkl,4\n,5\n")
    made = compiled(tmp_path / "t.csv", label=label)
    assert made.table.cells["malignant"] == ["yes", "yes", "no", "no", ""]
    assert made.settings == {"label_column": "malignant", "ignore_columns": ["dx"]}
    message = refused(tmp_path / "t.csv", "LABEL_INVALID", label={**label, "map": {"mel": "yes"}})
    assert "does not list" in message and "2 rows" in message and "rows 4, 5" in message
    same = compiled(tmp_path / "t.csv", label={**label, "name": "dx"})
    assert same.settings == {"label_column": "dx"}


def test_a_class_may_be_called_none(tmp_path: Path) -> None:
    write(tmp_path, t="dx,none,NA\n0,1,0\n1,0,1\n,1,0\n")
    made = compiled(tmp_path / "t.csv", label={"column": "dx", "map": {"0": "none", "1": "NA"}})
    assert [is_missing(text) for text in made.table.cells["dx"]] == [False, False, True]
    made = compiled(tmp_path / "t.csv", label={"one_hot": ["none", "NA"]})
    assert [is_missing(text) for text in made.table.cells["label"]] == [False, False, False]


def test_a_one_hot_group_is_one_label(tmp_path: Path) -> None:
    write(tmp_path, t="MEL,NV\n1.0,0\n0,1\n", none="MEL,NV\n0,0\n")
    made = compiled(tmp_path / "t.csv", label={"one_hot": ["MEL", "NV"]})
    assert made.table.cells["label"] == ["MEL", "NV"]
    assert made.settings == {"label_column": "label", "ignore_columns": ["MEL", "NV"]}
    refused(tmp_path / "none.csv", "LABEL_INVALID", label={"one_hot": ["MEL", "NV"]})


def test_a_list_of_findings_becomes_columns(tmp_path: Path) -> None:
    write(tmp_path, t="Finding Labels\nMass|Edema\nNo Finding\nEdema\nMass|Hernia\n")
    label = {
        "column": "Finding Labels",
        "delimiter": "|",
        "findings": ["Mass", "Edema"],
        "none": ["No Finding", "Hernia"],
    }
    made = compiled(tmp_path / "t.csv", label=label)
    assert (made.table.cells["Mass"], made.table.cells["Edema"]) == (
        ["1", "0", "0", "1"],
        ["1", "0", "1", "0"],
    )
    assert made.settings == {"label_columns": ["Mass", "Edema"], "ignore_columns": ["Finding Labels"]}
    assert "1 row" in refused(tmp_path / "t.csv", "LABEL_INVALID", label={**label, "none": ["No Finding"]})


def test_survival_maps_the_event_and_converts_the_time(tmp_path: Path) -> None:
    write(tmp_path, t="days,status\n365.25,1:DECEASED\n730.5,0:LIVING\n")
    label = {"time": "days", "event": "status", "event_map": {"1:DECEASED": 1, "0:LIVING": 0}}
    made = compiled(tmp_path / "t.csv", label={**label, "time_unit": {"from": "days", "to": "months"}})
    assert made.table.cells == {"days": ["12", "24"], "status": ["1", "0"]}
    assert made.settings == {"time_column": "days", "event_column": "status"}
    refused(tmp_path / "t.csv", "LABEL_INVALID", label={**label, "event_map": {"1:DECEASED": 1}})


def test_rows_without_a_time_or_an_event_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, t="days,status\n365,1\n0,1\n,0\n-3,1\n20,\n30,0\n")
    label = {"time": "days", "event": "status"}
    made = compiled(tmp_path / "t.csv", label={**label, "incomplete": "drop"})
    assert made.table.cells == {"days": ["365", "30"], "status": ["1", "0"]}
    assert counts(made, "label") == {"dropped": 4}
    assert len(compiled(tmp_path / "t.csv", label=label).table) == 6
    write(tmp_path, t="days,status\nsoon,1\n5,0\n")
    assert len(compiled(tmp_path / "t.csv", label={**label, "incomplete": "drop"}).table) == 2


def test_a_split_comes_from_words_or_from_lists(tmp_path: Path) -> None:
    write(tmp_path, t="id,fold\na.png,A\nb.png,B\nc.png,C\n", val="id\nb.png\n")
    words = {"train": ["A"], "val": ["B"], "unused": ["C"]}
    made = compiled(tmp_path / "t.csv", split={"column": "fold", "words": words})
    assert made.table.cells["fold"] == ["train", "val"]
    assert counts(made, "split") == {"train": 1, "val": 1, "unused": 1}
    words.pop("unused")
    assert "row 4" in refused(tmp_path / "t.csv", "DATASET_INVALID", split={"column": "fold", "words": words})
    (tmp_path / "train.txt").write_text("a\nc\n")
    listed = {"column": "id", "files": {"train": "train.txt", "val": "val.csv"}}
    assert compiled(tmp_path / "t.csv", split=listed).table.cells["split"] == ["train", "val", "train"]
    (tmp_path / "train.txt").write_text("a.png\nb.png\n")
    refused(tmp_path / "t.csv", "DATASET_INVALID", split=listed)


def test_a_list_names_files_by_path_or_by_a_unique_name(tmp_path: Path) -> None:
    write(tmp_path, t="path\np1/1.png\np2/1.png\np2/2.png\n")
    split = {"column": "path", "files": {"train": "train.txt", "val": "val.txt"}}

    def listed(train: str, val: str) -> None:
        (tmp_path / "train.txt").write_text(train)
        (tmp_path / "val.txt").write_text(val)

    listed("p1/1.png\n2\n", "p2/1\np9/2.png\n")
    made = compiled(tmp_path / "t.csv", split=split)
    assert made.table.cells["split"] == ["train", "val", "train"]
    listed("1.png\n", "2.png\n")
    assert "rows 2, 3" in refused(tmp_path / "t.csv", "DATASET_INVALID", split=split)
    listed("p2/2.png\n", "2\n")
    assert "row 4" in refused(tmp_path / "t.csv", "DATASET_INVALID", split=split)


ROWS = "id,Target,day,x\n1,0,2,a\n1,1,1,b\n2,0,5,c\n2,0,4,c\n"


@pytest.mark.parametrize(
    ("rule", "labels", "x"),
    [
        ({"rule": "any"}, ["1", "0"], ["a", "c"]),
        ({"rule": "first"}, ["0", "0"], ["a", "c"]),
        ({"rule": "last", "order_by": "day"}, ["0", "0"], ["a", "c"]),
        ({"rule": "first", "order_by": "day"}, ["1", "0"], ["b", "c"]),
        ({"rule": "all_agree"}, ["0"], ["c"]),
        ({"rule": "first", "visit": {"column": "day", "values": ["1", "4"]}}, ["1", "0"], ["b", "c"]),
    ],
)
def test_several_rows_become_one_case(
    tmp_path: Path, rule: dict[str, Any], labels: list[str], x: list[str]
) -> None:
    write(tmp_path, t=ROWS)
    made = compiled(tmp_path / "t.csv", label={"column": "Target"}, rows={"case": ["id"], **rule})
    assert (made.table.cells["Target"], made.table.cells["x"]) == (labels, x)


def test_a_case_with_an_empty_key_is_refused(tmp_path: Path) -> None:
    write(tmp_path, t="site,id,v,image\nA,,l,1.png\nA,,r,2.png\nA,1,l,3.png\n")
    case = ["site", "id"]
    message = refused(tmp_path / "t.csv", "DATASET_INVALID", rows={"case": case, "rule": "first"})
    assert "rows 2, 3" in message
    refused(tmp_path / "t.csv", "DATASET_INVALID", views={"case": case, "by": ["v"], "columns": ["image"]})


def test_a_majority_is_refused_if_there_is_none(tmp_path: Path) -> None:
    write(tmp_path, t=ROWS, three="id,Target\n1,a\n1,b\n1,b\n")
    rows = {"case": ["id"], "rule": "majority"}
    made = compiled(tmp_path / "three.csv", label={"column": "Target"}, rows=rows)
    assert made.table.cells["Target"] == ["b"]
    message = refused(tmp_path / "t.csv", "DATASET_INVALID", label={"column": "Target"}, rows=rows)
    assert "1 case" in message and "row 2" in message
    assert "order" in refused(
        tmp_path / "t.csv", "DATASET_INVALID", label={"column": "Target"}, rows={**rows, "order_by": "x"}
    )
    refused(tmp_path / "t.csv", "DATASET_INVALID", rows=rows)


def test_images_of_a_case_become_views(tmp_path: Path) -> None:
    write(
        tmp_path, t="id,side,view,image,birads,note\n1,L,CC,a.png,2,p\n1,R,MLO,b.png,2,q\n2,L,CC,c.png,4,r\n"
    )
    views = {"case": ["id"], "by": ["side", "view"]}
    images = [{"column": "image", "prefix": "mammo/", "suffixes": [".png"]}]
    made = compiled(tmp_path / "t.csv", views={**views, "columns": ["image"]}, label={"column": "birads"})
    assert made.table.cells == {
        "id": ["1", "2"],
        "birads": ["2", "4"],
        "image_L_CC": ["a.png", "c.png"],
        "image_R_MLO": ["b.png", ""],
    }
    assert made.settings["image_columns"] == ["image_L_CC", "image_R_MLO"]
    assert counts(made, "views") == {"absent": 1}
    assert compiled(tmp_path / "t.csv", images=images, views=views).table.columns[-1] == "image_R_MLO"
    write(tmp_path, t="id,side,image\n1,L,a.png\n1,L,b.png\n")
    message = refused(
        tmp_path / "t.csv", "DATASET_INVALID", images=images, views={"case": ["id"], "by": ["side"]}
    )
    assert "rows 2, 3" in message


def test_a_newer_version_is_refused_with_a_remedy(tmp_path: Path) -> None:
    write(tmp_path, t="id\n1\n")
    assert "Update Medloom" in refused(tmp_path / "t.csv", "INVALID_CONFIG", version=2)


def test_a_file_is_read_as_the_recipe_states(tmp_path: Path) -> None:
    text = "Export of the clinic\n# made by hand\nid;age;size\n# a note\n007;63;1,5\n008;70;1.200,25\n"
    (tmp_path / "t.dat").write_bytes(text.replace("made", "für").encode("iso-8859-1"))
    file = {
        "name": "t",
        "path": "t.dat",
        "format": "CSV",
        "encoding": "iso-8859-1",
        "comment": "#",
        "skip": 1,
        "decimal": ",",
    }
    made = compiled(tmp_path, files=[file])
    assert made.table.cells == {"id": ["007", "008"], "age": ["63", "70"], "size": ["1.5", "1200.25"]}
    assert made.table.place(1) == ("t.dat", 6)
    refused(tmp_path, "DATASET_INVALID", files=[{"name": "t", "path": "t.dat"}])
    refused(tmp_path, "FILE_NOT_FOUND", files=[{"name": "t", "path": "u.csv"}])


def test_a_sheet_and_its_header_are_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["nothing", "here"])
    sheet = book.create_sheet("Cases 2024")
    for row in (["Export", "of 2024"], ["id", "age"], ["007", 63]):
        sheet.append(row)
    book.save(tmp_path / "t.xlsx")
    file = {"name": "t", "path": "t.xlsx", "header_row": 2}
    for named in ("Cases 2024", 2):
        made = compiled(tmp_path, files=[{**file, "sheet": named}])
        assert made.table.cells == {"id": ["007"], "age": ["63"]}
    message = refused(tmp_path, "DATASET_INVALID", files=[{**file, "sheet": "Cases 2025"}])
    assert '"Sheet", "Cases 2024"' in message


def test_files_that_match_a_path_are_stacked(tmp_path: Path) -> None:
    write(tmp_path, train="id\n1\n2\n", valid="id\n3\n")
    made = compiled(tmp_path, files=[{"name": "all", "path": "{split}.csv"}])
    assert made.table.cells == {"id": ["1", "2", "3"], "split": ["train", "train", "valid"]}
    assert made.table.place(2) == ("valid.csv", 2)
    refused(tmp_path, "DATASET_INVALID", files=[{"name": "all", "path": "{id}.csv"}])


def test_a_declared_decimal_mark_applies_to_every_number(tmp_path: Path) -> None:
    """A text among the numbers, a bound or a sign does not make 1,500 a number a thousand times as large."""
    text = "id;size;cost;note;mixed\n1;1.500;1,5 $;a,b;1.125\n2;<1.500;1.250,5 $;1,5 mm;1.5\n3;-9,0;?;;x\n"
    (tmp_path / "t.csv").write_text(text + "4;unclear;1 234,5 $;;\n")
    file = {"name": "t", "decimal": ","}
    made = compiled(tmp_path / "t.csv", files=[file], missing={"columns": {"size": ["-9,0"]}})
    assert made.table.cells["size"] == ["1500", "<1500", "", "unclear"]
    assert made.table.cells["cost"] == ["1.5 $", "1250.5 $", "?", "1234.5 $"]
    assert made.table.cells["note"] == ["a,b", "1,5 mm", "", ""]
    assert made.table.cells["mixed"] == ["1.125", "1.5", "x", ""]  # 1.5 has another decimal mark
    (tmp_path / "t.csv").write_text("id;size\n1;1,500\n2;unclear\n")
    made = compiled(tmp_path / "t.csv", files=[file])
    assert made.table.cells["size"] == ["1.500", "unclear"]


def test_a_code_within_a_list_decides_about_the_other_findings(tmp_path: Path) -> None:
    write(tmp_path, t="dx\nMass|U\nEdema\nU\n")
    label = {"column": "dx", "delimiter": "|", "findings": ["Mass", "Edema"], "none": ["No Finding"]}
    for way, mass, edema in (
        ("missing", ["1", "0", ""], ["", "1", ""]),
        ("positive", ["1", "0", "1"], ["1", "1", "1"]),
        ("negative", ["1", "0", "0"], ["0", "1", "0"]),
        ("drop", ["0"], ["1"]),
    ):
        made = compiled(tmp_path / "t.csv", label={**label, "uncertain": {"U": way}})
        assert (made.table.cells["Mass"], made.table.cells["Edema"]) == (mass, edema)
    write(tmp_path, t="dx\nMass\nNo Finding|Mass\n")
    assert "row 3" in refused(tmp_path / "t.csv", "LABEL_INVALID", label=label)
    write(tmp_path, t="dx\nMass\nU|V\n")
    codes = {"U": "positive", "V": "negative"}
    assert "row 3" in refused(tmp_path / "t.csv", "LABEL_INVALID", label={**label, "uncertain": codes})


def test_a_missing_label_has_no_part_in_the_label_of_a_case(tmp_path: Path) -> None:
    write(tmp_path, t="id,dx\n1,NA\n1,NA\n1,mel\n2,\n2,nv\n")
    for rule in ({"rule": "majority"}, {"rule": "all_agree"}, {"rule": "any", "positive": "mel"}):
        made = compiled(tmp_path / "t.csv", label={"column": "dx"}, rows={"case": ["id"], **rule})
        assert made.table.cells["dx"] == ["mel", "nv"], rule
    rows = {"case": ["id"], "rule": "any", "positive": "Mel"}
    message = refused(tmp_path / "t.csv", "DATASET_INVALID", label={"column": "dx"}, rows=rows)
    assert "data.recipe.rows.positive" in message and '"aaa"' in message


def test_no_step_replaces_a_column_of_the_table(tmp_path: Path) -> None:
    write(tmp_path, a="id,x,b.x\n1,p,q\n", b="id,x\n1,r\n")
    files = [{"name": "a", "path": "a.csv"}, {"name": "b", "path": "b.csv"}]
    message = refused(tmp_path, "DATASET_INVALID", files=files, join=[{"table": "b", "on": ["id"]}])
    assert '"b.x"' in message and "data.recipe.join" in message
    write(tmp_path, t="id,view,image,image_T1\n1,T1,a.png,u\n1,T2,b.png,u\n")
    views = {"case": ["id"], "by": ["view"], "columns": ["image"]}
    assert '"image_T1"' in refused(tmp_path / "t.csv", "DATASET_INVALID", views=views)
    write(tmp_path, t="id,view,image\n1,T1,a.png\n2,T1+,b.png\n")
    message = refused(tmp_path / "t.csv", "DATASET_INVALID", views=views)
    assert '"T1"' in message and "data.recipe.views.by" in message


def test_a_time_with_a_bound_is_not_converted(tmp_path: Path) -> None:
    write(tmp_path, t="days,status\n365,1\n>365,0\n")
    label = {"time": "days", "event": "status", "time_unit": {"from": "days", "to": "years"}}
    assert "row 3" in refused(tmp_path / "t.csv", "LABEL_INVALID", label=label)
