"""The size of all prepared stores, and the removal of stores above the limit.

The least recently used store is removed first, completely, and never one that a process uses. It is renamed
before its removal, so that a process that ends meanwhile leaves a complete store or none.
"""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from medloom_trainer.data.cache.store_locks import exclusive_removal, unused, use_file
from medloom_trainer.data.images import notes_file
from medloom_trainer.data.tables import kept_tables

_GONE = ".gone-"
_BLOCK = 512
"""Unit of st_blocks on every system."""


@dataclass(frozen=True)
class _StoreOnDisk:
    """A store on the disk, which is not open."""

    folder: Path
    size: int
    """Bytes that it uses."""
    last_used: float


def remove_unused(cache_dir: Path, needed: int) -> int:
    """Remove stores, the least recently used first, until `needed` more bytes fit under the limit of the
    cache. → bytes still above the limit because stores are in use. Requires `exclusive_removal`.
    """
    limit = _read_limit(cache_dir)
    if limit is None:
        return 0
    found = _stores(cache_dir)
    excess = sum(store.size for store in found) + needed - limit
    for store in sorted(found, key=lambda store: store.last_used):
        if excess > 0:
            with unused(store.folder) as free:
                if free:
                    _remove(store.folder)
                    excess -= store.size
    return max(0, excess)


def clear_cache(cache_dir: Path) -> dict[str, int]:
    """Remove every store that is not in use, the tables of recipes and the notes about files (contract
    WORKER_TASKS.cache_clear).
    """
    done = {"cleared": 0, "freed_bytes": 0, "kept": 0}
    for table in kept_tables(cache_dir).glob("*.npz"):  # each is read at once, so that none is in use
        done["freed_bytes"] += table.stat().st_size
        table.unlink(missing_ok=True)
    prepared = cache_dir / "prepared"
    if not prepared.is_dir():
        return done
    with exclusive_removal(prepared):
        for store in _stores(cache_dir):
            with unused(store.folder) as free:
                if free:
                    _remove(store.folder)
                done["cleared" if free else "kept"] += 1
                done["freed_bytes"] += store.size if free else 0
        notes_file(cache_dir).unlink(missing_ok=True)
    return done


def cache_state(cache_dir: Path) -> dict[str, Any]:
    """The stored content (contract WORKER_TASKS.cache_state), most recently used first."""
    prepared = cache_dir / "prepared"
    listed: list[dict[str, Any]] = []
    if prepared.is_dir():
        with exclusive_removal(prepared):
            for store in sorted(_stores(cache_dir), key=lambda store: -store.last_used):
                with unused(store.folder) as free:
                    listed.append(_describe(store, in_use=not free))
    return {
        "limit_bytes": _read_limit(cache_dir),
        "size_bytes": sum(store["size_bytes"] for store in listed),
        "stores": listed,
    }


def _describe(store: _StoreOnDisk, *, in_use: bool) -> dict[str, Any]:
    try:
        params = json.loads((store.folder / "params.json").read_text(encoding="utf-8"))
        size, depth = [params["width"], params["height"]], params["depth"]
    except (OSError, ValueError, KeyError, TypeError):
        size, depth = None, None
    try:
        with (store.folder / "index.jsonl").open("rb") as lines:
            images = sum(line.startswith(b"[") for line in lines)
    except FileNotFoundError:
        images = 0
    used = datetime.fromtimestamp(store.last_used, UTC).isoformat(timespec="milliseconds")
    return {
        "image_size": size,
        "depth": depth,
        "images": images,
        "size_bytes": store.size,
        "last_used_at": used.replace("+00:00", "Z"),
        "in_use": in_use,
    }


def _stores(cache_dir: Path) -> list[_StoreOnDisk]:
    """Return every store, and remove partly removed ones of an earlier process. Requires
    `exclusive_removal`."""
    found = []
    for folder in list(_folders(cache_dir / "prepared")):
        if folder.name.startswith(_GONE):
            shutil.rmtree(folder, ignore_errors=True)
            continue
        use = use_file(folder)
        last_used = (use if use.exists() else folder).stat().st_mtime
        found.append(_StoreOnDisk(folder, _occupied(folder), last_used))
    return found


def _occupied(folder: Path) -> int:
    """Bytes on the disk; a file that its writer is replacing counts as zero."""
    total = 0
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            total += path.stat().st_blocks * _BLOCK
    return total


def _folders(prepared: Path) -> Iterator[Path]:
    return (path for path in prepared.iterdir() if path.is_dir())


def _remove(folder: Path) -> None:
    renamed = folder.rename(folder.with_name(f"{_GONE}{uuid.uuid4().hex}"))
    shutil.rmtree(renamed)


def _read_limit(cache_dir: Path) -> int | None:
    """Limit in bytes that the service wrote (contract CacheLimit); None without a limit."""
    try:
        limit = json.loads((cache_dir / "limit.json").read_text(encoding="utf-8"))["limit_bytes"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    return limit if isinstance(limit, int) else None
