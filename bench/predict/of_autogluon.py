"""AutoGluon MultiModal, trained for one epoch with the same backbone from scratch."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from cases import Order, times

sys.path.append(str(Path(__file__).parents[1] / "peers"))


def main() -> None:
    order = Order.read()
    sys.path.append(str(Path(__file__).parents[2] / "trainer" / "src"))
    from medloom_trainer.model.timm_import import import_timm

    timm = import_timm()
    import pandas
    from autogluon.multimodal import MultiModalPredictor
    from autogluon_peer import backbone_from_scratch, settings_of
    from study import Order as Training

    column = order.image_column
    frame = pandas.DataFrame(order.rows("train.csv")).drop(columns=["patient_id"], errors="ignore")
    frame[column] = [str(order.folder / text) for text in frame[column]]
    with tempfile.TemporaryDirectory() as folder:
        backbone = backbone_from_scratch(timm, Path(folder) / "resnet18")
        settings = settings_of(Training(order.folder, 1, order.side, Path(folder), "autogluon"), backbone)
        predictor = MultiModalPredictor(label="label", path=str(Path(folder) / "model"))
        predictor.fit(frame, hyperparameters=settings, seed=0)
        one = frame.iloc[:1].drop(columns="label")
        photo = one.assign(**{column: str(order.photo)})
        found = times(
            order,
            lambda: predictor.predict_proba(one),
            lambda: predictor.predict_proba(photo),
            lambda: predictor.predict_proba(frame.drop(columns="label")),
        )
    print(json.dumps(found))


if __name__ == "__main__":
    main()
