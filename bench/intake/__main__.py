"""npm run bench:intake: seconds and peak memory of reading raw data, beside pandas and Polars.

    npm run bench:intake -- [--rows 1000000] [--images 100000] [--radiographs 224000]

Each line is measured in a process of its own. pandas and Polars only read the table as texts and describe
each column; an inspection also infers roles, checks labels, patients and splits, and searches for leaks.
pandas has an environment of its own; it is left out if that could not be installed. Exits with 1 if a limit
is not met.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

_ROOT = Path(__file__).parents[2]
_PANDAS_PYTHON = _ROOT / ".venv-intake" / "bin" / "python"
_COLUMNS = 30
_FINDINGS = (
    "No Finding", "Enlarged Cardiomediastinum", "Cardiomegaly", "Lung Opacity", "Lung Lesion", "Edema",
    "Consolidation", "Pneumonia", "Atelectasis", "Pneumothorax", "Pleural Effusion", "Pleural Other",
    "Fracture", "Support Devices",
)  # fmt: skip
_MEASURED = """
import json, resource, sys, time
from pathlib import Path
began = time.perf_counter()
{body}
seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
_INSPECT = """
from medloom_trainer.allocator import keep_freed_memory
from medloom_trainer.data.checks import inspect
keep_freed_memory()  # as a worker does
keys = ("image_root", "label_column", "label_columns", "time_column", "event_column", "patient_column",
        "positive_class", "slices", "recipe")
inspect({**dict.fromkeys(keys), "path": sys.argv[1], "roles": {}, "ignore_columns": [], "roots": []})
"""
_READ = """
from medloom_trainer.data.tables import read_csv
read_csv(Path(sys.argv[1]))
"""
_PANDAS = """
import pandas
pandas.read_csv(sys.argv[1], dtype=str).describe()
"""
_POLARS = """
import polars
polars.read_csv(sys.argv[1], infer_schema=False).describe()
"""
_RECIPE = """
from medloom_trainer.data.tables import read_source_table
recipe = {"version": 1, "files": [{"name": "cases", "path": "cases.csv"}],
          "images": [{"column": "image", "key": "name", "search": ["{_}"]}]}
made = read_source_table(Path(sys.argv[1]), None, [], recipe, Path(sys.argv[2]))
assert not any(step.counts.get("not_found") for step in made.steps)
"""
_ADOPT = """
from medloom_trainer.allocator import keep_freed_memory
from medloom_trainer.data.tables import propose_recipe, read_source_table
keep_freed_memory()
found = propose_recipe({"path": sys.argv[1], "label_column": None, "patient_column": None,
                        "no_patient_column": False, "rows_rule": None, "decisions": {}, "roots": []})
assert found["template"]["name"] == "chexpert", found["template"]
"""


@dataclass(frozen=True)
class Limits:
    """Limits of one line at the default sizes."""

    seconds: float
    mib: float = 1024


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:intake --")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--radiographs", type=int, default=224_000)
    chosen = parser.parse_args()
    met = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        table, images = _write_table(folder / "table.csv", chosen.rows), _write_images(folder, chosen.images)
        print(f"{chosen.rows:,} rows x {_COLUMNS} columns")
        peer = None
        for name, body, limits in (
            ("pandas", _PANDAS, None),
            ("Polars", _POLARS, None),
            ("read_csv", _READ, None),
            ("inspect", _INSPECT, Limits(seconds=10)),
        ):
            found = _measure(body, str(table), python=_PANDAS_PYTHON if name == "pandas" else None)
            peer = peer or found
            met.append(_show(name, found, peer, limits))
        print(f"{chosen.images:,} image names in a table, files in 20 folders")
        first = _measure(_RECIPE, str(images), str(folder / "kept"))
        met.append(_show("first start", first, first, Limits(seconds=10)))
        second = _measure(_RECIPE, str(images), str(folder / "kept"))
        met.append(_show("second start", second, first, Limits(seconds=0.5)))
        print(f"{chosen.radiographs:,} radiographs in the layout of CheXpert")
        adopted = _measure(_ADOPT, str(_write_radiographs(folder / "chexpert", chosen.radiographs)))
        met.append(_show("adopt", adopted, adopted, Limits(seconds=60)))
    return 0 if all(met) else 1


