"""Make a synthetic dataset of images and a table, whose best possible result is known.

    python make_dataset.py OUT [--cases 1200] [--size 64] [--seed 0] [--task binary|multiclass|regression]
    [--views 1] [--prefix P]

Each case has five hidden causes: the contrast and the irregularity of a lesion, which only the image shows,
and age, a blood marker and the body site, which only the table contains (with gaps at random). The
label is drawn from them, so the best possible AUC (R2 for regression) of the image, the table and both
follows from the model that generated the data and is written to facts.json. The same arguments give the same
files. Needs numpy and Pillow.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

Floats = npt.NDArray[np.float64]

SITES = ("arm", "back", "face", "leg")
SITE_EFFECTS = np.asarray([-1.3, -0.4, 0.5, 1.2])
CLASSES = {"binary": ("benign", "malignant"), "multiclass": ("type_a", "type_b", "type_c")}
GAPS = {"age": 0.04, "marker": 0.12, "site": 0.04}
"""Share of missing values, independent of everything."""
SHARES = {"train": 0.64, "val": 0.16, "test": 0.20}
"""Shares of the patients."""
NOISE = 1.0
"""Deviation of what nothing explains, in regression."""

# Effect of each cause on each output: a row per output (class logit, or number), columns as in `Causes`.
WEIGHTS = {
    "binary": np.asarray([[0, 0, 0, 0, 0], [2.6, 0.8, 1.3, 2.1, 1.4]]),
    "multiclass": np.asarray([[0, 0, 0, 0, 0], [3.2, 0.4, 0.3, 2.6, 0.6], [-1.6, 2.6, 1.8, 0.4, 2.4]]),
    "regression": np.asarray([[1.35, 0.5, 0.7, 1.1, 0.8]]),
}


@dataclass(frozen=True)
class Causes:
    """(N,) each; standardized, site being its effect."""

    contrast: Floats
    irregularity: Floats
    age: Floats
    marker: Floats
    site: Floats
    site_index: npt.NDArray[np.int64]
    gaps: dict[str, npt.NDArray[np.bool_]]
    """Causes (age, marker, site) that the table omits."""

    def matrix(self) -> Floats:
        """(N, 5)."""
        return np.stack([self.contrast, self.irregularity, self.age, self.marker, self.site], axis=1)


def main() -> None:
    options = read_options()
    out: Path = options.out
    rng = np.random.default_rng([options.seed, 1])
    patients = draw_patients(rng, options.cases)
    causes = draw_causes(rng, patients)
    labels = draw_labels(rng, causes, options.task)
    sexes = np.random.default_rng([options.seed, 2]).integers(0, 2, patients.max() + 1)[patients]
    splits = split_patients(np.random.default_rng([options.seed, 3]), patients)

    (out / "images").mkdir(parents=True, exist_ok=True)
    images = draw_images(out, causes, options.size, options.views, options.seed)
    columns = ["image"] if options.views == 1 else [f"image_{view + 1}" for view in range(options.views)]
    header = [*columns, "patient_id", "age", "sex", "site", "marker", "label"]
    rows = [
        [
            *images[case],
            f"{options.prefix}{patients[case]:05d}",
            "" if causes.gaps["age"][case] else str(round(55 + 15 * causes.age[case])),
            ("female", "male")[sexes[case]],
            "" if causes.gaps["site"][case] else SITES[causes.site_index[case]],
            "" if causes.gaps["marker"][case] else f"{math.exp(1 + 0.5 * causes.marker[case]):.3f}",
            labels[case],
        ]
        for case in range(len(patients))
    ]
    for split in SHARES:
        with (out / f"{split}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(row for row, name in zip(rows, splits, strict=True) if name == split)
    facts = {
        "task": options.task,
        "cases": {split: int((splits == split).sum()) for split in SHARES},
        "patients": int(patients.max() + 1),
        "size": options.size,
        "views": options.views,
        "seed": options.seed,
        "best_r2" if options.task == "regression" else "best_auc": best_results(options.task),
    }
    text = json.dumps(facts, indent=2) + "\n"
    (out / "facts.json").write_text(text, encoding="utf-8")
    (out / "README.txt").write_text(describe(facts, columns), encoding="utf-8")
    print(text, end="")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Make a synthetic dataset of images and a table.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--cases", type=int, default=1200)
    parser.add_argument("--size", type=int, default=64, help="pixels of a side")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--task", choices=("binary", "multiclass", "regression"), default="binary")
    parser.add_argument("--views", type=int, choices=(1, 2, 3), default=1)
    parser.add_argument("--prefix", default="P", help="what patient ids begin with")
    options = parser.parse_args()
    if options.cases < 30 or options.size < 16:
        parser.error("at least 30 cases of 16 pixels")
    return options


def draw_patients(rng: np.random.Generator, cases: int) -> npt.NDArray[np.int64]:
    """(N,) patient of each case; about three patients in ten have two lesions."""
    counts = rng.choice([1, 2], size=cases, p=[0.7, 0.3])
    return np.repeat(np.arange(cases), counts)[:cases]


def draw_causes(rng: np.random.Generator, patients: npt.NDArray[np.int64]) -> Causes:
    """Age belongs to the patient, everything else to the lesion."""
    cases = len(patients)
    site_index = rng.integers(0, len(SITES), cases)
    return Causes(
        contrast=rng.standard_normal(cases),
        irregularity=rng.standard_normal(cases),
        age=np.clip(rng.standard_normal(patients.max() + 1), -2.4, 2.4)[patients],
        marker=rng.standard_normal(cases),
        site=SITE_EFFECTS[site_index],
        site_index=site_index,
        gaps={name: rng.random(cases) < share for name, share in GAPS.items()},
    )


def draw_labels(rng: np.random.Generator, causes: Causes, task: str) -> list[str]:
    scores = causes.matrix() @ WEIGHTS[task].T  # (N, outputs)
    if task == "regression":
        return [f"{value:.4f}" for value in 10 + scores[:, 0] + NOISE * rng.standard_normal(len(scores))]
    drawn = (softmax(scores).cumsum(axis=1) < rng.random((len(scores), 1))).sum(axis=1)
    return [CLASSES[task][index] for index in drawn.tolist()]


def split_patients(rng: np.random.Generator, patients: npt.NDArray[np.int64]) -> npt.NDArray[np.str_]:
    """(N,) train, val or test; all cases of a patient in one."""
    number = int(patients.max()) + 1
    ends = np.round(np.cumsum(list(SHARES.values())) * number).astype(int)
    place = np.argsort(rng.permutation(number))
    return np.asarray(list(SHARES))[np.searchsorted(ends, place, side="right")][patients]


def draw_images(out: Path, causes: Causes, size: int, views: int, seed: int) -> list[list[str]]:
    """Write the images; N lists of one path per view, "" where a further view is missing (one in four)."""
    contrast, irregularity = normal_cdf(causes.contrast), normal_cdf(causes.irregularity)
    paths = []
    for case in range(len(contrast)):
        row = []
        for view in range(views):
            rng = np.random.default_rng([seed, 4, case, view])
            if view > 0 and rng.random() < 0.25:
                row.append("")
                continue
            name = (
                f"images/case_{case + 1:05d}.png"
                if views == 1
                else f"images/case_{case + 1:05d}_{view + 1}.png"
            )
            Image.fromarray(draw_lesion(rng, size, contrast[case], irregularity[case])).save(out / name)
            row.append(name)
        paths.append(row)
    return paths


def draw_lesion(
    rng: np.random.Generator, size: int, contrast: float, irregularity: float
) -> npt.NDArray[np.uint8]:
    """(size, size, 3). Contrast and irregularity in 0..1 are the signal; place, size, elongation, skin, its
    spots, light and noise are not.
    """
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    center_x, center_y = rng.uniform(-0.15, 0.15, 2)
    angle = np.arctan2(y - center_y, x - center_x)
    border = np.zeros_like(angle)
    for waves in (3, 5, 8):
        border += math.sqrt(2 / waves) * np.sin(waves * angle + rng.uniform(0, 2 * math.pi))
    elongation, axis = rng.uniform(0, 0.25), rng.uniform(0, 2 * math.pi)
    radius = rng.uniform(0.42, 0.54) * (1 + elongation * np.cos(2 * angle - axis))
    radius *= 1 + (0.02 + 0.28 * irregularity) * border
    inside = 1 / (1 + np.exp(-(radius - np.hypot(x - center_x, y - center_y)) / 0.03))
    skin = np.asarray([0.86, 0.68, 0.58]) + rng.uniform(-0.04, 0.04) + rng.uniform(-0.02, 0.02, 3)
    lesion = skin * (1 - (0.15 + 0.65 * contrast) * np.asarray([0.8, 1.0, 1.0]))
    light = 1 + rng.uniform(-0.06, 0.06) * x + rng.uniform(-0.06, 0.06) * y
    light *= 1 + 0.14 * draw_spots(rng, size)
    image = (skin + inside[:, :, None] * (lesion - skin)) * light[:, :, None]
    image += 0.02 * rng.standard_normal(image.shape)
    return np.round(np.clip(image, 0, 1) * 255).astype(np.uint8)


def draw_spots(rng: np.random.Generator, size: int) -> Floats:
    """(size, size) of deviation about 1: spots of three widths, which make each image distinct."""
    spots = np.zeros((size, size))
    for cells in (4, 8, 16):
        field = Image.fromarray(rng.standard_normal((cells, cells)).astype(np.float32))
        spots += np.asarray(field.resize((size, size), Image.Resampling.BICUBIC)) / math.sqrt(3)
    return spots


def best_results(task: str, cases: int = 20_000, draws: int = 200) -> dict[str, float]:
    """AUC (macro one against the rest) or R2 of the exact expectation of the label, given what each
    modality shows.

    What is not shown is averaged over `draws` draws from the model: causes of the other modality, and gaps
    of the table.
    """
    rng = np.random.default_rng(12345)
    causes = draw_causes(rng, np.arange(cases))
    labels = np.asarray(draw_labels(rng, causes, task))
    hidden_draws = draw_causes(rng, np.arange(draws)).matrix()  # (D, 5)
    gaps = np.zeros((cases, 5), dtype=bool)
    gaps[:, 2:] = np.stack([causes.gaps["age"], causes.gaps["marker"], causes.gaps["site"]], axis=1)
    only_image = np.ones_like(gaps) & [False, False, True, True, True]
    only_table = gaps | [True, True, False, False, False]
    results = {}
    for name, hidden in (("image", only_image), ("table", only_table), ("both", gaps)):
        expected = expectation(task, causes.matrix(), hidden, hidden_draws)
        results[name] = round(score(task, labels, expected), 2)
    return results


def expectation(task: str, causes: Floats, hidden: npt.NDArray[np.bool_], draws: Floats) -> Floats:
    """(N, outputs) expected probabilities, or numbers, given the causes that are not hidden."""
    weights = WEIGHTS[task]
    expected = np.zeros((len(causes), len(weights)))
    patterns, pattern_of = np.unique(hidden, axis=0, return_inverse=True)
    for index, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of.ravel() == index)
        shown = causes[rows] * ~pattern @ weights.T  # (n, outputs)
        unknown = draws * pattern @ weights.T  # (D, outputs)
        if task == "regression":
            expected[rows] = shown + unknown.mean(axis=0)
            continue
        for part in np.array_split(rows, max(1, len(rows) // 1000)):
            place = np.searchsorted(rows, part)
            expected[part] = softmax(shown[place, None, :] + unknown[None]).mean(axis=1)
    return expected


def score(task: str, labels: npt.NDArray[np.str_], expected: Floats) -> float:
    if task == "regression":
        truth = labels.astype(float) - 10
        return float(1 - np.mean((truth - expected[:, 0]) ** 2) / np.var(truth))
    names = CLASSES[task]
    outputs = range(1, 2) if len(names) == 2 else range(len(names))
    return float(
        np.mean([area_under_curve(labels == names[output], expected[:, output]) for output in outputs])
    )


def area_under_curve(event: npt.NDArray[np.bool_], scores: Floats) -> float:
    """Mann–Whitney; scores are continuous, ties do not matter."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores)] = np.arange(1, len(scores) + 1)
    cases = int(event.sum())
    return float((ranks[event].sum() - cases * (cases + 1) / 2) / (cases * (len(scores) - cases)))


def softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def normal_cdf(values: Floats) -> Floats:
    return np.asarray([0.5 * (1 + math.erf(value / math.sqrt(2))) for value in values.tolist()])


def describe(facts: dict[str, object], columns: list[str]) -> str:
    measure, best = ("R2", facts["best_r2"]) if "best_r2" in facts else ("AUC", facts["best_auc"])
    return (
        "Synthetic data: drawn by examples/make_dataset.py, no patient behind it.\n\n"
        f"Files: train.csv, val.csv, test.csv (split by patient_id), images/, facts.json.\n"
        f"Columns: {', '.join(columns)} (images), patient_id, age, sex, site, marker (inputs), label.\n"
        "The label depends on contrast and irregularity of the lesion, on age, marker and site; not on sex.\n"
        "Gaps in the table are random.\n\n"
        f"Best reachable {measure} (image alone, table alone, both): {json.dumps(best)}\n"
    )


if __name__ == "__main__":
    main()
