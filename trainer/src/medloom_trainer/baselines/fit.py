"""The baselines of a job, fitted after its training: first those of the table, in seconds, then the
ablations."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from medloom_trainer.baselines.ablation import ablation_splits, train_ablation
from medloom_trainer.baselines.predict import unavailable
from medloom_trainer.baselines.storage import save_baseline
from medloom_trainer.baselines.table import fit_table_baseline
from medloom_trainer.baselines.titles import ABLATIONS
from medloom_trainer.contract.phrases import phrase
from medloom_trainer.contract.run_directory import RunDirectory
from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.exchange.control import Control
from medloom_trainer.exchange.events import Events
from medloom_trainer.exchange.fence import AttemptFence
from medloom_trainer.failure import failure_of
from medloom_trainer.inference.predict import StopRequested
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.warnings import Warnings


def fit_baselines(
    spec: Spec,
    data: PreparedData,
    *,
    ablations: bool,
    epoch: int,
    events: Events,
    control: Control,
    group: Group,
) -> Warnings:
    """Fit and store the baselines of the table, or train the `ablations`. A baseline that fails, or that a
    request to end the job skips, becomes a warning: the model is complete without it. epoch: the last one of
    the model.
    """
    warnings: Warnings = []
    names = [name for name in spec.baselines if (name in ABLATIONS) == ablations]
    if names:
        events.phase("baselines", epoch)
    fence = AttemptFence(RunDirectory(spec.run_dir), spec.attempt)
    for name in names:
        if control.stops() or (ablations and control.request() is not None):
            warnings.append(unavailable(name, data.task, phrase("stopped_before")))
            continue
        try:
            fitted = _fitter(name, spec, data, events, control, group)()
            if fitted is None:
                reason = phrase("stopped_during")
                warnings.append(unavailable(name, data.task, reason))
                continue
            digests = {"train": data.train.digest, "val": data.val.digest}
            save_baseline(fence, name, {split: digests[split] for split in fitted.splits}, fitted.content)
        except Exception as error:
            failure = failure_of(error)
            if failure.code == "WORKER_LOST":  # a newer attempt has begun: this one must end
                raise
            if failure.trace:
                print(failure.trace, flush=True)
            warnings.append(unavailable(name, data.task, failure.message.rstrip(".")))
    return warnings


class _Fitted(NamedTuple):
    splits: Sequence[str]
    """Splits whose rows it learned from."""
    content: dict[str, Any]
    """Content of its file."""


def _fitter(
    name: str, spec: Spec, data: PreparedData, events: Events, control: Control, group: Group
) -> Callable[[], _Fitted | None]:
    """Return the fit of a baseline. The fit returns None if the job was requested to end meanwhile."""

    def train() -> _Fitted | None:
        content = train_ablation(name, spec, data, events=events, control=control, group=group)
        return None if content is None else _Fitted(ablation_splits(name, data), content)

    def after_fit() -> None:
        events.step(phrase("fitting_baseline", name=name))
        if control.stops():
            raise StopRequested

    def fit() -> _Fitted | None:
        events.doing(phrase("fitting_baseline", name=name))
        started = time.monotonic()
        try:
            fitted = fit_table_baseline(name, data, spec.config["training"]["seed"], after_fit=after_fit)
        except StopRequested:
            return None
        seconds, settings = time.monotonic() - started, fitted.baseline.settings
        print(f"baseline {name}: {seconds:.1f} s, {settings}", flush=True)
        return _Fitted(fitted.splits, fitted.to_json())

    return train if name in ABLATIONS else fit
