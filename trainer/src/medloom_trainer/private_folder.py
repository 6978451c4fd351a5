"""A folder that only this user can access, in a location to which other users of the machine may write."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from medloom_trainer.contract.phrases import Phrased, join, phrase
from medloom_trainer.errors import TrainerError


def private_folder(path: Path) -> Path:
    """Create the folder, or use an existing one; return its real path.

    NODE_FOLDER_UNSAFE if another user created it, if others may read or write in it, or if it is a link: its
    creator could have placed files there, and could read what is stored.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        _refuse_shared(path)
    return path.resolve()


def _refuse_shared(path: Path) -> None:
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise _unsafe(path, phrase("is_not_a_folder"))
    if found.st_uid != os.geteuid():
        raise _unsafe(path, phrase("belongs_to_user", user=str(found.st_uid)))
    if found.st_mode & 0o077:
        raise _unsafe(path, phrase("used_by_others", mode=f"{found.st_mode & 0o777:o}"))


def _unsafe(path: Path, reason: Phrased) -> TrainerError:
    return TrainerError("NODE_FOLDER_UNSAFE", join(str(path), reason, mark="space"))
