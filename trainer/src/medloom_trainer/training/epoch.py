"""One epoch: train every batch once, then predict the validation split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.batches import Batch, BatchPlan, Draw, read_ahead
from medloom_trainer.inference.precision import autocast
from medloom_trainer.inference.predict import StopRequested, forward_all
from medloom_trainer.outcomes.epoch_metrics import epoch_metrics
from medloom_trainer.training.build import TrainingRun, labels_of


def train_epoch(run: TrainingRun, model: nn.Module, epoch: int) -> bool:
    """Train the rest of the epoch. Return False if a stop was requested after one of its batches.

    model: the network, whose gradients the group averages. LOSS_NOT_FINITE naming the batch.
    """
    data, group, position = run.data, run.group, run.progress.position
    run.events.phase("training", epoch)
    assert isinstance(run.plan, BatchPlan)
    batches = run.plan.batches(epoch)
    shares = [cases[group.rank :: group.size] for cases in batches]
    model.train()
    run.throughput.start_epoch()
    ahead = read_ahead(
        data.train,
        data.store,
        shares[position.batch :],
        device=group.device,
        labels=run.kind.targets(labels_of(data.train)),
        features=run.train_features,
        draw=draws_of(run, epoch, position.batch),
    )
    for batch in ahead:
        index = position.batch
        step_cases = sum(map(len, batches[run.plan.step_of(index)]))
        learning_rate = _train_batch(run, model, batch, epoch, step_cases)
        run.throughput.end_batch(len(batches[index]))
        run.events.step(phrase("batch_of", batch=position.batch, total=run.plan.total_batches))
        run.saver.check()
        if run.throughput.is_due():
            cases, own = [len(batch) for batch in batches], [len(share) for share in shares]
            report_progress(run, epoch, learning_rate, cases, own)
        if group.any(run.control.stops()):
            ahead.close()
            return False
    run.progress.running.refuse_non_finite(epoch, run.plan.total_batches)
    return True


def _train_batch(run: TrainingRun, model: nn.Module, batch: Batch, epoch: int, step_cases: int) -> float:
    """Train one batch, and take the optimizer step if the batch completes it. step_cases: cases of the whole
    step, over the group. → the learning rate
    """
    parts, position = run.components, run.progress.position
    index = position.batch
    learning_rate = parts.schedule.apply(parts.optimizer, position.step)
    images = training_images(run, batch)
    ends_step = run.plan.ends_step(index + 1)
    with run.group.backward_of(model, ends_step=ends_step):
        with autocast(parts.precision, run.group.device):
            outputs = model(images, *batch.inputs_after_images)
        assert batch.labels is not None
        losses = parts.loss(outputs, batch.labels)  # (B,)
        # The mean over all cases of the optimizer step; the group averages gradients, so each share is
        # multiplied by `size`.
        parts.scaler.scale(losses.sum() * (run.group.size / step_cases)).backward()
    run.progress.running.add(index, losses, run.kind.right(outputs.detach(), batch.labels))
    position.batch = index + 1
    if ends_step:
        _step(run)
    return learning_rate


def draws_of(run: TrainingRun, epoch: int, first: int) -> Callable[[int], Draw]:
    """Functions that draw the augmentation of the batches from `first`, while they are read."""
    draw = partial(run.components.augmentation.draw, epoch=epoch, rank=run.group.rank)
    return lambda number: partial(draw, batch=first + number)


def training_images(run: TrainingRun, batch: Batch) -> Tensor | None:
    """Augmented and normalized images, (B, V, 3, H, W); None without images."""
    if batch.images is None:
        return None
    parts = run.components
    images = parts.normalizer.unit(batch.images)
    if batch.drawn is not None:
        images = parts.augmentation.apply(images, batch.drawn)
    return parts.normalizer.normalize(images, batch.images.shape[1])


def _step(run: TrainingRun) -> None:
    parts, clip = run.components, run.loop["gradient_clip"]
    if clip is not None:
        parts.scaler.unscale_(parts.optimizer)
        nn.utils.clip_grad_norm_(parts.network.parameters(), clip)
    parts.scaler.step(parts.optimizer)
    parts.scaler.update()
    parts.optimizer.zero_grad(set_to_none=True)
    run.progress.position.step += 1


def report_progress(
    run: TrainingRun,
    epoch: int,
    learning_rate: float,
    cases: Sequence[int],
    own: Sequence[int],
    networks: int = 1,
) -> None:
    """cases: of each batch, counted once for each of the `networks`; own: those that this process trains."""
    running, done = run.progress.running, run.progress.position.batch
    running.refuse_non_finite(epoch, done)
    run.events.progress(
        epoch=epoch,
        batch=done,
        total_batches=run.plan.total_batches,
        metrics={
            "loss": running.loss_of(done - 1, own[done - 1]),
            "accuracy": running.accuracy(sum(own[:done])),
            "learning_rate": learning_rate,
            "samples_per_second": run.throughput.tick(),
        },
        eta_seconds=run.throughput.eta(epoch, sum(cases[:done]) / networks),
    )


@dataclass(frozen=True)
class Validation:
    """The validation split after an epoch."""

    predictions: npt.NDArray[np.float64]
    """In the form of the kind of outcome."""
    metrics: dict[str, float | None]
    notes: dict[str, str]
    """Metric → reason why it is None."""
    outputs: Sequence[Tensor] = ()
    """For an ensemble, the outputs of each network for the cases on which it validates, (n, K)."""
    of_networks: Sequence[Mapping[str, float | None]] = ()
    """The metrics of each network on them."""


def validate_epoch(run: TrainingRun, epoch: int) -> Validation | None:
    """Predict the validation split in full precision, as the saved checkpoint will be evaluated: the values
    that choose an epoch are those that are reported.

    None if a stop was requested meanwhile. LOSS_NOT_FINITE if the validation loss is not finite.
    """
    data, group, parts = run.data, run.group, run.components
    run.events.phase("validating", epoch)
    targets = run.kind.targets(labels_of(data.val))
    group.share_buffers(parts.network)
    shares = group.shares(len(targets), run.plan.batch_size)
    try:
        outputs = forward_all(
            parts.network,
            data.val,
            data.store,
            image_normalization=data.image_normalization,
            device=group.device,
            batch_size=run.plan.batch_size,
            indices=shares[group.rank],
            # All processes take the same number of turns, so that only a single process may stop early.
            should_stop=run.control.stops if group.size == 1 else None,
            after_batch=run.events.step,
            features=run.val_features,
        )
    except StopRequested:
        return None
    outputs = group.gather_rows(outputs, shares, run.kind.num_outputs)
    predictions = run.kind.predictions(outputs)
    losses = parts.loss(outputs.to(group.device), torch.from_numpy(targets).to(group.device)).cpu().numpy()
    metrics, notes = epoch_metrics(run.kind, labels_of(data.val), predictions, losses)
    if metrics["val_loss"] is None:
        raise TrainerError("LOSS_NOT_FINITE", phrase("validation_loss_not_finite", epoch=epoch))
    return Validation(predictions, metrics, notes)
