"""LoadDataset: splits by column, by files and by folders; order by seed; facts without values."""

from __future__ import annotations

import shutil

import pytest

from testing.node_runs import Nodes


def rows(nodes: Nodes) -> list[dict[str, object]]:
    words = ["train", "Training", "val", "TEST"] * 6
    return [{**row, "split": words[number]} for number, row in enumerate(nodes.cases(24))]


@pytest.mark.parametrize(("split", "count"), [("train", 12), ("val", 6), ("test", 6), ("all", 24)])
def test_a_split_by_column(nodes: Nodes, split: str, count: int) -> None:
    nodes.table("d.csv", rows(nodes))
    result = nodes.run("LoadDataset", {"dataset_id": "d.csv", "split": split})
    content = result["outputs"]["dataset"]["content"]
    assert (content["num_cases"], content["split"]) == (count, split)
    assert ("split" in nodes.cells(content)) == (split == "all"), "a part says no other split any more"
    assert content["feature_columns"] == ["age", "site"], "the same in every split"
    facts = result["outputs"]["metadata"]["content"]["facts"]
    assert facts["splits"] == {"train": 12, "val": 6, "test": 6}
    assert sum(facts["classes"].values()) == count


def test_a_registered_record_names_the_columns(nodes: Nodes) -> None:
    table = [
        {**row, "outcome": row["label"], "who": row["patient_id"], "known": number % 2}
        for number, row in enumerate(nodes.cases(8))
    ]
    nodes.table("tables/d.csv", table) if (nodes.folder / "tables").mkdir() is None else None
    record = {"path": str(nodes.folder / "tables/d.csv"), "image_root": str(nodes.folder)}
    record |= {"label_columns": ["outcome"], "patient_column": "who", "ignore_columns": ["known", "site"]}
    record |= {"positive_class": None}
    content = nodes.out("dataset", "LoadDataset", {"dataset_id": "some-uuid", "dataset": record})
    assert (content["label_column"], content["patient_column"]) == ("outcome", "who")
    assert content["feature_columns"] == ["age"], "what is left out is not a feature"
    assert not {"known", "site"} & set(nodes.cells(content)), "nor handed on: a merge would unite it again"
    assert content["images_digest"] is not None and content["num_patients"] == 4
    assert all((nodes.folder / "images").as_posix() in cell for cell in nodes.cells(content)["image"])


def test_several_registered_labels_are_learned_together_or_one_that_is_named(nodes: Nodes) -> None:
    table = [{**row, "oedema": n % 2, "effusion": n % 3 == 0} for n, row in enumerate(nodes.cases(12))]
    nodes.table("d.csv", table)
    record = {
        "path": str(nodes.folder / "d.csv"),
        "image_root": None,
        "label_columns": ["oedema", "effusion"],
    }
    record |= {"patient_column": "patient_id", "ignore_columns": ["label"], "positive_class": None}
    config = {"dataset_id": "some-uuid", "dataset": record}
    both = nodes.out("dataset", "LoadDataset", config)
    assert (both["task"], both["classes"]) == ("multilabel", ["oedema", "effusion"])
    assert both["settings"] == {"data.label_columns": ["oedema", "effusion"]}
    assert (both["label_column"], both["feature_columns"]) == (None, ["age", "site"])
    content = nodes.out("dataset", "LoadDataset", {**config, "label_column": "effusion"})
    assert (content["label_column"], content["feature_columns"]) == ("effusion", ["age", "site"])
    assert "oedema" not in nodes.cells(content)


def test_three_files_are_three_splits(nodes: Nodes) -> None:
    for name, first in (("train", 0), ("val", 100), ("test", 200)):
        nodes.table(f"{name}.csv", nodes.cases(6, first=first))
    for source in (".", "train.csv"):
        content = nodes.out("dataset", "LoadDataset", {"dataset_id": source, "split": "test"})
        assert content["num_cases"] == 6 and nodes.cells(content)["patient_id"][0] == "P100"
    for name, first in (("train", 0), ("test", 200)):  # each file may also contain it
        nodes.table(f"{name}.csv", [{**row, "split": name} for row in nodes.cases(6, first=first)])
    content = nodes.out("dataset", "LoadDataset", {"dataset_id": "train.csv", "split": "test"})
    assert nodes.cells(content)["patient_id"][0] == "P100" and "split" not in nodes.cells(content)
    everything = nodes.out("dataset", "LoadDataset", {"dataset_id": "."})
    assert everything["num_cases"] == 18 and nodes.cells(everything)["split"][::6] == ["train", "val", "test"]


