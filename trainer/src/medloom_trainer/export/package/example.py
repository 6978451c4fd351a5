# SPDX-License-Identifier: Apache-2.0
"""Predicts the cases of a CSV and prints the predictions as CSV.

python example.py cases.csv [--calibrated] > predictions.csv

Paths of images are relative to the folder of the CSV.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from typing import Any

from medloom_model import InputError, Model


def main() -> int:
    parser = argparse.ArgumentParser(description="Predicts the cases of a CSV and prints CSV.")
    parser.add_argument("cases", help="CSV with the columns that README.md lists")
    parser.add_argument("--calibrated", action="store_true", help="apply the temperature of the training")
    arguments = parser.parse_args()
    try:
        predictions = Model().predict_csv(arguments.cases, calibrated=arguments.calibrated)
    except (InputError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    writer = csv.writer(sys.stdout)
    writer.writerow(["row", *map(_harmless, predictions[0] if predictions else [])])
    for row, prediction in enumerate(predictions, start=1):
        writer.writerow([row, *map(_harmless, prediction.values())])
    return 0


def _harmless(cell: Any) -> Any:
    """A text that a spreadsheet reads as a formula starts with an apostrophe."""
    return f"'{cell}" if isinstance(cell, str) and re.match(r"'*[=+\-@\t\r]", cell) else cell


if __name__ == "__main__":
    sys.exit(main())
