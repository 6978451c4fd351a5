"""A small table, and a checkpoint with the preprocessing of such tables."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from jsonschema import Draft202012Validator
from PIL import Image
from safetensors.numpy import load_file, save_file

import medloom_trainer
from medloom_trainer.contract.schemas import contract
from medloom_trainer.contract.spec import contract_defaults
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.splits import write_known_cases
from medloom_trainer.evaluation.evaluate import evaluate
from medloom_trainer.inference.checkpoint import save_checkpoint
from medloom_trainer.inference.predict import predict
from medloom_trainer.inference.stored_network import layout_to_json
from medloom_trainer.model.ensemble import build_network
from medloom_trainer.outcomes import kind_of_data
from medloom_trainer.training.optimization.optimizer import build_optimizer, weights_of
from medloom_trainer.training.validation_fit import fit_on_validation

CONTRACT = Path(medloom_trainer.__file__).parent / "contract"
JOB_ID = "3f9d2c1e-7a54-4b0e-9c1d-0a1b2c3d4e5f"


def optimizer_of(network, loop):
    """The optimizer of one network, on the CPU."""
    return build_optimizer(dict(network.named_parameters()), weights_of(network), loop, torch.device("cpu"))


def configuration(train_csv, **changes):
    """A complete configuration: defaults of the contract, and the values that the test sets as
    section__key=value.

    An ensemble of the table has two networks instead of five.
    """
    names = {"data": "DataConfig", "model": "ModelConfig", "training": "LoopConfig"}
    config = {section: contract_defaults(name) for section, name in names.items()}
    config["data"] |= {"train_csv": str(train_csv), "image_size": [32, 32]}
    config["model"] |= {"vision_backbone": "none", "fusion_type": "concatenate", "hidden_dim": 8}
    config["training"] |= {"epochs": 1, "batch_size": 8, "num_workers": 1, "device": "cpu"}
    for key, value in changes.items():
        section, _, name = key.partition("__")
        config[section][name] = value
    if config["model"]["members"] is None and config["model"]["vision_backbone"] == "none":
        config["model"]["members"] = 2
    return config


def write_table(path, *, rows=60, seed=0, regression=False, images=False, classes=("no", "yes"), ids=()):
    """Patients with two rows each; the label depends on age, but is not determined by it: a column that
    determines the label is not an input. ids: names of columns with other ids.
    """
    generator = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["patient_id", *(["image"] if images else []), "age", "sex", "label", *ids])
        for row in range(rows):
            age = generator.integers(20, 90)
            label = (
                f"{age / 3 + generator.normal():.2f}"
                if regression
                else classes[int(age + generator.normal(0, 20) > 55)]
            )
            others = [f"secret-{name}-{seed}-{row}" for name in ids]
            cells = [f"secret-{seed}-{row // 2}", str(age), "mf"[row % 2], label, *others]
            if images:
                pixels = generator.integers(0, 255, (24, 24, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(path.parent / f"{seed}-{row}.png")
                cells.insert(1, f"{seed}-{row}.png")
            writer.writerow(cells)
    return path


def write_checkpoint(folder, config, cache_dir, *, roots=None):
    """An untrained network with everything that the preparation of its training table fitted, saved like by a
    training: a run directory with one checkpoint. → the checkpoint
    """
    roots = roots or [Path(config["data"]["train_csv"]).parent]
    data = prepare(
        config, roots=roots, cache_dir=cache_dir, progress=lambda *_: None, should_stop=lambda: False
    )
    kind = kind_of_data(data)
    network = build_network(
        config, layout=data.layout, num_views=data.num_views, num_outputs=kind.num_outputs, task=kind.task
    )
    state = {
        "job_id": JOB_ID,
        "job_name": "small",
        "epoch": 1,
        "config": config,
        "task": data.task,
        "classes": list(data.classes) if data.classes else None,
        "preprocessing": data.preprocessing,
        "layout": layout_to_json(data.layout),
        "image_normalization": data.image_normalization,
        "label_normalization": data.label_normalization,
        "num_views": data.num_views,
        "num_outputs": kind.num_outputs,
        "threshold": None,
        "history": [],
        "data_digests": {"train": data.train.digest, "val": data.val.digest},
    }
    predictions = predict(network, data.val, data.store, checkpoint_state=state)
    state["threshold"] = kind.choose_threshold(data.val.labels, predictions)
    state["fitted_on_validation"] = fit_on_validation(
        kind, data.val.labels, data.val.patients, predictions, config["training"]
    )
    write_known_cases(folder, data.train.keys, data.val.keys)
    checkpoint = folder / "checkpoints" / "best"
    save_checkpoint(
        checkpoint, job_id=JOB_ID, epoch=1, metrics={}, state=state, tensors={"model": network.state_dict()}
    )
    return checkpoint


def forget_store_version(run_dir, images):
    """Make the record of the known cases one of an earlier version, which had seen these image files: digests
    were BLAKE2b over all pixels, and the record named no version of the store."""
    path = run_dir / "known-cases.safetensors"
    tensors = load_file(path)
    del tensors["store_version"]
    keys = []
    for image in images:
        pixels = np.asarray(Image.open(image))
        content = repr((pixels.shape, pixels.dtype.str)).encode() + pixels.tobytes()
        digest = hashlib.blake2b(content, digest_size=16).hexdigest()
        keys.append(hashlib.sha256(digest.encode()).digest()[:8])
    tensors["images"] = tensors["trained_images"] = np.unique(np.frombuffer(b"".join(keys), dtype="<u8"))
    save_file(tensors, path)


def evaluation_params(checkpoint, table, out_dir, **changes):
    """Complete parameters of the task `evaluate`."""
    return {
        "checkpoint": str(checkpoint),
        "csv": str(table),
        "image_root": None,
        "split": "test",
        "out_dir": str(out_dir),
        "calibrated": False,
        "failure_images": False,
        "saliency": False,
        "importance": None,
        "data_dir": str(Path(checkpoint).parents[1]),
        "cache_dir": str(Path(out_dir).parent / "cache"),
        "roots": [str(Path(table).parent)],
        "device": "cpu",
    } | changes


def evaluate_best(run, table, out_dir):
    """(result, rows of predictions.csv) of the best checkpoint of a run."""
    result = evaluate(evaluation_params(run / "checkpoints" / "best", table, out_dir), lambda *_: None)
    Draft202012Validator(contract("evaluation")).validate(json.loads(json.dumps(result)))
    with (out_dir / "predictions.csv").open(newline="") as file:
        return result, list(csv.DictReader(file))