def _measure(body: str, *arguments: str, python: Path | None = None) -> tuple[float, float] | None:
    """(seconds, MiB); None if a library is not installed."""
    code = _MEASURED.format(body=body)
    if python is not None and not python.exists():
        return None
    program = sys.executable if python is None else str(python)
    done = subprocess.run([program, "-c", code, *arguments], capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def _show(
    name: str, found: tuple[float, float] | None, peer: tuple[float, float] | None, limits: Limits | None
) -> bool:
    """Print a line. → whether it meets its limits"""
    if found is None or peer is None:
        print(f"  {name:14} not installed")
        return True
    met = limits is None or (found[0] <= limits.seconds and found[1] <= limits.mib)
    verdict = ""
    if limits is not None:
        verdict = f"   limit {limits.seconds:g} s and {limits.mib:g} MiB {'met' if met else 'NOT MET'}"
    shown = f"{found[0]:8.2f} s {found[1]:8.0f} MiB {found[0] / peer[0]:8.2f} x the first line"
    print(f"  {name:14} {shown}{verdict}", flush=True)
    return met


def _write_table(path: Path, rows: int) -> Path:
    """Patients with two rows each, a label, two categories and 26 numbers with three decimals."""
    numbers = np.random.default_rng(0).normal(size=(rows, _COLUMNS - 4)).round(3)
    names = ["patient_id", "label", "sex", "site", *(f"x{place}" for place in range(_COLUMNS - 4))]
    with path.open("w") as file:
        file.write(",".join(names) + "\n")
        for row, values in enumerate(numbers):
            head = f"p{row // 2:07},{'ab'[row % 2]},{'mf'[int(values[0] > 0)]},s{row % 7},"
            file.write(head + ",".join(map(str, values.tolist())) + "\n")
    return path


def _write_images(folder: Path, count: int) -> Path:
    """Empty files: their names are resolved, not their content."""
    source = folder / "images"
    for place in range(20):
        (source / f"part{place}").mkdir(parents=True)
    names = [f"case{number:06}" for number in range(count)]
    for number, name in enumerate(names):
        (source / f"part{number % 20}" / f"{name}.png").touch()
    rows = "\n".join(f"{name},{'ab'[number % 2]}" for number, name in enumerate(names))
    (source / "cases.csv").write_text(f"name,label\n{rows}\n")
    return source


def _write_radiographs(folder: Path, count: int) -> Path:
    """The layout of CheXpert: about three tiny images of each patient, and a table with fourteen findings."""
    buffer = io.BytesIO()
    Image.new("L", (8, 8)).save(buffer, "JPEG")
    content = buffer.getvalue()
    head = ["Path", "Sex", "Age", "Frontal/Lateral", "AP/PA", *_FINDINGS]
    for split, start, images in (("train", 0, count), ("valid", count, max(1, count // 1000))):
        rows = [",".join(head)]
        for number in range(start, start + images):
            path = f"{split}/patient{1 + number // 3:05}/study1/view{1 + number % 3}_frontal.jpg"
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            codes = (("1.0", "", "0.0", "-1.0", "1.0")[(number + place) % 5] for place in range(14))
            sex, age = ("Male", "Female")[number // 3 % 2], str(20 + number // 3 % 70)
            rows.append(",".join([f"CheXpert-v1.0-small/{path}", sex, age, "Frontal", "AP", *codes]))
        (folder / f"{split}.csv").write_text("\n".join(rows) + "\n")
    return folder


if __name__ == "__main__":
    sys.exit(main())
