"""A trained model as a folder that predicts without Medloom: `package_model` writes it as one zip.

`medloom_model.py` and `example.py` are copied into the folder as they are; they import nothing of Medloom.
"""

from medloom_trainer.export.package.write import SUFFIX, package_model

__all__ = ["PACKAGE", "SUFFIX", "package_model"]

PACKAGE = "Package"
"""Its name in the contract, as that of a format."""
