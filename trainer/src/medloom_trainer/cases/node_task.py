"""One node to compute: its config and inputs, and the folders that it may read and write."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from medloom_trainer.cases.artifacts import is_sound
from medloom_trainer.contract.codes import WarningCode
from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.files import full_disk_named, make_folder, sync_folder, write_atomically
from medloom_trainer.folder_map import local, local_folders, map_folders, service_path
from medloom_trainer.warnings import Warnings, warning

Content = dict[str, Any]
"""Content of a value (contract NodeContent)."""
Blob = dict[str, Any]
"""A file of the artifact store (contract Blob)."""
Outputs = dict[str, tuple[Content, str]]
"""Port → (content, one line that describes it)."""


@dataclass(frozen=True)
class NodeTask:
    """The parameters of contract WORKER_TASKS.node, with everything that a node needs. Its folders are those
    of this machine; config and inputs use the paths of the service.
    """

    type: str
    config: Mapping[str, Any]
    """Complete: defaults are filled in."""
    inputs: Mapping[str, list[Content]]
    store: Path
    data_dir: Path
    cache_dir: Path
    roots: tuple[Path, ...]
    device: str
    progress: Callable[[str, float], None]
    """Receives (message, 0..1)."""
    warnings: Warnings = field(default_factory=list)
    start: Path = field(default_factory=Path.cwd)
    """Start of relative paths of the config, with the name that the service uses: the first root."""

    @classmethod
    def from_params(cls, params: Mapping[str, Any], progress: Callable[[str, float], None]) -> NodeTask:
        """PATH_NOT_ON_NODES if this machine does not have the folders of the store."""
        roots = params["roots"]
        places = params.get("places")
        map_folders(places or [], [] if places is None else [params["data_dir"], *roots])
        return cls(
            type=params["type"],
            config=params["config"],
            inputs=params["inputs"],
            store=local(params["store"]),
            data_dir=local(params["data_dir"]),
            cache_dir=local(params["cache_dir"]),
            roots=local_folders(roots),
            device=params["device"],
            progress=progress,
            start=Path(roots[0]) if roots else Path.cwd(),
        )

    def input(self, port: str) -> Content:
        """The only value at the input `port`."""
        values = self.inputs.get(port, [])
        if len(values) != 1:
            raise TrainerError("INVALID_REQUEST", phrase("input_value_count", port=port, number=len(values)))
        return values[0]

    def warn(self, code: WarningCode, message: Phrased) -> None:
        self.warnings.append(warning(code, message))

    def put_blob(self, content: bytes, suffix: str) -> Blob:
        """Store bytes in the artifact store; equal content is stored once."""
        digest = hashlib.sha256(content).hexdigest()
        blob = {"sha256": digest, "suffix": suffix, "size_bytes": len(content)}
        path = self.blob_path(blob)
        if not is_sound(path, blob):
            write_atomically(path, lambda file: file.write(content))
        return blob

    def put_file(self, write: Callable[[BinaryIO], object], suffix: str) -> Blob:
        """Store what `write` writes to a file, which may be larger than memory. DISK_FULL without room."""
        folder = self.store / "00"  # the service removes unreferenced files there
        with full_disk_named(phrase("in_artifact_store")):
            make_folder(folder)
            descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".writing.")
            try:
                with os.fdopen(descriptor, "w+b") as file:
                    write(file)
                    file.flush()
                    os.fsync(file.fileno())
                    file.seek(0)
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                    blob = {"sha256": digest, "suffix": suffix, "size_bytes": file.seek(0, os.SEEK_END)}
                path = self.blob_path(blob)
                if not is_sound(path, blob):
                    make_folder(path.parent)
                    os.replace(temporary, path)
                    sync_folder(path.parent)
                return blob
            finally:
                Path(temporary).unlink(missing_ok=True)

    def blob_path(self, blob: Blob) -> Path:
        """Path of the file of a blob in the store."""
        digest, suffix = str(blob["sha256"]), str(blob["suffix"])
        return self.store / digest[:2] / f"{digest}{suffix}"

    def open_blob(self, blob: Blob) -> Path:
        """The file of a blob. NODE_FAILED if it is missing or damaged; a damaged file is removed, so that it
        is made again.
        """
        path = self.blob_path(blob)
        if not is_sound(path, blob):
            path.unlink(missing_ok=True)
            message = phrase("artifact_lost")
            remedy = phrase("run_again_to_repeat")
            raise TrainerError("NODE_FAILED", message, remedy)
        return path

    def readable(self, path: str) -> Path:
        """A path of the config → the real path on this machine, which exists. Relative paths start at the
        first root.

        PATH_NOT_ALLOWED outside the roots, PATH_NOT_ON_NODES in a root that this machine does not have,
        FILE_NOT_FOUND if it does not exist.
        """
        real = self.inside_roots(path)
        if not os.path.exists(real):
            raise TrainerError("FILE_NOT_FOUND", phrase("file_absent", file=service_path(real).name))
        return real

    def inside_roots(self, path: str) -> Path:
        if "\0" in path:
            raise TrainerError("PATH_NOT_ALLOWED", phrase("path_contains_nul"))
        real = Path(os.path.realpath(local(self.start / path)))
        if not any(real.is_relative_to(os.path.realpath(root)) for root in self.roots):
            raise TrainerError("PATH_NOT_ALLOWED", phrase("name_outside_folders", name=real.name))
        return real
