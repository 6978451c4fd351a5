"""Images: cells of image columns → files that may be read → what they contain → decoded pixels.

In:  an `ImageTable` and its image columns (`locate_cells`); bytes of PNG, JPEG, TIFF, DICOM and NIfTI files.
Out: `ImageFile` (digest and header of each file), decoded pixels (`decode`) and records of one size
     (`to_record`); `UnreadableImage` says why a file cannot be used. Headers are checked before anything is
     decoded.

pydicom, nibabel and imagecodecs are imported at the first file that needs them.
"""

from medloom_trainer.data.images.decoded import (
    Calibrated,
    Depth,
    ImageHeader,
    Pixels,
    UnreadableImage,
)
from medloom_trainer.data.images.decoders import READABLE_KINDS, decode, kind_of, read_header
from medloom_trainer.data.images.file_digests import digest_files
from medloom_trainer.data.images.image_files import ImageFile, deepest, digest_content, identify, notes_file
from medloom_trainer.data.images.locate import Located, locate_cells, paths_of
from medloom_trainer.data.images.record import to_record
from medloom_trainer.data.images.series import Scan, group_scans

__all__ = [
    "READABLE_KINDS",
    "Calibrated",
    "Depth",
    "ImageFile",
    "ImageHeader",
    "Located",
    "Pixels",
    "Scan",
    "UnreadableImage",
    "decode",
    "deepest",
    "digest_content",
    "digest_files",
    "group_scans",
    "identify",
    "kind_of",
    "locate_cells",
    "notes_file",
    "paths_of",
    "read_header",
    "to_record",
]
