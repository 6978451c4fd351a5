"""The training loop, from prepared data to the best checkpoint."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from medloom_trainer.contract.spec import Spec
from medloom_trainer.data.types import PreparedData
from medloom_trainer.errors import TrainerError
from medloom_trainer.evaluation.metrics.epoch import epoch_metrics
from medloom_trainer.evaluation.metrics.threshold import choose_threshold
from medloom_trainer.evaluation.predict import StopRequested, forward_all, to_predictions
from medloom_trainer.files import write_json
from medloom_trainer.model.network import build_network
from medloom_trainer.training.augmentation.standard import build_augmentation
from medloom_trainer.training.batches import ImageNormalizer, read_ahead, shuffled_batches
from medloom_trainer.training.checkpoint import load_checkpoint, save_checkpoint, share_checkpoint
from medloom_trainer.training.distributed.group import Group
from medloom_trainer.training.early_stopping import build_monitor
from medloom_trainer.training.optimization.losses import build_loss
from medloom_trainer.training.optimization.lr_schedule import Schedule
from medloom_trainer.training.optimization.optimizer import build_optimizer
from medloom_trainer.training.optimization.precision import autocast, choose_precision
from medloom_trainer.training.progress import EpochRecord
from medloom_trainer.training.randomness import seed_everything
from medloom_trainer.training.resume import Position, describe, pack, unpack
from medloom_trainer.training.throughput import Pace
from medloom_trainer.worker.allocator import keep_freed_memory
from medloom_trainer.worker.control import Control
from medloom_trainer.worker.events import Events, finite


@dataclass(frozen=True)
class Outcome:
    """How a training ended."""

    status: Literal["completed", "stopped"]
    reason: str
    epoch: int
    metrics: dict[str, float | None]
    best: dict[str, Any] | None
    best_checkpoint: str | None
    """Relative to the run directory; after a stop in the first epoch it is the last checkpoint, the only one
    there is.
    """
    best_predictions: np.ndarray[Any, np.dtype[np.float64]] | None
    """Of the validation split, by the best checkpoint; None when that epoch was trained by an earlier job."""


def train(spec: Spec, data: PreparedData, *, events: Events, control: Control, group: Group) -> Outcome:
    """Train to the end, to early stopping, or until asked to stop or finish. Writes events, checkpoints and
    metrics.json.

    Raises TrainerError (LOSS_NOT_FINITE, BATCH_TOO_LARGE, DISK_FULL, CHECKPOINT_MISMATCH, …).
    """
    config, loop, device = spec.config, spec.config["training"], group.device
    num_outputs = len(data.classes) if data.classes else 1
    num_cases, batch_size = len(data.train.values), int(loop["batch_size"])
    if batch_size > num_cases:
        raise TrainerError(
            "BATCH_TOO_LARGE", f"batch_size {batch_size} is larger than the {num_cases} training cases"
        )
    if batch_size < group.size:
        raise TrainerError(
            "INVALID_CONFIG", f"batch_size {batch_size} is smaller than the {group.size} processes"
        )

    # 1. Everything that learns or steers, built from the configuration and one seed.
    if device.type == "cpu":
        keep_freed_memory()
    seed_everything(loop["seed"], deterministic=loop["deterministic"])
    network = build_network(config, layout=data.layout, num_views=data.num_views, num_outputs=num_outputs)
    network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]
    labels, val_labels = _targets(data, "train"), _targets(data, "val")
    loss = build_loss(loop, task=data.task, classes=data.classes, labels=labels).to(device)
    monitor = build_monitor(
        loop["early_stopping"], task=data.task, num_classes=num_outputs, labels=_labels(data, "val")
    )
    precision = choose_precision(loop["mixed_precision"], device)
    optimizer = build_optimizer(network, loop, device)
    scaler = torch.amp.GradScaler(device.type, enabled=precision == "fp16")
    accumulation, epochs = loop["gradient_accumulation"], loop["epochs"]

    def batches_of(epoch: int) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
        return shuffled_batches(
            num_cases, batch_size, seed=loop["seed"], epoch=epoch, smallest=2 * group.size
        )

    total_batches = len(batches_of(1))
    steps_per_epoch = -(-total_batches // accumulation)
    schedule = Schedule(
        loop["scheduler"],
        total_steps=epochs * steps_per_epoch,
        steps_per_epoch=steps_per_epoch,
        warmup_epochs=loop["warmup_epochs"],
    )
    augmentation = build_augmentation(
        config["data"]["augmentation"], horizontal_flip=config["data"]["horizontal_flip"], seed=loop["seed"]
    )
    normalizer = ImageNormalizer(data.image_normalization, device)
    history: list[dict[str, Any]] = []
    threshold: float | None = None
    best_predictions = None
    position = Position(epoch=1, batch=0, step=0)
    record = EpochRecord(total_batches, device)
    pace = Pace(epochs, num_cases, len(data.val.values))
    events.prepared(
        {
            **data.summary,
            "parameters": sum(parameter.numel() for parameter in network.parameters()),
            "trainable_parameters": sum(p.numel() for p in network.parameters() if p.requires_grad),
            "device": str(device) if group.size == 1 else loop["device"],
            "mixed_precision": precision,
            "monitor": monitor.metric,
        }
    )

    # 2. Where an earlier job left off, if it did.
    if spec.resume_from is not None:
        checkpoint = load_checkpoint(spec.resume_from)
        position, history, threshold = unpack(
            checkpoint, config, data, network, optimizer, scaler, schedule, monitor, record, group
        )
        best_folder = spec.resume_from.parent / "best"
        if monitor.best is not None and group.is_first:
            share_checkpoint(best_folder, spec.run_dir / "checkpoints" / "best")
    model = group.wrap(network)

    def save(*names: str, metrics: dict[str, float | None], epoch: int) -> None:
        """Save `last` and share it under the other names. Each process contributes the state of its random
        numbers.
        """
        tensors, resume = pack(network, optimizer, scaler, schedule, monitor, record, position, group)
        if not group.is_first:
            return
        folder = spec.run_dir / "checkpoints"
        state = describe(
            spec, data, epoch=epoch, history=history, threshold=threshold, num_outputs=num_outputs
        )
        save_checkpoint(
            folder / "last",
            job_id=spec.job_id,
            epoch=epoch,
            metrics=metrics,
            state={**state, "mixed_precision": precision, "resume": resume},
            tensors=tensors,
        )
        for name in names:
            share_checkpoint(
                folder / "last", folder / name, leave_out=("optimizer",) if name == "best" else ()
            )
        for name in ("last", *names):
            events.checkpoint(epoch, name)

    def outcome(status: Literal["completed", "stopped"], reason: str, epoch: int) -> Outcome:
        saved = "best" if monitor.best is not None else "last"
        exists = monitor.best is not None or (spec.run_dir / "checkpoints" / "last").exists()
        metrics = history[-1]["metrics"] if history else {}
        return Outcome(
            status,
            reason,
            epoch,
            metrics,
            monitor.best,
            f"checkpoints/{saved}" if exists else None,
            best_predictions,
        )

    def stop_inside(epoch: int) -> Outcome:
        events.phase("checkpointing", epoch)
        record.refuse_non_finite(epoch, position.batch)
        save(metrics=history[-1]["metrics"] if history else {}, epoch=epoch - 1)
        return outcome("stopped", "stopped on request", epoch)

    # 3. The epochs.
    for epoch in range(position.epoch, epochs + 1):
        started = time.perf_counter()
        events.phase("training", epoch)
        batches = batches_of(epoch)
        shares = [cases[group.rank :: group.size] for cases in batches]
        model.train()
        pace.start_epoch()
        ahead = read_ahead(data.train, data.store, shares[position.batch :], device=device, labels=labels)
        for batch in ahead:
            index = position.batch  # counts from 0
            first_of_step = index - index % accumulation
            cases_of_step = sum(map(len, batches[first_of_step : first_of_step + accumulation]))
            rate = schedule.apply(optimizer, position.step)
            images = None
            if batch.images is not None:
                images = augmentation(
                    normalizer.unit(batch.images), epoch=epoch, batch=index, rank=group.rank
                )
                images = normalizer.normalize(images, batch.images.shape[1])
            with autocast(precision, device):
                outputs = model(images, batch.view_mask, batch.values, batch.codes, batch.present)
            assert batch.labels is not None
            losses = loss(outputs, batch.labels)  # (B,)
            # The mean over all cases of the optimizer step; the group averages gradients, so each share
            # counts `size` times.
            scaler.scale(losses.sum() * (group.size / cases_of_step)).backward()
            record.add(index, losses, outputs, batch.labels)
            position.batch = index + 1
            if position.batch % accumulation == 0 or position.batch == total_batches:
                if loop["gradient_clip"] is not None:
                    scaler.unscale_(optimizer)
                    nn.utils.clip_grad_norm_(network.parameters(), loop["gradient_clip"])
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad(set_to_none=True)
                position.step += 1
            pace.batch(len(batches[index]))
            if pace.is_due():
                record.refuse_non_finite(epoch, position.batch)
                done = sum(map(len, batches[: position.batch]))
                events.progress(
                    epoch=epoch,
                    batch=position.batch,
                    total_batches=total_batches,
                    metrics={
                        "loss": record.loss_of(index, len(shares[index])),
                        "accuracy": record.accuracy(sum(map(len, shares[: position.batch])), data.task),
                        "learning_rate": rate,
                        "samples_per_second": pace.tick(),
                    },
                    eta_seconds=pace.eta(epoch, done),
                )
            if group.any(control.stops()):
                ahead.close()
                return stop_inside(epoch)
        record.refuse_non_finite(epoch, total_batches)

        trained = time.perf_counter()
        events.phase("validating", epoch)
        try:
            outputs = forward_all(
                network,
                data.val,
                data.store,
                image_normalization=data.image_normalization,
                device=device,
                batch_size=batch_size,
                indices=np.arange(len(val_labels))[group.rank :: group.size],
                autocast=autocast(precision, device),
                # Processes take equal turns, so only one alone may leave early.
                should_stop=control.stops if group.size == 1 else None,
            )
        except StopRequested:
            return stop_inside(epoch)
        outputs = group.gather_rows(outputs, len(val_labels))
        predictions = to_predictions(outputs, data.task, data.label_normalization)
        val_losses = loss(outputs.to(device), torch.from_numpy(val_labels).to(device)).cpu().numpy()
        val_metrics, notes = epoch_metrics(data.task, _labels(data, "val"), predictions, val_losses)
        if val_metrics["val_loss"] is None:
            raise TrainerError("LOSS_NOT_FINITE", f"the validation loss after epoch {epoch} is not finite")
        train_loss, train_accuracy = record.totals(num_cases, data.task, group)
        metrics = finite(
            {
                "train_loss": train_loss,
                **({} if train_accuracy is None else {"train_accuracy": train_accuracy}),
                **val_metrics,
                "learning_rate": schedule.apply(optimizer, position.step - 1),
            }
        )
        history.append({"epoch": epoch, "metrics": metrics, "notes": notes})
        is_best = monitor.end_epoch(epoch, metrics)
        schedule.end_epoch(is_best)
        if num_outputs == 2:
            threshold = choose_threshold(val_labels, predictions[:, 1])
        if is_best:
            best_predictions = predictions
        events.validation(epoch, {**val_metrics, "loss": train_loss, "accuracy": train_accuracy}, notes)

        events.phase("checkpointing", epoch)
        position.epoch, position.batch = epoch + 1, 0
        record.clear()
        names = ["best"] if is_best else []
        if loop["checkpoint_interval"] and epoch % loop["checkpoint_interval"] == 0:
            names.append(f"epoch-{epoch:04d}")
        save(*names, metrics=metrics, epoch=epoch)
        if group.is_first:
            write_json(spec.run_dir / "metrics" / "metrics.json", {"schema_version": 1, "epochs": history})
        pace.between = time.perf_counter() - trained
        events.epoch_end(
            epoch=epoch,
            total_epochs=epochs,
            metrics=metrics,
            duration_seconds=time.perf_counter() - started,
            is_best=is_best,
        )
        if group.any(control.stops()):
            return outcome("stopped", "stopped on request", epoch)
        if group.any(control.request() == "finish"):
            return outcome("completed", "finished on request", epoch)
        if monitor.is_exhausted and epoch < epochs:
            return outcome(
                "completed",
                f"early stopping: no better {monitor.metric} for {monitor.patience} epochs",
                epoch,
            )
    return outcome("completed", "all epochs done", epochs)


def _labels(data: PreparedData, split: Literal["train", "val"]) -> np.ndarray[Any, Any]:
    labels = (data.train if split == "train" else data.val).labels
    if labels is None:
        raise ValueError("training needs labels")
    return labels


def _targets(data: PreparedData, split: Literal["train", "val"]) -> np.ndarray[Any, Any]:
    """What the loss compares with: class indices (N,) int64, or normalised numbers (N,) float32."""
    labels = _labels(data, split)
    if data.label_normalization is None:
        return labels.astype(np.int64)
    return ((labels - data.label_normalization["mean"]) / data.label_normalization["std"]).astype(np.float32)
