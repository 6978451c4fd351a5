"""Versions of all software that can affect a result."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from medloom_trainer import __version__

_PACKAGES = (
    "torch",
    "torchvision",
    "timm",
    "numpy",
    "scipy",
    "scikit-learn",
    "Pillow",
    "imagecodecs",
    "pydicom",
    "nibabel",
    "openpyxl",
    "polars",
    "pyreadstat",
    "onnx",
    "onnxscript",
    "onnxruntime",
    "safetensors",
    "jsonschema",
    "psutil",
    "optuna",
)


def package_versions() -> dict[str, str]:
    """Package → version, for installed packages. Nothing is imported."""
    return dict(_installed())


@cache
def _installed() -> dict[str, str]:
    """Read once in a process: a search for the metadata of all packages takes 30 milliseconds."""
    found: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def software_versions() -> dict[str, str]:
    """The packages, the trainer itself, Python and the platform."""
    return {
        "medloom_trainer": __version__,
        "python": platform.python_version(),
        **package_versions(),
        "platform": platform.platform(),
    }
