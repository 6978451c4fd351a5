"""The task `export`: a checkpoint → one file of the chosen format, or a package, in a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.export.formats import FORMATS, Exported, export_model
from medloom_trainer.export.inputs import quantization_cases
from medloom_trainer.export.package import PACKAGE, SUFFIX, package_model
from medloom_trainer.files import write_atomically
from medloom_trainer.inference.checkpoint import Checkpoint, load_checkpoint
from medloom_trainer.inference.checkpoint_files import refuse_links_out
from medloom_trainer.warnings import warning


def export_file(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """params and result: as declared in the contract for `export`. Errors as in `export_model`, and
    CHECKPOINT_NOT_FOUND, CHECKPOINT_CORRUPT, PATH_NOT_ALLOWED, DISK_FULL.
    """
    progress(phrase("reading_checkpoint"), 0.0)
    folder, roots = Path(params["checkpoint"]), [Path(root) for root in params["roots"]]
    # Check again: a link may have replaced what the service checked.
    refuse_links_out(folder, [*roots, Path(params["data_dir"])])
    checkpoint = load_checkpoint(folder)
    name, quantization = params["format"], params["quantization"]
    progress(phrase("writing_model", format=name), 0.2)
    places: dict[str, Any] = {"roots": roots, "cache_dir": Path(params["cache_dir"])}
    if name == PACKAGE:
        suffix = SUFFIX
        exported, doubt = package_model(checkpoint, quantization=quantization, card=params["card"], **places)
    else:
        suffix = FORMATS[name].suffix
        exported, doubt = export_judged(checkpoint, format=name, quantization=quantization, **places)
    kind = "" if quantization == "none" else f"-{quantization}"
    target = Path(params["out_dir"]) / f"{folder.name}{kind}{suffix}"
    write_atomically(target, lambda file: file.write(exported.content))
    return {
        "file": target.name,
        "sha256": hashlib.sha256(exported.content).hexdigest(),
        "size_bytes": len(exported.content),
        "difference": exported.change,
        "warnings": [] if doubt is None else [warning("PARITY_ON_RANDOM_INPUTS", doubt)],
    }


def export_judged(
    checkpoint: Checkpoint, *, format: str, quantization: str, roots: Sequence[Path], cache_dir: Path
) -> tuple[Exported, Phrased | None]:
    """Like `export_model`, with the quantization tested on validation cases if they can be read; otherwise
    with a caution as text (PARITY_ON_RANDOM_INPUTS)."""
    cases, doubt = quantization_cases(checkpoint, quantization, roots=roots, cache_dir=cache_dir)
    return export_model(checkpoint, format=format, quantization=quantization, cases=cases), doubt