def test_folders_of_classes(nodes: Nodes) -> None:
    for number in range(8):
        nodes.image(f"set/{['train', 'val'][number // 4]}/{'ab'[number % 2]}/{number}.png", number)
    content = nodes.out("dataset", "LoadDataset", {"dataset_id": "set", "split": "train"})
    assert content["classes"] == ["a", "b"] and content["num_cases"] == 4
    shutil.move(nodes.folder / "set/train", nodes.folder / "flat")
    assert nodes.out("dataset", "LoadDataset", {"dataset_id": "flat"})["num_cases"] == 4
    (nodes.folder / "flat/a").rename(nodes.folder / "flat/None")
    error = nodes.refuse("DATASET_INVALID", "LoadDataset", {"dataset_id": "flat"})
    assert "values such as None" in error.message and "Rename the folders" in (error.details or "")


def test_the_one_table_of_a_folder(nodes: Nodes) -> None:
    nodes.table("cases.csv", rows(nodes))
    content = nodes.out("dataset", "LoadDataset", {"dataset_id": ".", "split": "val"})
    assert content["num_cases"] == 6 and content["images_digest"] is not None
    nodes.table("more.csv", nodes.cases(4))
    assert (
        "cases.csv, more.csv" in nodes.refuse("DATASET_INVALID", "LoadDataset", {"dataset_id": "."}).message
    )


def test_a_row_that_says_its_split_does_not_train_because_of_its_file(nodes: Nodes) -> None:
    nodes.table("train.csv", rows(nodes))
    nodes.table("test.csv", nodes.cases(6, first=100))
    counts = {
        split: nodes.out("dataset", "LoadDataset", {"dataset_id": ".", "split": split})["num_cases"]
        for split in ("train", "val", "test")
    }
    assert counts == {"train": 12, "val": 6, "test": 12}


def test_shuffle_depends_on_the_seed_alone(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(20))

    def order(**config: object) -> list[str]:
        return nodes.cells(nodes.out("dataset", "LoadDataset", {"dataset_id": "d.csv", **config}))["case_id"]

    plain = order()
    shuffled = order(shuffle=True, seed=5)
    assert plain == order(seed=5) and plain != shuffled and sorted(plain) == sorted(shuffled)
    assert shuffled == order(shuffle=True, seed=5) != order(shuffle=True, seed=6)


def test_refusals(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(4))
    assert (
        "test.csv"
        in nodes.refuse("DATASET_INVALID", "LoadDataset", {"dataset_id": "d.csv", "split": "test"}).message
    )
    nodes.table("s.csv", [{**row, "split": "train"} for row in nodes.cases(4)])
    nodes.refuse("DATASET_INVALID", "LoadDataset", {"dataset_id": "s.csv", "split": "val"})
    nodes.refuse("PATH_NOT_ALLOWED", "LoadDataset", {"dataset_id": "/etc/passwd"})
    nodes.refuse("FILE_NOT_FOUND", "LoadDataset", {"dataset_id": "absent"})
    (nodes.folder / "empty").mkdir()
    nodes.refuse("DATASET_INVALID", "LoadDataset", {"dataset_id": "empty"})


def test_the_positive_class_of_the_record_or_of_the_node_reaches_the_training(nodes: Nodes) -> None:
    rows = [{"x": number, "label": ["ACK", "BCC"][number % 2]} for number in range(12)]
    nodes.table("d.csv", rows)
    record = {"path": str(nodes.folder / "d.csv"), "image_root": None, "label_columns": ["label"]}
    record |= {"patient_column": None, "ignore_columns": [], "positive_class": "ack"}
    config = {"dataset_id": "some-uuid", "dataset": record}
    named = nodes.out("dataset", "LoadDataset", config)
    assert (named["classes"], named["settings"]) == (["BCC", "ACK"], {"data.positive_class": "ACK"})
    own = nodes.out("dataset", "LoadDataset", config | {"positive_class": "BCC"})
    assert (own["classes"], own["settings"]) == (["ACK", "BCC"], {"data.positive_class": "BCC"})
    refused = nodes.refuse("LABEL_INVALID", "LoadDataset", config | {"positive_class": "BCCC"})
    assert 'did you mean "BCC"' in refused.message


