"""Small DICOM and NIfTI files, written by their libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nibabel
import numpy as np
from pydicom import dcmread
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import ExplicitVRLittleEndian, SecondaryCaptureImageStorage, generate_uid


def dicom_file(path: Path, pixels: Any = None, **tags: Any) -> Path:
    """One image, or several frames; tags with the value None are left out."""
    stored = np.arange(16, dtype=np.uint16).reshape(4, 4) * 100 if pixels is None else np.asarray(pixels)
    color = stored.ndim == 3 and stored.shape[-1] == 3
    meta = FileMetaDataset()
    meta.TransferSyntaxUID = tags.pop("TransferSyntaxUID", ExplicitVRLittleEndian)
    meta.MediaStorageSOPClassUID = SecondaryCaptureImageStorage
    meta.MediaStorageSOPInstanceUID = generate_uid(entropy_srcs=[path.name])
    data = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    known = {
        "SOPClassUID": SecondaryCaptureImageStorage,
        "SOPInstanceUID": meta.MediaStorageSOPInstanceUID,
        "Modality": "MR",
        "PhotometricInterpretation": "RGB" if color else "MONOCHROME2",
        "SamplesPerPixel": 3 if color else 1,
        "Rows": stored.shape[-3 if color else -2],
        "Columns": stored.shape[-2 if color else -1],
        "BitsAllocated": stored.dtype.itemsize * 8,
        "BitsStored": stored.dtype.itemsize * 8,
        "HighBit": stored.dtype.itemsize * 8 - 1,
        "PixelRepresentation": int(stored.dtype.kind == "i"),
    }
    if color:
        known["PlanarConfiguration"] = 0
    for name, value in {**known, **tags}.items():
        if value is not None:
            setattr(data, name, value)
    data.PixelData = stored.tobytes()
    path.parent.mkdir(parents=True, exist_ok=True)
    data.save_as(path, enforce_file_format=True)
    return path


def nifti_file(path: Path, values: Any, affine: Any = None, **header: Any) -> Path:
    image = nibabel.Nifti1Image(values, np.eye(4) if affine is None else np.asarray(affine))
    if header:
        image.header.set_slope_inter(**header)
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(image, path)
    return path


def compressed_dicom_file(path: Path, pixels: Any, syntax: str, frames: list[bytes], **tags: Any) -> Path:
    """`pixels` determines the tags; `frames` are the output of the encoder of the transfer syntax."""
    dicom_file(path, pixels, **tags)
    data = dcmread(path)
    data.PixelData = encapsulate(frames)
    data["PixelData"].is_undefined_length = True
    data.file_meta.TransferSyntaxUID = syntax
    data.save_as(path, enforce_file_format=True)
    return path
