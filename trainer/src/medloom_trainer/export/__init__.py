"""A trained model as one file that other software can load: PyTorch weights, ONNX or TorchScript.

`export_model` writes such a file; `load_model` opens one with PyTorch weights; `model_inputs` prepares a
table for any of the three. Each file describes itself (document.py).
"""

from medloom_trainer.export.formats import FORMATS, Exported, export_model
from medloom_trainer.export.inputs import model_inputs
from medloom_trainer.export.pytorch import LoadedModel, load_model

__all__ = ["FORMATS", "Exported", "LoadedModel", "export_model", "load_model", "model_inputs"]
