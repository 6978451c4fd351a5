"""AutoGluon MultiModal with the same backbone from scratch, without a download."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from study import Order

CANNOT_RUN = 3


def main() -> int:
    # Its torchvision may be of another build of PyTorch, like the trainer's: the same workaround applies.
    sys.path.append(str(Path(__file__).parents[2] / "trainer" / "src"))
    try:
        from medloom_trainer.model.timm_import import import_timm

        timm = import_timm()
        import pandas
        from autogluon.multimodal import MultiModalPredictor
    except ImportError as error:
        print(f"it cannot be imported ({error})")
        return CANNOT_RUN
    order = Order.read()
    train, val, test = (
        pandas.read_csv(order.fold / f"{split}.csv").drop(columns="patient_id")
        for split in ("train", "val", "test")
    )
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_of(order, backbone_from_scratch(timm, Path(folder) / "resnet18"))
        predictor = MultiModalPredictor(
            label="label", problem_type="multiclass", path=str(Path(folder) / "model")
        )
        try:
            predictor.fit(train, tuning_data=val, hyperparameters=settings, seed=0)
        except OSError as error:  # raised by the Hugging Face client if downloads are not permitted
            print(f"it needs a download ({str(error).splitlines()[0][:150]})")
            return CANNOT_RUN
        probabilities = predictor.predict_proba(test)
    order.answer(
        list(probabilities.columns),
        probabilities.to_numpy(),
        "learning rate 0.001; it averages its best epochs",
    )
    return 0


def settings_of(order: Order, backbone: Path) -> dict[str, object]:
    return {
        "model.names": ["timm_image", "categorical_mlp", "numerical_mlp", "fusion_mlp"],
        "model.timm_image.checkpoint_name": str(backbone),
        "model.timm_image.image_size": order.side,
        "model.timm_image.train_transforms": ["resize_shorter_side", "center_crop", "random_horizontal_flip"],
        "optim.max_epochs": order.epochs,
        "optim.lr": 1e-3,
        "env.num_gpus": 0,
        "env.batch_size": 32,
        "env.per_gpu_batch_size": 32,
        "env.num_workers": 2,
    }


def backbone_from_scratch(timm: ModuleType, folder: Path) -> Path:
    """Random weights in a folder: during a training AutoGluon 1.6.3 downloads published weights whatever
    `pretrained` is set to, except for a model in a folder.
    """
    import torch

    torch.manual_seed(0)
    model = timm.create_model("resnet18", pretrained=False, num_classes=0)
    folder.mkdir()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    config = {"architecture": "resnet18", "num_features": model.num_features, **model.default_cfg}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


if __name__ == "__main__":
    sys.exit(main())
