"""Environment of a package: the versions with which it was tested, for pip, Docker and MLflow."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version

PACKAGES = ("numpy", "onnxruntime", "pillow")
"""All that `medloom_model.py` imports."""
REQUIREMENTS = "requirements.txt"
PYTHON_ENVIRONMENT = "python_env.yaml"


def environment_files() -> dict[str, bytes]:
    """Name → content."""
    pinned = "".join(f"{name}=={version(name)}\n" for name in PACKAGES)
    python = platform.python_version()
    of_mlflow = {
        "python": python,
        "build_dependencies": ["pip"],
        "dependencies": [f"-r {REQUIREMENTS}", "mlflow"],
    }
    return {
        REQUIREMENTS: pinned.encode(),
        PYTHON_ENVIRONMENT: f"{json.dumps(of_mlflow, indent=2)}\n".encode(),
        "Dockerfile": _DOCKERFILE.format(python=python.rpartition(".")[0]).encode(),
    }


_DOCKERFILE = """\
FROM python:{python}-slim
WORKDIR /model
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
RUN python medloom_model.py --test
USER nobody
ENTRYPOINT ["python", "example.py"]
"""
