"""MergeDatasets: the cases of two or more datasets in one."""

from __future__ import annotations

import re

from medloom_trainer.cases.case_set import describe_cases, read_cases, write_cases
from medloom_trainer.cases.join import join_cases
from medloom_trainer.cases.merge import merge
from medloom_trainer.cases.node_task import NodeTask, Outputs
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError


def run(task: NodeTask) -> Outputs:
    """Merge the sources in the order of the numbers in their port names."""
    sources = []
    for port in sorted(task.inputs, key=lambda port: int(re.sub(r"\D", "", port) or 0)):
        found = [read_cases(task, value) for value in task.inputs[port]]
        if found:
            sources.append(found[0] if len(found) == 1 else join_cases(task, found[0], found[1]))
    if len(sources) < 2:
        raise TrainerError("INVALID_REQUEST", phrase("nothing_to_merge"))
    interleave = task.config["merge_strategy"] == "interleave"
    content = write_cases(task, merge(task, sources, interleave=interleave))
    return {"merged_dataset": (content, describe_cases(content))}
