"""Without a patient column, cases that may be of one patient are not divided between splits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from medloom_trainer.data.outline import outline
from medloom_trainer.data.splits import find_likely_patients
from medloom_trainer.data.tables import infer_roles, make_table, role_settings
from testing.node_runs import Nodes
from testing.workspace import Workspace

TABLE_ALONE = {"vision_backbone": "none"}


def visits(work: Workspace, *, coded: bool) -> list[dict[str, Any]]:
    """Three visits of each of 20 patients, whose ids are in a column or in the paths of the images."""
    rows = []
    for number in range(60):
        site, patient = f"{number // 3 % 5:03d}", f"{1000 + number // 3}"
        code = f"{site}_S_{patient}"
        path = f"images/{number}.png" if coded else f"subject{patient}/visit{number % 3}.png"
        rows.append(
            {
                "image": work.image(path, number),
                **({"code": code} if coded else {}),
                "age": 40 + number * 7 % 31,
                "label": number // 3 % 2,
            }
        )
    return rows


def patient_of(row: dict[str, Any]) -> str:
    return str(row.get("code") or str(row["image"]).split("/")[0])


@pytest.mark.parametrize("coded", [True, False], ids=["repeated ids", "paths"])
def test_visits_of_one_patient_are_in_one_split(work: Workspace, coded: bool) -> None:
    rows = visits(work, coded=coded)
    work.table("train.csv", rows)
    data = work.prepare(model=TABLE_ALONE)
    parts = [{patient_of(rows[line - 2]) for line in part.rows.tolist()} for part in (data.train, data.val)]
    assert not parts[0] & parts[1] and len(parts[0] | parts[1]) == 20
    said = [one["message"] for one in data.summary["warnings"]]
    assert any("not divided between training and validation" in message for message in said)
    planned = outline(work.config(model=TABLE_ALONE), roots=[work.folder], fitted=None)
    assert planned.splits["val"].table.cells["image"] == [rows[line - 2]["image"] for line in data.val.rows]


def _patients_in(cells: dict[str, list[str]]) -> set[str]:
    return set(cells["code"] if "code" in cells else [path.split("/")[-2] for path in cells["image"]])


@pytest.mark.parametrize("coded", [True, False], ids=["repeated ids", "paths"])
def test_folds_and_parts_of_a_workflow_keep_them_together(nodes: Nodes, coded: bool) -> None:
    rows = visits(nodes, coded=coded)
    path = nodes.table("train.csv", rows)
    fold = {"k": 3, "index": 0, "repeat": 0, "seed": 1}
    data = nodes.prepare(model=TABLE_ALONE, fold=fold)
    assert data.held_out is not None
    held = {patient_of(rows[line - 2]) for line in data.held_out.rows.tolist()}
    assert not held & {patient_of(rows[line - 2]) for line in data.train.rows.tolist()}
    source = nodes.out("dataset", "LoadDataset", {"dataset_id": path.name})
    outputs = nodes.run("DataSplit", {}, dataset=source)["outputs"]
    patients = [_patients_in(nodes.cells(part["content"])) for part in outputs.values()]
    assert sum(map(len, patients)) == len(set().union(*patients)) == 20


def test_a_column_that_connects_most_cases_is_left_out() -> None:
    table = make_table(
        "t.csv",
        {
            "code": [f"A-{number // 2:04d}" for number in range(60)],
            "device": [f"D-{number % 2:04d}" for number in range(60)],
            "label": [str(number % 2) for number in range(60)],
        },
    )

    roles = replace(
        infer_roles(table, role_settings(label_column="label"), Path("/")), repeated_ids=("device", "code")
    )
    assert find_likely_patients(table, roles).columns == ("code",)
    assert find_likely_patients(table, replace(roles, patient="code")).columns == ()
