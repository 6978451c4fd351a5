"""A checkpoint → a package: all files, tested before they are returned as a zip."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from medloom_trainer.contract.phrases import Phrased, phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.export.document import to_text
from medloom_trainer.export.formats import Exported, export_model
from medloom_trainer.export.inputs import quantization_cases
from medloom_trainer.export.package import medloom_model
from medloom_trainer.export.package.archive import SUMS, sums_of, zipped
from medloom_trainer.export.package.environment import environment_files
from medloom_trainer.export.package.expected import expected_predictions
from medloom_trainer.export.package.licenses import licenses
from medloom_trainer.export.package.mlflow_flavor import mlmodel
from medloom_trainer.export.package.readme import readme
from medloom_trainer.export.package.synthetic_cases import TABLE, case_files
from medloom_trainer.export.pytorch import load_model
from medloom_trainer.inference.checkpoint import Checkpoint

SUFFIX = ".zip"
_COPIED = ("medloom_model.py", "example.py")
_CASES = "test_case"
_NO_CARD = "# Model card\n\nNo model card was provided.\n"


def package_model(
    checkpoint: Checkpoint, *, quantization: str, card: str | None, roots: Sequence[Path], cache_dir: Path
) -> tuple[Exported, Phrased | None]:
    """(the zip, a caution as `quantization_cases` gives it). card: Markdown.

    EXPORT_UNSUPPORTED if a format is not possible, or if the package predicts its test cases differently from
    the trained network. The same checkpoint and card always give the same bytes.
    """
    cases, doubt = quantization_cases(checkpoint, quantization, roots=roots, cache_dir=cache_dir)
    onnx, weights = (
        export_model(checkpoint, format=format, quantization=quantization, cases=cases)
        for format in ("ONNX", "PyTorch")
    )
    document = onnx.document
    files = {
        "model.onnx": onnx.content,
        "model.safetensors": weights.content,
        "description.json": to_text(document).encode(),
        "MODEL_CARD.md": (card or _NO_CARD).encode("utf-8", "backslashreplace"),
        "LICENSES.md": licenses(checkpoint.state),
        **{name: Path(__file__).with_name(name).read_bytes() for name in _COPIED},
        **{f"{_CASES}/{name}": content for name, content in case_files(document).items()},
        **environment_files(),
    }
    with tempfile.TemporaryDirectory(prefix="medloom-") as temporary:
        files = _tested(files, document, Path(temporary))
    return replace(onnx, content=zipped(files)), doubt


def _tested(files: Mapping[str, bytes], document: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The files and those that need predictions, written to an empty folder and tested there."""
    _write(files, folder)
    expected = expected_predictions(load_model(folder / "model.safetensors"), folder / _CASES / TABLE)
    first = json.loads(expected)["predictions"][0]
    complete = {
        **files,
        f"{_CASES}/expected.json": expected,
        "README.md": readme(document, list(first)),
        "MLmodel": mlmodel(document, first),
    }
    complete[SUMS] = sums_of(complete)
    _write(complete, folder)
    if problems := medloom_model.problems_of(folder):
        raise TrainerError("EXPORT_UNSUPPORTED", phrase("package_test_failed", problem=problems[0]))
    return complete


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
