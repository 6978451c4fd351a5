"""Locations of the files of an attempt on the node. All are on one disk, since data is linked."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.files import write_json
from medloom_trainer.folder_map import local
from medloom_trainer.private_folder import private_folder

_FOLDER = "MEDLOOM_NODE_CACHE"
"""Environment variable: the folder on this machine."""


def node_folder() -> Path:
    """Folder that the trainings of this machine share."""
    given = os.environ.get(_FOLDER)
    # Not resolved: a link would then look like the folder that it leads to.
    return private_folder(
        Path(given).absolute() if given else Path(tempfile.gettempdir()) / f"medloom-node-{os.getuid()}"
    )


@dataclass(frozen=True)
class Layout:
    """Locations of one attempt."""

    node: Path
    name: str

    @property
    def attempt(self) -> Path:
        return self.node / "attempts" / self.name

    @property
    def lock(self) -> Path:
        """Held while the attempt runs; outside its folder, which is removed."""
        return self.node / "attempts" / f"{self.name}.lock"

    @property
    def run(self) -> Path:
        return self.attempt / "run"

    @property
    def order(self) -> Path:
        """Response of the service: contract ExchangeOrder."""
        return self.attempt / "order.json"

    @property
    def arriving(self) -> Path:
        return self.attempt / "arriving"

    @property
    def arrays(self) -> Path:
        """Images prepared for networks, of all trainings."""
        return self.node / "arrays"

    def root(self, name: str) -> Path:
        """A root as the trainer sees it: with the files that it needs."""
        return self.attempt / "roots" / name.replace("/", "_")

    def places(self, order: dict[str, Any]) -> list[dict[str, str]]:
        """Contract TrainerSpec `places`."""
        return [{"named": root["folder"], "here": str(self.root(root["name"]))} for root in order["roots"]]

    def write_spec(self, order: dict[str, Any]) -> Path:
        """Write the spec of the trainer on this machine. This process must know `places`."""
        spec: dict[str, Any] = order["spec"]
        resume = spec["resume_from"]
        own: dict[str, Any] = {
            "run_dir": str(self.run),
            "cache_dir": str(self.arrays),
            "roots": [str(local(root)) for root in spec["roots"]],
            "places": self.places(order),
            "resume_from": None if resume is None else str(local(resume)),
        }
        directory = RunDirectory(self.run)
        for folder in (directory.log.parent, *(Path(root) for root in own["roots"])):
            folder.mkdir(parents=True, exist_ok=True)
        write_json(directory.spec, {**spec, **own})
        return directory.spec

    def read_order(self) -> dict[str, Any]:
        order: dict[str, Any] = json.loads(self.order.read_text(encoding="utf-8"))
        return order
