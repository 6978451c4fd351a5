"""The task `check_training`: the errors that a training would raise, and its properties, without starting it.

It calls the same functions as the training, and writes nothing. Errors that only occur when images are
decoded, or in the loop, are not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from medloom_trainer.contract.phrases import phrase, with_phrases
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.features import FittedPreparation
from medloom_trainer.data.images import describe_unusable
from medloom_trainer.data.outline import Outline, outline
from medloom_trainer.data.tables import has_all_labels, read_labels
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.devices import DeviceRequest, read_device
from medloom_trainer.model.summary import summarize
from medloom_trainer.model.weights import find_weights
from medloom_trainer.outcomes import OutcomeKind, kind_of
from medloom_trainer.training.check.memory import estimate_memory
from medloom_trainer.training.early_stopping import build_monitor
from medloom_trainer.training.fine_tuning import fitted_preparation, with_members

_REPEATED_IMAGES = (
    "Cases that share an image are assigned to the same split. Shared images are known only after all "
    "images are read, so the actual splits may differ slightly from this check."
)


class _Issues:
    """Failures of independent steps, so that one does not hide the others."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        try:
            yield
        except TrainerError as error:
            self.add(error)

    def add(self, error: TrainerError) -> None:
        facts = {"code": error.code, "message": error.message, "details": error.details}
        self.found.append(with_phrases(facts))


def check_training(params: Mapping[str, Any], progress: Callable[[str, float], None]) -> dict[str, Any]:
    """Return the result that contracts declare for `check_training`."""
    issues = _Issues()
    planned: Outline | None = None
    device: DeviceRequest | None = None
    spec, fitted = _spec(params), None
    with issues.collected():
        device = read_device(spec.config["training"]["device"])
    with issues.collected():
        if spec.config["model"]["fine_tune_from"] is None and spec.config["model"]["pretrained"]:
            find_weights(spec.config["model"]["vision_backbone"], spec.config["model"]["pretrained"])
    with issues.collected():
        fitted = fitted_preparation(spec)
        spec = with_members(spec)
    progress(phrase("reading_tables"), 0.1)
    with issues.collected():
        planned = outline(spec.config, roots=spec.roots, fitted=fitted)
    nothing = {"data": None, "model": None, "memory": None}
    if planned is None:
        return {"issues": issues.found, **nothing}
    with issues.collected():
        _refuse_test_labels(planned)
    if planned.images is not None and spec.config["data"]["unreadable_images"] == "refuse":
        _report_unusable(planned, issues)
    kind = _kind(planned, fitted)
    with issues.collected():
        _fit_to_outcome(spec.config["training"], kind, planned)
    progress(phrase("building_network"), 0.6)
    built: dict[str, Any] = {"model": None, "memory": None}
    with issues.collected():
        built["model"] = _summarized(spec.config, planned, kind.num_outputs)
        if device is not None:
            built["memory"] = estimate_memory(spec.config, planned, kind, device)
    return {"issues": issues.found, "data": planned.describe(), **built}


def _spec(params: Mapping[str, Any]) -> Spec:
    """The spec of a job without a folder to write to."""
    nowhere = Path("/nonexistent")
    return Spec(
        job_id=str(UUID(int=0)),
        job_name="check",
        attempt=1,
        run_dir=nowhere,
        cache_dir=nowhere,
        roots=tuple(Path(root) for root in params["roots"]),
        resume_from=None,
        config=params["config"],
    )


def _refuse_test_labels(planned: Outline) -> None:
    """The training never reads the labels of the test split, but its evaluation does. LABEL_INVALID."""
    tables = planned.tables
    if "test" in tables.splits and has_all_labels(tables.splits["test"].table, tables.scheme):
        read_labels(tables.splits["test"].table, tables.scheme, "test")


def _report_unusable(planned: Outline, issues: _Issues) -> None:
    assert planned.images is not None
    for message in describe_unusable(planned.images.gaps).messages:
        issues.add(TrainerError("IMAGES_UNREADABLE", message))


def _kind(planned: Outline, fitted: FittedPreparation | None) -> OutcomeKind:
    scheme = planned.tables.scheme
    # Mean and standard deviation scale the outputs of a network; the number of outputs does not depend on
    # them.
    scale = {"mean": 0.0, "std": 1.0} if scheme.task == "regression" else None
    return kind_of(
        {
            "task": scheme.task,
            "classes": scheme.classes,
            "label_normalization": scale if fitted is None else fitted.label_normalization,
            "preprocessing": {"survival": planned.time_grid},
        }
    )


def _fit_to_outcome(loop: Mapping[str, Any], kind: OutcomeKind, planned: Outline) -> None:
    """INVALID_CONFIG if the loss or the metric that chooses the epoch belongs to another task."""
    train, val = planned.splits["train"].labels, planned.splits["val"].labels
    assert train is not None and val is not None
    kind.loss(loop, kind.targets(train))
    build_monitor(loop["early_stopping"], kind, val)


def _summarized(config: Mapping[str, Any], planned: Outline, num_outputs: int) -> dict[str, Any]:
    """Contract PlannedModel."""
    images = planned.images
    found = summarize(
        config,
        num_outputs=num_outputs,
        layout=planned.layout,
        num_views=None if images is None else images.views,
    )
    notes = list(found["notes"])
    if not planned.exact:
        notes.append(_REPEATED_IMAGES)
    keys = ("name", "kind", "parameters", "trainable_parameters")
    return {
        "parameters": found["parameters"],
        "trainable_parameters": found["trainable_parameters"],
        "exact": found["complete"] and planned.exact,
        "notes": notes,
        "parts": [{key: layer[key] for key in keys} for layer in found["layers"]],
    }
