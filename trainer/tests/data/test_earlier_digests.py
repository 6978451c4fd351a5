"""Models that an earlier version trained know their cases by digests that a new image store does not contain:
data are compared with them by the digests of that version."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from medloom_trainer.data.cache import BLAKE2B_VERSION, NEWEST_VERSION
from medloom_trainer.data.prepare import prepare
from medloom_trainer.data.splits import read_seen_cases, write_known_cases
from medloom_trainer.data.types import CaseKeys
from medloom_trainer.errors import TrainerError
from medloom_trainer.training.fine_tuning import fitted_preparation
from testing.checkpoints import configuration, forget_store_version, write_checkpoint, write_table
from testing.synthetic import spec_of

pytestmark = pytest.mark.slow

SOME = CaseKeys(np.asarray([1], np.uint64), np.asarray([2], np.uint64))


@pytest.mark.parametrize("is_earlier", [False, True], ids=["this version", "an earlier version"])
def test_an_image_that_trained_the_model_does_not_validate_its_fine_tuning(
    tmp_path: Path, is_earlier: bool
) -> None:
    table = write_table(tmp_path / "train.csv", rows=16, images=True)
    config = configuration(table, model__vision_backbone="resnet18")
    checkpoint = write_checkpoint(tmp_path / "first", config, tmp_path / "cache")
    if is_earlier:
        forget_store_version(tmp_path / "first", tmp_path.glob("0-*.png"))
    new = write_table(tmp_path / "new" / "new.csv", rows=16, seed=1, images=True)
    validating = write_table(tmp_path / "new" / "val.csv", rows=8, seed=2, images=True)
    (tmp_path / "new" / "2-3.png").write_bytes((tmp_path / "0-0.png").read_bytes())
    config = configuration(
        new,
        data__val_csv=str(validating),
        model__vision_backbone="resnet18",
        model__fine_tune_from=str(checkpoint),
    )
    fitted = fitted_preparation(replace(spec_of(tmp_path / "second", config), roots=(tmp_path,)))
    with pytest.raises(TrainerError) as caught:
        prepare(
            config,
            roots=[tmp_path],
            cache_dir=tmp_path / "cache",
            progress=lambda *_: None,
            should_stop=lambda: False,
            fitted=fitted,
        )
    assert caught.value.code == "DATASET_LEAK"
    assert "1 image of val" in caught.value.message


def test_a_fine_tuned_model_keeps_the_version_of_its_digests(tmp_path: Path) -> None:
    versions = []
    for number in range(2):
        write_known_cases(tmp_path, SOME, SOME)
        if number == 1:
            forget_store_version(tmp_path, [])
        before = read_seen_cases(tmp_path)
        write_known_cases(tmp_path, SOME, SOME, before)
        seen = read_seen_cases(tmp_path)
        assert before is not None and seen is not None
        versions.append((before.store_version, seen.store_version))
    assert versions == [(NEWEST_VERSION,) * 2, (BLAKE2B_VERSION,) * 2]
