"""npm run bench:intake: seconds and peak memory of reading data as they come, beside pandas and Polars.

    npm run bench:intake -- [--rows 1000000] [--images 100000]

Each line is measured in a process of its own. pandas and Polars only read the table as texts and describe
each column; an inspection also infers roles, checks labels, patients and splits, and searches for leaks.
pandas is left out if it is not installed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

_COLUMNS = 30
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:intake --")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--images", type=int, default=100_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        table, images = _write_table(folder / "table.csv", chosen.rows), _write_images(folder, chosen.images)
        print(f"{chosen.rows:,} rows x {_COLUMNS} columns")
        peer = None
        for name, body in (
            ("pandas", _PANDAS),
            ("Polars", _POLARS),
            ("read_csv", _READ),
            ("inspect", _INSPECT),
        ):
            found = _measure(body, str(table))
            peer = peer or found
            _show(name, found, peer)
        print(f"{chosen.images:,} image names in a table, files in 20 folders")
        first = _measure(_RECIPE, str(images), str(folder / "kept"))
        _show("first start", first, first)
        _show("second start", _measure(_RECIPE, str(images), str(folder / "kept")), first)
    return 0


def _measure(body: str, *arguments: str) -> tuple[float, float] | None:
    """(seconds, MiB); None if a library is not installed."""
    code = _MEASURED.format(body=body)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    if "ModuleNotFoundError" in done.stderr:
        return None
    if done.returncode:
        raise RuntimeError(done.stderr)
    seconds, memory = json.loads(done.stdout.splitlines()[-1])
    return seconds, memory


def _show(name: str, found: tuple[float, float] | None, peer: tuple[float, float] | None) -> None:
    if found is None or peer is None:
        print(f"  {name:14} not installed")
        return
    print(f"  {name:14} {found[0]:8.2f} s {found[1]:8.0f} MiB {found[0] / peer[0]:8.2f} x the first line")


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


if __name__ == "__main__":
    sys.exit(main())
