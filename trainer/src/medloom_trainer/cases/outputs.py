"""Files for the user: stored in the artifact store; the service places them where their owner finds them."""

from __future__ import annotations

from medloom_trainer.cases.node_task import Blob, Content, NodeTask


def keep_file(task: NodeTask, content: bytes, *, kind: str, title: str, name: str, suffix: str) -> Content:
    """→ FilesContent with these bytes, like `one_file`."""
    return one_file(task.put_blob(content, suffix), kind=kind, title=title, name=name)


def one_file(blob: Blob, *, kind: str, title: str, name: str) -> Content:
    """→ FilesContent. The file is named after `name` and its content, so that two nodes never overwrite each
    other; if the config of the node contains a path, the service decides about the location.
    """
    placed = placed_file(title, blob, f"{name}-{blob['sha256'][:8]}{blob['suffix']}")
    return {"content": "files", "kind": kind, "files": [placed]}


def placed_file(title: str, blob: Blob, name: str) -> Content:
    """→ PlacedFile: among the artifacts of the workflow, as `name`."""
    return {"title": title, "blob": blob, "path": f"artifacts/{name}"}
