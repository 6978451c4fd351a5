"""Nodes that users write: one file each, in a folder with which the service was started.

A file is declared by its literal NODE, which is read without running the file, and computed by its function
`run`, in a worker process that computes nothing else. The parts of the trainer that such a file needs are
exported here.
"""

from medloom_trainer.cases.case_set import CaseSet, describe_cases, read_cases, write_cases
from medloom_trainer.cases.node_task import Content, NodeTask, Outputs
from medloom_trainer.errors import TrainerError

__all__ = [
    "CaseSet",
    "Content",
    "NodeTask",
    "Outputs",
    "TrainerError",
    "describe_cases",
    "read_cases",
    "write_cases",
]
