"""ImagePreprocess and DataAugmentation: settings of the recorded pipeline; pixels are touched when a training
or an evaluation prepares the images.
"""

from __future__ import annotations

from dataclasses import replace

from medloom_trainer.cases.case_set import describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.cases.preprocessing import add_settings, catalog
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    cases = cases_at(task, "images")
    if not cases.image_columns:
        raise TrainerError("DATASET_INVALID", "the cases that arrive have no images")
    content = write_cases(task, replace(cases, settings=add_settings(task, dict(cases.settings))))
    port = catalog()[task.type]["outputs"][0]["name"]
    return {port: (content, describe_cases(content))}
