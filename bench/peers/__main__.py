"""Run the same training with Medloom and its peers, on the folder of a study in the format of PAD-UFES-20.

Every contender is a separate process, uses the same rows of the same folds, and selects its settings only on
the validation rows; the cost of the selection counts. A contender without an environment here, or one that
needs a download, is skipped with the reason. The table is written between the markers of docs/benchmarks.md.

    npm run bench:peers -- --data FOLDER [--folds 3] [--epochs 20] [--side 80] [--only NAME]... [--quick]

FOLDER contains train.csv, val.csv, test.csv and the images. --quick: one fold of three, two epochs, no page.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from contender import CONTENDERS, Run, take_part
from folds import write_folds
from page import show, write_page


def main() -> int:
    parser = argparse.ArgumentParser(prog="npm run bench:peers --", description="Medloom and its peers.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the study")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--side", type=int, default=80, help="of the images, in pixels")
    parser.add_argument("--only", action="append", choices=list(CONTENDERS), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="one fold, two epochs, no page")
    options = parser.parse_args()
    epochs = 2 if options.quick else options.epochs
    runs: dict[str, list[Run]] = {}
    with tempfile.TemporaryDirectory(prefix="medloom-peers-") as work:
        folds = write_folds(options.data.resolve(), Path(work), options.folds)
        for fold in folds[:1] if options.quick else folds:
            for name in options.only or CONTENDERS:
                run = take_part(name, fold, epochs=epochs, side=options.side)
                if isinstance(run, str):
                    print(f"{CONTENDERS[name].title} is left out: {run}", flush=True)
                    continue
                print(f"{fold.name} {CONTENDERS[name].title}: {run.seconds:.1f} s, {run.chosen}", flush=True)
                runs.setdefault(name, []).append(run)
    print(show(runs))
    if not options.quick and options.only is None:
        write_page(runs, f"--folds {options.folds} --epochs {epochs} --side {options.side}")
    return 0 if runs else 1


if __name__ == "__main__":
    sys.exit(main())
