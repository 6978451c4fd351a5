"""Compare the defaults for tables with classic models: networks as this trainer trains them, and three
classics, over folds of tables that packages ship.

    npm run bench:defaults [-- --tables wine,lung] [--contenders "one network;random forest"] [--repeats 1]
        [--pad folder] [--out folder]

Exits with 1 if the default is significantly worse than the best classic on a table, or not better on
average.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from contenders import CLASSICS, FOLDS, NETWORKS, REPEATS, Fold, score_of
from figures import report
from tables import PAD, SOURCES, write_table

_DEFAULT_CONTENDERS = [*CLASSICS, "one network", "five networks"]


def main() -> int:
    given = _arguments()
    names = (
        [name.strip() for name in given.contenders.split(";")] if given.contenders else _DEFAULT_CONTENDERS
    )
    every = [*SOURCES, *([] if given.pad is None else [PAD])]
    sources = [s for s in every if given.tables is None or s.name in given.tables.split(",")]
    given.out.mkdir(parents=True, exist_ok=True)
    found = _known(given.out / "scores.jsonl")
    with tempfile.TemporaryDirectory() as temporary, ProcessPoolExecutor(given.processes) as pool:
        written = {
            s.name: write_table(s, given.pad if s is PAD else given.packages, Path(temporary))
            for s in sources
        }
        work = []
        for repeat, source, index, name in product(range(given.repeats), sources, range(FOLDS), names):
            key = (source.name, name, repeat, index)
            if key not in found:
                fold = Fold(
                    written[source.name],
                    source.task,
                    _rows(written[source.name]),
                    index,
                    repeat,
                    source.patient,
                )
                work.append((key, pool.submit(_timed, name, fold)))
        with (given.out / "scores.jsonl").open("a", encoding="utf-8") as file:
            for done, (key, job) in enumerate(work, start=1):
                found[key] = job.result()
                file.write(json.dumps([*key, *found[key]]) + "\n")
                file.flush()
                print(f"\r{done} of {len(work)}", end="", file=sys.stderr)
    return report(found, names, {source.name: source.title for source in sources}, given.repeats)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="npm run bench:defaults --")
    parser.add_argument("--tables", help="names, with commas between; default: all")
    parser.add_argument("--contenders", help=f"with ; between: {'; '.join([*CLASSICS, *NETWORKS])}")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="of five folds")
    parser.add_argument("--pad", type=Path, help="folder with data.csv of PAD-UFES-20")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, default=Path("bench-results") / "defaults", help="goes on there")
    parser.add_argument("--packages", type=Path, default=_packages(), help="site-packages with the tables")
    return parser.parse_args()


def _packages() -> Path:
    environment = Path(__file__).parents[2] / ".venv-defaults"
    found = [*environment.glob("lib/python*/site-packages"), environment / "Lib" / "site-packages"]
    return found[0]


def _rows(csv: Path) -> int:
    return len(csv.read_text(encoding="utf-8").splitlines()) - 1


def _timed(name: str, fold: Fold) -> tuple[float, float]:
    """→ its score, and seconds of processor time"""
    import torch

    torch.set_num_threads(1)
    started = time.process_time()
    return score_of(name, fold), time.process_time() - started


def _known(file: Path) -> dict[tuple[str, str, int, int], tuple[float, float]]:
    """Measurements of an interrupted run."""
    if not file.exists():
        return {}
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return {(line[0], line[1], line[2], line[3]): (line[4], line[5]) for line in lines}


if __name__ == "__main__":
    sys.exit(main())
