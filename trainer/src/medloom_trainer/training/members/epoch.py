"""One epoch of an ensemble: every network trains its batches in the same steps, then each predicts the cases
on which it validates.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from medloom_trainer.contract.phrases import phrase
from medloom_trainer.errors import TrainerError
from medloom_trainer.inference.batches import Batch, read_ahead
from medloom_trainer.inference.precision import autocast
from medloom_trainer.inference.predict import StopRequested, forward_all
from medloom_trainer.model.ensemble import EnsembleNetwork
from medloom_trainer.model.mixing import combine_outputs, mean_outputs
from medloom_trainer.outcomes.epoch_metrics import epoch_metrics
from medloom_trainer.training.build import TrainingRun, labels_of
from medloom_trainer.training.epoch import Validation, draws_of, report_progress, training_images
from medloom_trainer.training.members.learners import Learners
from medloom_trainer.training.members.linear import fit_linear_models
from medloom_trainer.training.members.plan import EnsembleBatch

_TABLE_BATCH = 512
"""Cases of the table that are predicted together."""
_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Weights of the image, from which the validation split chooses."""


def train_ensemble_epoch(run: TrainingRun, learners: Learners, epoch: int) -> bool:
    """Train the rest of the epoch. Return False if a stop was requested after one of its batches.

    LOSS_NOT_FINITE naming the batch.
    """
    position, plan = run.progress.position, learners.plan
    run.events.phase("training", epoch)
    batches = plan.batches(epoch)
    learners.network.train()
    run.throughput.start_epoch()
    ahead = _read(run, learners, batches[position.batch :], epoch)
    for index, (table, images) in enumerate(ahead, start=position.batch):
        steps = batches[plan.step_of(index)]
        learning_rate = _train_batch(run, learners, batches[index], steps, table, images)
        run.throughput.end_batch(batches[index].passes / plan.num_networks)
        run.events.step(phrase("batch_of", batch=position.batch, total=plan.total_batches))
        run.saver.check()
        if run.throughput.is_due():
            passes = [batch.passes for batch in batches]
            report_progress(run, epoch, learning_rate, passes, passes, networks=plan.num_networks)
        if run.control.stops():
            ahead.close()
            return False
    run.progress.running.refuse_non_finite(epoch, plan.total_batches)
    return True


def _read(
    run: TrainingRun, learners: Learners, batches: Sequence[EnsembleBatch], epoch: int
) -> Generator[tuple[Batch, Batch | None]]:
    """The rows of the members, (M, B, …) each, and the cases of the image network."""
    data, device = run.data, run.group.device
    rows = [batch.rows for batch in batches]
    tables = read_ahead(learners.table, None, rows, device=device, labels=learners.targets)
    if learners.network.image is None:
        yield from ((table, None) for table in tables)
        return
    targets, cases = run.kind.targets(labels_of(data.train)), [batch.images for batch in batches]
    features = run.train_features
    draw = draws_of(run, epoch, run.progress.position.batch)
    images = read_ahead(
        data.train, data.store, cases, device=device, labels=targets, features=features, draw=draw
    )
    try:
        yield from zip(tables, images, strict=True)
    finally:
        tables.close()
        images.close()