def test_the_roles_that_were_chosen_reach_the_training(nodes: Nodes) -> None:
    rows = [{"code": number % 3, "visit": f"v{number}", "label": "ab"[number % 2]} for number in range(60)]
    nodes.table("d.csv", rows)
    record = {"path": str(nodes.folder / "d.csv"), "image_root": None, "label_columns": ["label"]}
    record |= {"patient_column": None, "ignore_columns": [], "positive_class": None}
    config: dict[str, object] = {"dataset_id": "some-uuid", "dataset": record}
    assert nodes.out("dataset", "LoadDataset", config)["feature_columns"] == ["code"]
    record["roles"] = {"code": "categorical", "visit": "split"}
    chosen = nodes.out("dataset", "LoadDataset", config)
    assert chosen["feature_columns"] == ["code"]
    assert chosen["settings"] == {"data.numeric_columns": [], "data.categorical_columns": ["code"]}
    own = nodes.out("dataset", "LoadDataset", config | {"ignore_columns": ["code"]})
    assert own["feature_columns"] == []


def test_the_slices_of_the_record_or_of_the_node_reach_the_training(nodes: Nodes) -> None:
    nodes.table("d.csv", nodes.cases(4))
    registered = {"count": 5, "axis": "coronal", "spread": "content"}
    record = {"path": str(nodes.folder / "d.csv"), "image_root": None, "label_columns": []}
    record |= {"patient_column": None, "ignore_columns": [], "positive_class": None, "slices": registered}
    config: dict[str, object] = {"dataset_id": "some-uuid", "dataset": record}
    assert nodes.out("dataset", "LoadDataset", config)["settings"] == {"data.slices": registered}
    own = {"count": 2, "axis": "axial", "spread": "volume"}
    chosen = nodes.out("dataset", "LoadDataset", config | {"slices": own})
    assert chosen["settings"] == {"data.slices": own}


def test_a_table_names_its_positive_class_or_warns_of_the_order(nodes: Nodes) -> None:
    nodes.table("d.csv", [{"x": number, "label": ["ACK", "BCC"][number % 2]} for number in range(12)])
    found = nodes.run("LoadTabular", {"path": "d.csv"})
    assert "POSITIVE_CLASS_ASSUMED" in {one["code"] for one in found["warnings"]}
    assert found["outputs"]["dataframe"]["content"]["settings"] == {}
    named = nodes.out("dataframe", "LoadTabular", {"path": "d.csv", "positive_class": "ACK"})
    assert named["classes"] == ["BCC", "ACK"]


def test_a_recipe_makes_the_table_of_a_registered_dataset(nodes: Nodes) -> None:
    """The columns from which the label was made are not handed on."""
    rows = [
        {
            "exam": f"e{number}",
            "person": f"P{number // 2}",
            "age": 40 + number,
            "dx": ["nv", "mel"][number % 2],
        }
        for number in range(12)
    ]
    for number, row in enumerate(rows):
        nodes.image(f"clinic/part_{number % 2}/{row['exam']}.png", number)
    nodes.table("clinic/exams.csv", [{**row, "fold": "AB"[number > 8]} for number, row in enumerate(rows)])
    recipe = {
        "version": 1,
        "files": [{"name": "exams", "path": "exams.csv"}],
        "images": [{"column": "picture", "search": ["part_{_}"], "key": "exam"}],
        "patient": {"column": "person"},
        "label": {"column": "dx", "name": "cancer", "map": {"nv": "no", "mel": "yes"}},
        "split": {"column": "fold", "words": {"train": ["A"], "test": ["B"]}},
    }
    record = {
        "path": str(nodes.folder / "clinic"), "image_root": None, "label_columns": ["cancer"],
        "patient_column": "person", "ignore_columns": [], "positive_class": None, "recipe": recipe,
    }  # fmt: skip
    config = {"dataset_id": "some-uuid", "dataset": record, "split": "test"}
    content = nodes.out("dataset", "LoadDataset", config)
    assert (content["num_cases"], content["label_column"], content["patient_column"]) == (
        3,
        "cancer",
        "person",
    )
    assert (content["image_columns"], content["feature_columns"]) == (["picture"], ["age"])
    assert content["images_digest"] is not None
    assert "dx" not in nodes.cells(content)
    assert nodes.read(content).table.place(0) == ("exams.csv", 11)
    record["recipe"] = {"version": 1, "files": recipe["files"], "missing": {"columns": {"dx": []}}}
    table = (nodes.folder / "clinic/exams.csv").read_text().replace("mel", "None")
    (nodes.folder / "clinic/exams.csv").write_text(table)
    record["label_columns"] = ["dx"]
    error = nodes.refuse("DATASET_INVALID", "LoadDataset", {**config, "split": "all"})
    assert "data.recipe.label.map" in (error.details or "")
