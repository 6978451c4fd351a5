"""The files of a checkpoint: parts named by their digest, and a manifest that is replaced atomically."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import file_name
from medloom_trainer.errors import TrainerError
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.files import full_disk_named, is_full, make_folder, sync_folder, write_json
from medloom_trainer.regular_files import NotRegularError, open_regular, read_regular

_MANIFEST = file_name("manifest")


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a checkpoint. CHECKPOINT_NOT_FOUND; CHECKPOINT_CORRUPT."""
    try:
        manifest: dict[str, Any] = json.loads(read_regular(folder / _MANIFEST))
        for facts in manifest["files"].values():
            if Path(facts["file"]).name != facts["file"]:
                raise ValueError("a file outside the checkpoint")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise TrainerError(
            "CHECKPOINT_NOT_FOUND", phrase("folder_without_checkpoint", folder=folder.name)
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, NotRegularError) as error:
        raise TrainerError(
            "CHECKPOINT_CORRUPT", phrase("manifest_unreadable", checkpoint=folder.name)
        ) from error
    return manifest


def refuse_links_out(folder: Path, inside: Sequence[Path]) -> None:
    """PATH_NOT_ALLOWED if the checkpoint in `folder`, or a file of it, is a link that leads outside all the
    folders of `inside`.
    """
    allowed = [path.resolve() for path in inside]

    def check(path: Path, what: str) -> None:
        real = path.resolve()
        if not any(real.is_relative_to(root) for root in allowed):
            message = phrase("what_links_out", what=what)
            raise TrainerError("PATH_NOT_ALLOWED", message, phrase("copy_file_into_checkpoint"))

    check(folder, phrase("checkpoint_named", checkpoint=folder.name))
    check(folder / _MANIFEST, f"{_MANIFEST} of checkpoint {folder.name}")
    for facts in read_manifest(folder)["files"].values():
        check(folder / facts["file"], f"{facts['file']} of checkpoint {folder.name}")


def add_part(folder: Path, part: str, suffix: str, write: Callable[[str], object]) -> dict[str, Any]:
    """Write one part under a temporary name, flush it, and give it the name of its digest."""
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{part}.")
    os.close(descriptor)
    write(temporary)
    with open(temporary, "rb+") as file:  # safetensors does not flush to the disk
        os.fsync(file.fileno())
    digest = digest_of(Path(temporary))
    target = folder / f"{part}.{digest[:16]}{suffix}"
    os.chmod(temporary, 0o644)
    os.replace(temporary, target)
    return {"file": target.name, "sha256": digest, "size_bytes": target.stat().st_size}


def publish(folder: Path, manifest: dict[str, Any], fence: AttemptFence | None) -> None:
    """Make the parts durable, replace the manifest, and remove other files."""
    sync_folder(folder)
    if fence is not None:
        fence.check(folder / _MANIFEST)
    write_json(folder / _MANIFEST, manifest)
    _sweep(folder)


def _sweep(folder: Path) -> None:
    """Remove files that the current manifest does not name: files of the previous checkpoint, or of a failed
    save.
    """
    named = {_MANIFEST}
    if (folder / _MANIFEST).exists():
        named |= {facts["file"] for facts in read_manifest(folder)["files"].values()}
    for path in folder.iterdir():
        if path.name not in named:
            path.unlink(missing_ok=True)


@contextmanager
def writing(folder: Path, fence: AttemptFence | None) -> Iterator[None]:
    """Convert a full disk to DISK_FULL, remove partial files after a failure, and change nothing of a newer
    attempt.
    """
    with full_disk_named(phrase("to_save_checkpoint", checkpoint=folder.name)):
        make_folder(folder)
    with nullcontext() if fence is None else fence.exclusive():
        if fence is not None:
            fence.check(folder / _MANIFEST)
        try:
            yield
        except BaseException as error:
            if fence is None or fence.admits(folder / _MANIFEST):
                _sweep(folder)
            if _has_no_room(error):
                raise TrainerError(
                    "DISK_FULL", phrase("no_space_for_checkpoint", checkpoint=folder.name)
                ) from error
            system_error = _system_error_of(error)
            if system_error is None:
                raise
            raise system_error from error


def _has_no_room(error: BaseException) -> bool:
    """No space, no quota, or the process's own file size limit. safetensors reports the number only in its
    text.
    """
    if isinstance(error, OSError):
        return is_full(error) or error.errno == errno.EFBIG
    numbers = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    return isinstance(error, SafetensorError) and any(
        f"os error {number}" in str(error) for number in numbers
    )


def _system_error_of(error: BaseException) -> OSError | None:
    """Return the system error of safetensors, which contains its number only in its text."""
    reported = re.search(r"os error (\d+)", str(error)) if isinstance(error, SafetensorError) else None
    return None if reported is None else OSError(int(reported[1]), os.strerror(int(reported[1])))


def link_part(source: Path, target: Path) -> None:
    """Link the file, or copy it if the disk cannot link."""
    try:
        os.link(source, target)
    except OSError as error:
        if is_full(error):
            raise
        shutil.copyfile(source, target)
        with target.open("rb+") as file:
            os.fsync(file.fileno())


def digest_of(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
