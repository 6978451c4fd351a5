"""Files that a node writes for its user: kept in the artifact store, and written where the config says."""

from __future__ import annotations

from medloom_trainer.cases.node_task import Content, NodeTask
from medloom_trainer.files import write_atomically


def write_output(
    task: NodeTask, content: bytes, *, kind: str, title: str, name: str, suffix: str, path: str | None
) -> Content:
    """→ FilesContent. path: as configured; None names the file after `name` and its content, so that two
    nodes never write over each other. A folder is given a file of that name; a path without ending
    gets `suffix`.
    """
    blob = task.put_blob(content, suffix)
    own_name = f"{name}-{blob['sha256'][:8]}{suffix}"
    target = task.writable(path, own_name)
    if target.is_dir():
        target = target / own_name
    elif not target.suffix:
        target = target.with_name(target.name + suffix)
    write_atomically(target, lambda file: file.write(content))
    return {
        "content": "files",
        "kind": kind,
        "files": [{"title": title, "blob": blob, "path": task.place_of(target)}],
    }