def _train_batch(
    run: TrainingRun,
    learners: Learners,
    batch: EnsembleBatch,
    steps: Sequence[EnsembleBatch],
    table: Batch,
    images: Batch | None,
) -> float:
    """Train one batch of every network, and take the optimizer step if the batch completes it. steps: all
    batches of that step. → the learning rate
    """
    parts, position = run.components, run.progress.position
    index = position.batch
    learning_rate = parts.schedule.apply(parts.optimizer, position.step)
    with autocast(parts.precision, run.group.device):
        outputs = learners.packed(table.values, table.codes, table.present)  # (M, B, K)
    assert table.labels is not None
    labels = table.labels.flatten(0, 1)
    sizes = torch.from_numpy(batch.sizes).to(outputs.device)
    counts = torch.arange(outputs.shape[1], device=outputs.device) < sizes[:, None]  # (M, B)
    losses = parts.loss(outputs.flatten(0, 1), labels).unflatten(0, counts.shape) * counts
    # For each member, the mean over its cases of the optimizer step: gradients of members are independent.
    in_step = torch.from_numpy(sum(part.sizes for part in steps)).to(outputs.device)
    total = (losses.sum(dim=1) / in_step).sum()
    seen = counts.flatten()
    computed = [(losses.flatten()[seen], outputs.flatten(0, 1)[seen], labels[seen])]
    if images is not None:
        found = _image_losses(run, learners, images)
        total = total + found[0].sum() / sum(len(part.images) for part in steps)
        computed.append(found)
    parts.scaler.scale(total).backward()
    each, predicted, truth = (torch.cat(same) for same in zip(*computed, strict=True))
    run.progress.running.add(index, each, run.kind.right(predicted.detach(), truth))
    position.batch = index + 1
    if learners.plan.ends_step(position.batch):
        _step(run, learners)
    return learning_rate


