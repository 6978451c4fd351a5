"""Models that this process has loaded: the next prediction of one does not read its weights again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from medloom_trainer.data.splits import SeenCases, read_seen_cases
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import read_manifest
from medloom_trainer.inference.image_reference import ImageReference, read_image_reference
from medloom_trainer.inference.stored_network import Network
from medloom_trainer.memory_limit import limit_bytes

_MOST_MODELS = 8
_SHARE_OF_MEMORY = 0.25
"""Share of the memory of a worker that loaded models may use, except that the newest is always kept."""


@dataclass(frozen=True)
class Model:
    """A verified checkpoint and its network."""

    checkpoint: Checkpoint
    network: Network
    image_reference: ImageReference | None
    """The training images; None without images, or if the training stored none."""
    seen: SeenCases | None
    """The cases that trained or validated the model; None if they are unknown."""
    stamps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """File → size, times and inode when it was verified."""

    @classmethod
    def of(cls, checkpoint: Checkpoint, stamps: Mapping[str, tuple[int, ...]] | None = None) -> Model:
        network, reference = checkpoint.build_network(), read_image_reference(checkpoint)
        seen = read_seen_cases(checkpoint.folder.parent.parent)
        return cls(checkpoint, network, reference, seen, stamps or {})

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(facts["size_bytes"] for facts in self.checkpoint.manifest["files"].values())


_models: OrderedDict[tuple[Path, str], Model] = OrderedDict()
"""(folder, device) → model, the least recently used one first."""


def resident(folder: Path, device: str) -> Model:
    """The model in `folder`. Its manifest is read again at each call, and its files if one of them changed.

    Errors as in `load_checkpoint`.
    """
    manifest = read_manifest(folder)
    key = (folder, device)
    known = _models.pop(key, None)
    if known is None or known.checkpoint.manifest != manifest or known.stamps != _stamps(folder, manifest):
        known = None  # freed before the next one is loaded
        known = _load(folder)
    _models[key] = known
    _make_room()
    return known


def forget_models() -> None:
    """Free all models."""
    _models.clear()


def _load(folder: Path) -> Model:
    # Stamps first: a file that is replaced while it is being verified is read again at the next call.
    stamps = _stamps(folder, read_manifest(folder))
    return Model.of(load_checkpoint(folder), stamps)


def _stamps(folder: Path, manifest: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Empty tuples for files that do not exist."""
    stamps: dict[str, tuple[int, ...]] = {}
    for facts in manifest["files"].values():
        try:
            found = (folder / facts["file"]).stat()
            stamps[facts["file"]] = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        except OSError:
            stamps[facts["file"]] = ()
    return stamps


def _make_room() -> None:
    limit = int(_SHARE_OF_MEMORY * limit_bytes())
    while len(_models) > 1 and (
        len(_models) > _MOST_MODELS or sum(model.size for model in _models.values()) > limit
    ):
        _models.popitem(last=False)
