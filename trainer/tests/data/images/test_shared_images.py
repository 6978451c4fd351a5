"""Real DICOM and NIfTI files: each is read as in the table, or refused with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from medloom_trainer.data.images.decoded import Calibrated, UnreadableImage, is_blank
from medloom_trainer.data.images.decoders import decode_parts, read_header
from medloom_trainer.data.tables import Slicing
from testing.shared_data import shared_files

CT = (-1024.0, 3071.0)
COLOR = None
DICOM: dict[str, tuple[int, tuple[float, float] | None]] = {
    "CT_small": (1, CT),
    "J2K_pixelrep_mismatch": (1, CT),
    "eCT_Supplemental": (2, CT),  # its rescale is only in the functional groups
    **dict.fromkeys(
        (
            "MR_small",
            "MR_small_implicit",
            "MR_small_bigendian",
            "MR_small_RLE",
            "MR_small_jpeg_ls_lossless",
        ),
        (1, (-200.0, 1399.0)),
    ),
    **dict.fromkeys(
        ("emri_small", "emri_small_jpeg_2k_lossless", "emri_small_jpeg_ls_lossless"), (10, (0.0, 467.0))
    ),
    "JLSL_16_15_1_1F": (1, (-16384.0, 16383.0)),
    "JPEG-LL": (1, (0.0, 278.0)),
    "JPEG2000": (1, (-30.0, 245.0)),
    "JPGExtended": (1, (0.0, 264.0)),
    "RG1_J2KI": (1, (0.0, 29999.0)),
    "RG3_J2KR": (1, (38.0, 1061.0)),
    "examples_overlay": (1, (55.0, 844.0)),
    "mlut_18": (1, (0.0, 65535.0)),
    "vlut_04": (1, (0.0, 65535.0)),
    "xrv_Fake_MONOHR1": (1, (0.0, 254.0)),
    "xrv_rsna_850819": (1, (0.0, 254.0)),
    "HTJ2KLossless_08_RGB": (1, COLOR),
    "SC_rgb_jpeg_dcmtk": (1, COLOR),
    "US1_J2KR": (1, COLOR),
    "examples_palette": (1, COLOR),
    "OBXXXX1A_rle_2frame": (2, COLOR),
    "examples_ybr_color": (30, COLOR),
}
"""File → its number of frames, and the range over which it is shown."""
INVERTED = {"RG1_J2KI", "RG3_J2KR", "xrv_Fake_MONOHR1"}
SERIES_OF_VOLUMES = {"nibabel_functional", "nibabel_example4d", "nibabel_example_nifti2"}
SLICES = {
    "nibabel_anatomical": 25,
    "nibabel_standard": 7,
    "nibabel_reoriented_anat_moved": 22,
    "nibabel_resampled_anat_moved": 3,
}


@pytest.mark.slow
@pytest.mark.parametrize("file", shared_files("dicom", "*.dcm"))
def test_dicom_files(file: Path) -> None:
    frames, shown = DICOM[file.stem]
    content = file.read_bytes()
    header = read_header(content)
    assert header.slices == frames and header.channels == (3 if shown is COLOR else 1)
    for pixels in decode_parts(content, Slicing(3, "axial", "content").parts(frames)):
        assert not is_blank(pixels)
        if isinstance(pixels, Calibrated):
            assert pixels.values.shape == (header.height, header.width, 1)
            assert (pixels.low, pixels.high) == shown
            assert pixels.inverted == (file.stem in INVERTED)
            assert (pixels.looked_up is not None) == (file.stem == "vlut_04")
        else:
            assert pixels.shape == (header.height, header.width, 3) and shown is COLOR


@pytest.mark.parametrize("file", shared_files("nifti", "*.nii*"))
def test_nifti_files(file: Path) -> None:
    content, name = file.read_bytes(), file.name.split(".")[0]
    if name in SERIES_OF_VOLUMES:
        with pytest.raises(UnreadableImage, match="has 4 dimensions; save one volume"):
            read_header(content)
        return
    header = read_header(content)
    assert header.slices == SLICES.get(name, header.slices) and header.measured
    for axis in ("axial", "coronal", "sagittal"):
        slices = decode_parts(content, Slicing(3, axis, "content").parts(3))
        assert not any(is_blank(pixels) for pixels in slices)
        assert len({(pixels.low, pixels.high) for pixels in slices if isinstance(pixels, Calibrated)}) == 1
        if name == "nibabel_standard":  # voxels of 1 x 3 x 2 mm
            expected = {"axial": 3.0, "coronal": 2.0, "sagittal": 2 / 3}[axis]
            assert {round(p.aspect, 6) for p in slices if isinstance(p, Calibrated)} == {round(expected, 6)}