def _image_losses(run: TrainingRun, learners: Learners, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Results of the image network: losses (B,), outputs (B, K), labels (B,)."""
    parts, network = run.components, learners.network.image
    assert network is not None and batch.labels is not None
    images = training_images(run, batch)
    with autocast(parts.precision, run.group.device):
        outputs = network(images, *batch.inputs_after_images)
    return parts.loss(outputs, batch.labels), outputs, batch.labels


def _step(run: TrainingRun, learners: Learners) -> None:
    parts, clip = run.components, run.loop["gradient_clip"]
    if clip is not None:
        parts.scaler.unscale_(parts.optimizer)
        learners.packed.clip_gradients(clip)
        if learners.network.image is not None:
            nn.utils.clip_grad_norm_(learners.network.image.parameters(), clip)
    parts.scaler.step(parts.optimizer)
    parts.scaler.update()
    parts.optimizer.zero_grad(set_to_none=True)
    run.progress.position.step += 1


def validate_ensemble_epoch(run: TrainingRun, learners: Learners, epoch: int) -> Validation | None:
    """The validation split, with each case predicted by the members that did not train on it, and the results
    of each network on the cases on which it validates. None if a stop was requested meanwhile.
    LOSS_NOT_FINITE if a validation loss is not finite.
    """
    run.events.phase("validating", epoch)
    if epoch == 1 and not fit_linear_models(run, learners):
        return None
    outputs = predict_validation(run, learners, learners.network)
    if outputs is None:
        return None
    metrics = [_measure(run, learners, number, found) for number, found in enumerate(outputs)]
    if any(measured["val_loss"] is None for measured in metrics):
        raise TrainerError("LOSS_NOT_FINITE", phrase("a_validation_loss_not_finite", epoch=epoch))
    together = combine_validation(run, learners, learners.network, outputs)
    return Validation(together.predictions, together.metrics, together.notes, outputs, metrics)


def predict_validation(
    run: TrainingRun, learners: Learners, network: EnsembleNetwork, *, stoppable: bool = True
) -> list[Tensor] | None:
    """Outputs (n, K) of each network for the cases on which it validates. network: the ensemble in training,
    or its best epochs. None if a stop was requested meanwhile.
    """
    data = run.data

    def outputs_of(part: nn.Module, **cases: object) -> Tensor:
        return forward_all(
            part,
            **cases,  # type: ignore[arg-type]
            image_normalization=data.image_normalization,
            device=run.group.device,
            should_stop=run.control.stops if stoppable else None,
            after_batch=run.events.step,
        )

    try:
        outputs = [
            outputs_of(member, cases=learners.table, store=None, batch_size=_TABLE_BATCH, indices=rows)
            for member, rows in zip(network.members, learners.rows.validation, strict=True)
        ]
        if network.image is not None:
            shown = {"cases": data.val, "store": data.store, "features": run.val_features}
            outputs.append(outputs_of(network.image, batch_size=learners.plan.batch_size, **shown))
    except StopRequested:
        return None
    return outputs


def _measure(run: TrainingRun, learners: Learners, number: int, outputs: Tensor) -> dict[str, float | None]:
    """Metrics of one network on the cases on which it validates."""
    data = run.data
    if number < len(learners.rows.validation):
        rows = learners.rows.validation[number]
        labels, targets = labels_of(learners.table)[rows], learners.targets[rows]
    else:
        labels, targets = labels_of(data.val), run.kind.targets(labels_of(data.val))
    predictions = run.kind.predictions(outputs)
    return epoch_metrics(run.kind, labels, predictions, _losses(run, outputs, targets))[0]


def best_validation(run: TrainingRun, learners: Learners) -> Validation:
    """The validation split with the predictions of each network at its best epoch."""
    outputs = [learners.best_outputs[number] for number in range(learners.plan.num_networks)]
    return combine_validation(run, learners, learners.best, outputs)


def restore_best_outputs(run: TrainingRun) -> None:
    """In a resumed training, compute the predictions of the best epochs again."""
    learners = run.components.learners
    if learners is None or run.components.monitor.best is None:
        return
    outputs = predict_validation(run, learners, learners.best, stoppable=False)
    assert outputs is not None
    learners.best_outputs.update(enumerate(outputs))
    run.progress.best_predictions = best_validation(run, learners).predictions


def combine_validation(
    run: TrainingRun, learners: Learners, network: EnsembleNetwork, outputs: Sequence[Tensor]
) -> Validation:
    """The validation split with the predictions of the ensemble. outputs: from `predict_validation`; they
    choose the weight of the image in `network` if the configuration requires that.
    """
    data = run.data
    targets = run.kind.targets(labels_of(data.val))
    combined = _table_outputs(run, learners, outputs)
    if network.image is not None:
        slots = data.val.slots
        mask = None if slots is None else torch.from_numpy(slots >= 0)
        present = torch.from_numpy(data.val.present)
        weighed = partial(
            combine_outputs, combined, outputs[-1], view_mask=mask, present=present, task=run.kind.task
        )
        if run.spec.config["model"]["image_weight"] == "validation":
            losses = {
                weight: _losses(run, weighed(torch.tensor(weight)), targets).mean() for weight in _WEIGHTS
            }
            network.image_weight.fill_(min(losses, key=lambda weight: float(losses[weight])))
        combined = weighed(network.image_weight.cpu())
    predictions = run.kind.predictions(combined)
    metrics, notes = epoch_metrics(
        run.kind, labels_of(data.val), predictions, _losses(run, combined, targets)
    )
    return Validation(predictions, metrics, notes)


def _table_outputs(run: TrainingRun, learners: Learners, outputs: Sequence[Tensor]) -> Tensor:
    """(N, K) of the members for the validation split: for each case the member that left it out, or the mean
    of all members if none was trained with it.
    """
    rows, members = learners.rows, outputs[: len(learners.rows.validation)]
    if not rows.folds:
        return mean_outputs(torch.stack(list(members)), task=run.kind.task)
    of_case = torch.zeros(len(run.data.val.values), members[0].shape[1])
    for mine, found in zip(rows.validation, members, strict=True):
        in_split = mine >= rows.num_train
        of_case[torch.from_numpy(mine[in_split] - rows.num_train)] = found[torch.from_numpy(in_split)]
    return mean_outputs(of_case[None], task=run.kind.task)


def _losses(run: TrainingRun, outputs: Tensor, targets: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """(N,) losses of outputs (N, K), in full precision."""
    device = run.group.device
    losses: Tensor = run.components.loss(outputs.to(device), torch.from_numpy(targets).to(device))
    return losses.double().cpu().numpy()
