"""Images and a table loaded separately are joined by case; the same cases loaded twice become one value
again."""

from __future__ import annotations

from typing import Any

import pytest

from testing.node_runs import Nodes


def images(nodes: Nodes, *names: str) -> Any:
    for number, name in enumerate(names):
        nodes.image(f"photos/{name}", number)
    return nodes.out("images", "LoadImage", {"path": "photos"})


def table(nodes: Nodes, text: str) -> Any:
    nodes.write("t.csv", text)
    return nodes.out("dataframe", "LoadTabular", {"path": "t.csv"})


def joined(nodes: Nodes, *parts: Any) -> Any:
    """FilterData with a condition that all cases meet returns its input."""
    condition = {"filter_condition": "case_id is not missing"}
    result = nodes.run("FilterData", condition, dataset=list(parts))
    content = result["outputs"]["filtered_dataset"]["content"]
    return content, {warning["code"]: warning["message"] for warning in result["warnings"]}


@pytest.mark.parametrize(
    "text",
    [
        "case_id,age,label\nb,2,x\na,1,y\n",
        "img_id,age,label\nb.png,2,x\na.png,1,y\n",
        "file,age,label\nfolder/b.png,2,x\nfolder/a.png,1,y\n",
        "patient_id,age,label\nb,2,x\na,1,y\n",
    ],
)
def test_by_case_id_file_name_or_any_column_that_holds_them(nodes: Nodes, text: str) -> None:
    content, warnings = joined(nodes, images(nodes, "a.png", "b.png"), table(nodes, text))
    cells = nodes.cells(content)
    assert [cell.rsplit("/", 1)[1] for cell in cells["image"]] == ["b.png", "a.png"], (
        "in the order of the table"
    )
    assert content["feature_columns"] == ["age"] and content["label_column"] == "label"
    assert content["image_columns"] == ["image"] and warnings == {}
    assert {step["step"] for step in content["lineage"]} >= {"LoadImage", "LoadTabular", "FilterData"}


def test_the_order_of_the_parts_plays_no_part(nodes: Nodes) -> None:
    parts = images(nodes, "a.png", "b.png"), table(nodes, "case_id,age,label\nb,2,x\na,1,y\n")
    assert joined(nodes, *parts)[0]["table"] == joined(nodes, *reversed(parts))[0]["table"]


def test_what_has_no_other_side_is_counted(nodes: Nodes) -> None:
    content, warnings = joined(
        nodes, images(nodes, "a.png", "b.png", "z.png"), table(nodes, "case_id,age\na,1\nb,2\nc,3\nd,4\n")
    )
    assert content["num_cases"] == 2
    assert "2 rows without an image, 1 image without a row" in warnings["CASES_UNMATCHED"]


def test_numbers_of_patients_are_not_names_of_images(nodes: Nodes) -> None:
    """More ages than patient ids have an image with that number."""
    files = images(nodes, *(f"{number}.png" for number in range(1, 13)))
    rows = [f"{20 - row},{1 + row % 12},{'xy'[row % 2]}" for row in range(14)]
    content, _ = joined(nodes, files, table(nodes, "patient_id,age,label\n" + "\n".join(rows) + "\n"))
    cells = nodes.cells(content)
    names = [cell.rsplit("/", 1)[1] for cell in cells["image"]]
    assert names == [f"{patient}.png" for patient in cells["patient_id"]]
    assert content["num_cases"] == 6


def test_columns_that_name_different_images_are_refused(nodes: Nodes) -> None:
    parts = [images(nodes, "a.png", "b.png"), table(nodes, "before,after,label\na,b,0\nb,a,1\n")]
    error = nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "label = 0"}, dataset=parts)
    assert '"before" (2 of 2 rows)' in error.message and '"after" (2 of 2 rows)' in error.message
    assert "join_by" in error.details


@pytest.mark.parametrize(
    ("counter", "first", "case"),
    [("Unnamed: 0", 0, "Fallnummer"), ("index", 1, "case_no"), ("nr", 1, "exam")],
)
def test_row_counters_are_not_names_of_images(nodes: Nodes, counter: str, first: int, case: str) -> None:
    """Most row numbers are names of images too."""
    cases = (7, 2, 5, 3, 91, 92)
    files = images(nodes, *(f"{number}.png" for number in cases))
    rows = [f"{first + row},{number},{'xy'[row % 2]}" for row, number in enumerate(cases)]
    content, _ = joined(nodes, files, table(nodes, f"{counter},{case},label\n" + "\n".join(rows) + "\n"))
    cells = nodes.cells(content)
    names = [cell.rsplit("/", 1)[1] for cell in cells["image"]]
    assert names == [f"{number}.png" for number in cells[case]] == [f"{number}.png" for number in cases]


def test_a_key_that_names_fewer_images_is_also_in_question(nodes: Nodes) -> None:
    """The rows of the second key are others, so that no row has two images."""
    files = images(nodes, *(f"{letter}.png" for letter in "abcde"))
    rows = "a,x,0\nb,y,1\nc,z,0\nd,u,1\ne,v,0\nf,a,1\n"
    error = nodes.refuse(
        "DATASET_INVALID",
        "FilterData",
        {"filter_condition": "label = 0"},
        dataset=[files, table(nodes, f"before,after,label\n{rows}")],
    )
    assert '"before" (5 of 6 rows), "after" (1 of 6 rows)' in error.message


