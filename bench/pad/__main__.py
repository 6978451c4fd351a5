"""The results page of PAD-UFES-20: settings are chosen on validation, then the test split is evaluated.

Every setting is trained with every seed. The setting with the highest validation metric, averaged over the
seeds, is chosen and written down before any test case is predicted. Then all are evaluated on the test split,
and each is compared with the chosen one on the same patients (evaluation/metrics/paired.py). The tables and
the sentences about them are written into the page.

    npm run results:pad -- --data FOLDER [--settings NAME,...] [--seeds 0,1,2] [--jobs 2] [--work FOLDER]

FOLDER holds train.csv, val.csv, test.csv and the images. A study that was interrupted goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from baseline import Baseline, logistic_regression
from page import PAGE, Results, Row, circumstances, write_page
from settings import METRIC, SETTINGS, Setting
from trainings import Study, Training, train_all

from medloom_trainer.evaluation.evaluate import Measured
from medloom_trainer.evaluation.metrics.multiclass import MulticlassOutcome
from medloom_trainer.evaluation.metrics.paired import PairedModels


def main() -> int:
    os.environ.update(OMP_NUM_THREADS="1", OMP_WAIT_POLICY="PASSIVE")
    torch.set_num_threads(1)
    study = read_arguments()
    trainings = train_all(study.settings, study)
    chosen = choose(trainings, study)
    table = best_of([name for name in trainings if name.startswith("table")], trainings)
    # The table alone without the columns whose gaps tell the label, and a simple model with and without them.
    simple = trainings[table][0].setting
    trainings |= train_all([simple.reduced()], study)
    baselines = [logistic_regression(setting, study) for setting in (simple, simple.reduced())]
    print("the choice is made; now the test split", flush=True)
    write_page(evaluate(trainings, baselines, chosen, study))
    print(f"wrote {PAGE}")
    return 0


def read_arguments() -> Study:
    known = {setting.name: setting for setting in SETTINGS}
    parser = argparse.ArgumentParser(prog="npm run results:pad --", description="Results on PAD-UFES-20.")
    parser.add_argument("--data", type=Path, required=True, help="folder with train.csv, val.csv, test.csv")
    parser.add_argument("--work", type=Path, default=Path("medloom-data/results-pad"), help="trainings")
    parser.add_argument("--settings", default=",".join(known), help=f"default: {','.join(known)}")
    parser.add_argument("--seeds", default="0,1,2", help="of every setting (default: 0,1,2)")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--backbone", default="resnet18", help="of every setting with images")
    parser.add_argument("--image-size", type=int, default=80, metavar="PIXELS")
    parser.add_argument("--jobs", type=int, default=2, help="trainings side by side, one thread each")
    options = parser.parse_args()
    seeds = tuple(int(seed) for seed in options.seeds.split(","))
    if len(set(seeds)) < 2:
        parser.error("one seed shows nothing of what a seed can do: give at least two")
    names = options.settings.split(",")
    if unknown := [name for name in names if name not in known]:
        parser.error(f"unknown settings: {', '.join(unknown)}")
    if not any(name.startswith("table") for name in names):
        parser.error("a setting without images must be among them: the logistic regression reads its columns")
    return Study(
        data=options.data.resolve(),
        work=options.work.resolve(),
        backbone=options.backbone,
        image_size=options.image_size,
        epochs=options.epochs,
        settings=tuple(known[name] for name in names),
        seeds=seeds,
        jobs=options.jobs,
    )


def choose(trainings: dict[str, list[Training]], study: Study) -> str:
    """The setting with the highest validation metric, noted in choice.json before a test case is read."""
    chosen = best_of(list(trainings), trainings)
    scores = {name: [one.validation() for one in each] for name, each in trainings.items()}
    note = {"metric": METRIC, "seeds": study.seeds, "validation": scores, "chosen": chosen}
    (study.work / "choice.json").write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
    return chosen


def best_of(names: Sequence[str], trainings: dict[str, list[Training]]) -> str:
    return max(names, key=lambda name: float(np.mean([one.validation() for one in trainings[name]])))


@dataclass(frozen=True)
class Contender:
    """A setting with what was learned with it."""

    setting: Setting
    title: str
    learned: str
    validation: list[float]
    outcomes: list[MulticlassOutcome]
    """On the test split, one per training."""
    candidate: bool = False
    """Whether validation could have chosen it."""


def evaluate(
    trainings: dict[str, list[Training]], baselines: Sequence[Baseline], chosen: str, study: Study
) -> Results:
    measured = {name: [one.test() for one in each] for name, each in trainings.items()}
    cases = measured[chosen][0].cases
    if any(list(one.cases.rows) != list(cases.rows) for each in measured.values() for one in each):
        raise SystemExit("the settings were not evaluated on the same rows")
    contenders = [trained(trainings[name], each) for name, each in measured.items()]
    contenders += [fitted(baseline) for baseline in baselines]
    counts = measured[chosen][0].result["class_counts"]
    patients = {name: len(np.unique(cases.patients[cases.labels == k])) for k, name in enumerate(counts)}
    at = list(measured).index(chosen)
    rows = compare(contenders, at, cases.patients)
    return Results(rows, at, counts, patients, len(np.unique(cases.patients)), circumstances(study))


def trained(trainings: Sequence[Training], measured: Sequence[Measured]) -> Contender:
    setting = trainings[0].setting
    outcomes = [
        MulticlassOutcome(one.cases.labels, one.predictions, tuple(one.result["classes"])) for one in measured
    ]
    validation = [one.validation() for one in trainings]
    learned = f"{setting.learning_rate:g}"
    return Contender(setting, setting.title, learned, validation, outcomes, candidate=not setting.without)


def fitted(baseline: Baseline) -> Contender:
    title = "table only (logistic regression)" + (", complete columns" if baseline.setting.without else "")
    return Contender(baseline.setting, title, baseline.penalty, [baseline.validation], [baseline.test])


def compare(contenders: Sequence[Contender], chosen: int, patients: npt.NDArray[np.int64]) -> list[Row]:
    """Every contender on the same patients, and its difference to the chosen one."""
    paired = PairedModels([one.outcomes for one in contenders], METRIC, patients)
    # All differences together: the intervals of one study in twenty miss one of them (Bonferroni).
    level = 1 - 0.05 / (len(contenders) - 1)
    return [
        Row(
            title=one.title,
            encoding=one.setting.encoding,
            learned=one.learned,
            validation=one.validation,
            test=[float(outcome.measure(np.ones((1, outcome.size)))[METRIC][0]) for outcome in one.outcomes],
            mean=paired.mean(place),
            difference=None if place == chosen else paired.difference(chosen, place, level),
            candidate=one.candidate,
        )
        for place, one in enumerate(contenders)
    ]


if __name__ == "__main__":
    sys.exit(main())
