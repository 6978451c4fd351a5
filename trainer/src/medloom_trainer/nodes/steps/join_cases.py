"""JoinCases: requested by the service before a training; joins the values at each port to one set of
cases."""

from __future__ import annotations

from medloom_trainer.cases.case_set import describe_cases, write_cases
from medloom_trainer.cases.join import cases_at
from medloom_trainer.cases.node_task import NodeTask, Outputs


def run(task: NodeTask) -> Outputs:
    """Port → its cases. A single value is returned unchanged."""
    outputs: Outputs = {}
    for port, values in task.inputs.items():
        content = values[0] if len(values) == 1 else write_cases(task, cases_at(task, port))
        outputs[port] = (content, describe_cases(content))
    return outputs