@pytest.mark.parametrize(
    ("header", "listed"),
    [
        ("patient_id,registered,label", '"patient_id" (3 of 4 rows), "registered" (4 of 4 rows)'),
        ("comment,registered,label", 'images: "registered" (4 of 4 rows)'),
    ],
)
def test_whole_numbers_are_not_chosen_but_questioned(nodes: Nodes, header: str, listed: str) -> None:
    files = images(nodes, *(f"{number}.png" for number in (31, 34, 37, 40)))
    first = ["34", "31", "37", "99"] if header.startswith("patient") else ["ok"] * 4
    rows = [f"{left},{number},{number % 2}" for left, number in zip(first, (31, 34, 40, 37), strict=True)]
    parts = [files, table(nodes, header + "\n" + "\n".join(rows) + "\n")]
    error = nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "label = 0"}, dataset=parts)
    assert listed in error.message and "join_by" in error.details


def test_join_by_also_applies_where_datasets_are_merged(nodes: Nodes) -> None:
    images(nodes, "a.png", "b.png")
    chosen = nodes.out("images", "LoadImage", {"path": "photos", "join_by": "after"})
    rows = table(nodes, "before,after,label\na,b,0\nb,a,1\n")
    inputs = {"dataset1": [chosen, rows], "dataset2": [chosen, rows]}
    content = nodes.run("MergeDatasets", {}, **inputs)["outputs"]["merged_dataset"]["content"]
    assert [cell.rsplit("/", 1)[1] for cell in nodes.cells(content)["image"]] == ["b.png", "a.png"]


def test_join_by_names_the_column(nodes: Nodes) -> None:
    images(nodes, "a.png", "b.png")
    chosen = nodes.out("images", "LoadImage", {"path": "photos", "join_by": "after"})
    rows = table(nodes, "before,after,label\na,b,0\nb,a,1\n")
    content, warnings = joined(nodes, chosen, rows)
    cells = nodes.cells(content)
    assert [cell.rsplit("/", 1)[1] for cell in cells["image"]] == ["b.png", "a.png"] and warnings == {}
    assert "join_by" not in content
    condition = {"filter_condition": "label = 0"}
    other = nodes.out("images", "LoadImage", {"path": "photos", "join_by": "afte"})
    error = nodes.refuse("COLUMN_NOT_FOUND", "FilterData", condition, dataset=[other, rows])
    assert 'did you mean "after"?' in error.message
    empty = nodes.out("images", "LoadImage", {"path": "photos", "join_by": "label"})
    error = nodes.refuse("DATASET_INVALID", "FilterData", condition, dataset=[empty, rows])
    assert '"label" does not contain the names of the images' in error.message


def test_join_by_may_name_a_column_that_repeats(nodes: Nodes) -> None:
    images(nodes, "1.png", "2.png")
    chosen = nodes.out("images", "LoadImage", {"path": "photos", "join_by": "plate"})
    content, _ = joined(nodes, chosen, table(nodes, "plate,well,label\n1,1,0\n1,2,1\n2,3,0\n"))
    names = [cell.rsplit("/", 1)[1] for cell in nodes.cells(content)["image"]]
    assert names == ["1.png", "1.png", "2.png"]


def test_an_image_of_several_rows_is_reported_and_refused_with_differing_labels(nodes: Nodes) -> None:
    files = images(nodes, "a.png", "b.png")
    visits = "patient_id,visit,label\na,1,0\na,2,{}\nb,1,1\n"
    _, warnings = joined(nodes, files, table(nodes, visits.format(0)))
    assert warnings["ROWS_SHARE_IMAGES"].startswith("2 rows name the same 1 image")
    parts = [files, table(nodes, visits.format(1))]
    error = nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "label = 0"}, dataset=parts)
    assert "different labels: 1" in error.message and "rows" in error.details


def test_nothing_in_common_is_refused(nodes: Nodes) -> None:
    parts = [images(nodes, "a.png"), table(nodes, "case_id,age\nx,1\n")]
    error = nodes.refuse("DATASET_INVALID", "FilterData", {"filter_condition": "age > 0"}, dataset=parts)
    assert "no image matches a row (images: 1, rows: 1)" in error.message


def test_two_branches_of_one_data_set_become_one(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(12))
    source = nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv"})
    resize = {"resize": {"width": 32, "height": 24}}
    resized = nodes.out("processed_images", "ImagePreprocess", resize, images=source)
    numbers = nodes.out("processed_data", "TabularPreprocess", {"scaling": "robust"}, dataframe=source)
    content, warnings = joined(nodes, resized, numbers)
    assert content["num_cases"] == 12 and warnings == {}
    assert (
        content["settings"]["data.image_size"] == [32, 24] and content["settings"]["data.scaling"] == "robust"
    )
    assert content["feature_columns"] == source["feature_columns"]


def test_rows_of_one_image_without_differences_become_one_case(nodes: Nodes) -> None:
    files = images(nodes, "a.png", "b.png")
    content, warnings = joined(nodes, files, table(nodes, "patient_id,age,label\na,50,1\na,50,1\nb,60,0\n"))
    assert (content["num_cases"], nodes.cells(content)["patient_id"]) == (2, ["a", "b"])
    assert "are read as one case" in warnings["ROWS_SHARE_IMAGES"]
    content, warnings = joined(nodes, files, table(nodes, "patient_id,age,label\na,50,1\na,55,1\nb,60,0\n"))
    assert content["num_cases"] == 3, "a model that reads the ages refuses them"
    assert 'differ in other columns: "age"' in warnings["ROWS_SHARE_IMAGES"]
