"""Files of a package → their digests, and one zip. The same files always give the same bytes."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping

SUMS = "SHA256SUMS"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that ZIP supports."""
_UNIX, _PLAIN_FILE = 3, 0o100644 << 16
_INCOMPRESSIBLE = (".onnx", ".safetensors", ".png")


def sums_of(files: Mapping[str, bytes]) -> bytes:
    """In the form of `sha256sum`."""
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items())]
    return "".join(lines).encode()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files in alphabetical order, without times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in sorted(files.items()):
            facts = zipfile.ZipInfo(name, _EPOCH)
            facts.create_system, facts.external_attr = _UNIX, _PLAIN_FILE
            stored = name.endswith(_INCOMPRESSIBLE)
            facts.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            archive.writestr(facts, content)
    return buffer.getvalue()
