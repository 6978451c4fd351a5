"""The file README.md: use, inputs and outputs of a package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from medloom_trainer import __version__

_MOST_CATEGORIES = 20


def readme(document: Mapping[str, Any], outputs: Sequence[str]) -> bytes:
    """outputs: columns of a prediction."""
    prepared = document["preprocessing"]
    images = prepared["images"]
    parts = [
        _INTRODUCTION.format(task=document["task"], version=__version__),
        "## Inputs\n\nA CSV with these columns. Leave cells of unknown values empty.\n",
        "\n".join(["| Column | Content |", "|---|---|", *_columns(document)]),
        "" if images is None else _images(images),
        _RECIPE if prepared.get("recipe") else "",
        f"## Outputs\n\n{', '.join(map(_code, outputs))}\n\n{_decision(document)}",
        _USE,
    ]
    return "\n\n".join(part.strip() for part in parts if part).encode() + b"\n"


_INTRODUCTION = """\
# Model package

A trained model for {task}, exported by Medloom {version}. It predicts without Medloom.

**Intended use: research.** This model is not a medical device. Do not use it to decide about patients. Read
`MODEL_CARD.md` for its training data, results and limits, and `LICENSES.md` for its licenses.
`description.json` describes the model; it contains the fitted preprocessing with names of columns and
categories.
"""

_IMAGES = """\
Images are PNG or JPEG of 8 or 16 bits. Their paths are relative to the folder of the CSV. They are resized to
a width of {width} and a height of {height} pixels. DICOM, NIfTI and TIFF are refused. If the model was
trained on such files, predict them with Medloom: converted images give other predictions unless the
conversion shows the same range of values."""

_RECIPE = """\
The training read its tables with a recipe, which joined files or changed cells. Of the recipe, this package
applies only the codes for missing values: the CSV must have the columns that the recipe makes.
"""

_USE = """\
## Use

```bash
pip install -r requirements.txt
python medloom_model.py --test
python example.py test_case/cases.csv
```

`--test` compares all files with `SHA256SUMS`, and the predictions for synthetic cases, which belong to no
patient, with those of the trained network. In Python:

```python
from medloom_model import Model

predictions = Model().predict_csv("test_case/cases.csv")
```

**Docker.** The folder of the cases is mounted:

```bash
docker build -t model .
docker run --rm -v "$PWD/test_case:/cases:ro" model /cases/cases.csv
```

**MLflow.** `mlflow.pyfunc.load_model(".")` loads the folder without a pickle. The parameter `calibrated`
applies the temperature. MLflow refuses a data frame whose numbers are integers: convert them to float. Paths
of images are relative to the working folder. A server that predicts images reads the files that its callers
name: run it as a user who may read only these images, or send images as data URLs.

**Medloom.** The wheel of Medloom predicts with PyTorch:

```python
from medloom_trainer.export import load_model, model_inputs

model = load_model("model.safetensors")
arrays = model_inputs(model.document, "test_case/cases.csv")
```
"""


def _columns(document: Mapping[str, Any]) -> list[str]:
    prepared = document["preprocessing"]
    columns = prepared["table"]["columns"]
    # Members of an ensemble share columns.
    rows = list(dict.fromkeys(f"| {_code(column['name'])} | {_content(column)} |" for column in columns))
    images = [] if prepared["images"] is None else prepared["image_columns"]
    return rows + [f"| {_code(name)} | path of an image |" for name in images]


def _content(column: Mapping[str, Any]) -> str:
    if column["kind"] == "numeric":
        return "number"
    shown = [_code(category) for category in column["categories"][:_MOST_CATEGORIES]]
    more = len(column["categories"]) - len(shown)
    return f"category: {', '.join(shown)}{f' and {more} more' if more else ''}"


def _images(settings: Mapping[str, Any]) -> str:
    width, height = settings["size"]
    window = settings["window"]
    text = _IMAGES.format(width=width, height=height)
    if window is None:
        return text
    center, span = (f"{value:g}" for value in window)
    return f"{text} Gray images are shown with center {center} and width {span} of their stored values."


def _decision(document: Mapping[str, Any]) -> str:
    task, threshold = document["task"], document["threshold"]
    temperature = document["temperature"]["value"]
    texts = []
    if task == "regression":
        texts.append("`predicted` is in the units of the label.")
    elif task == "survival":
        texts.append(
            "`survival_<time>` is the share without the event; `risk` is the time lost until the last."
        )
    elif isinstance(threshold, float):
        texts.append(f"The second class is predicted from the probability {threshold:.6g} on.")
    else:
        texts.append("Without a threshold from validation, 0.5 is used for two classes and for labels.")
    if temperature is not None:
        texts.append(f"With `--calibrated`, the temperature {temperature:.6g} is applied.")
    return " ".join(texts)


def _code(text: str) -> str:
    """The text as code in a cell of a table, whatever it contains."""
    plain = " ".join(text.split()).replace("|", "¦").replace("`", "'")
    return f"`{plain or ' '}`"
