"""Images: cells of image columns → files that may be read → what they contain → decoded pixels.

In:  an `ImageTable` and its image columns (`locate_cells`); bytes of PNG, JPEG, TIFF, DICOM and NIfTI files.
Out: `ImageFile` (digest and header of each file), decoded pixels (`decode`) and records of one size
     (`to_record`); `UnreadableImage` contains the reason why a file cannot be used. Headers are checked
     before anything is
     decoded.

pydicom, nibabel and imagecodecs are imported at the first file that needs them.
"""

from medloom_trainer.data.images.decoded import (
    FIRST_RULES,
    NEWEST_RULES,
    Calibrated,
    Depth,
    Fit,
    ImageHeader,
    Pixels,
    UnreadableImage,
    is_blank,
    to_record,
)
from medloom_trainer.data.images.decoders import READABLE_KINDS, decode_parts, kind_of
from medloom_trainer.data.images.facts import facts_of
from medloom_trainer.data.images.image_files import (
    ImageFile,
    Located,
    blank_digests,
    deepest,
    digest_files,
    identify,
    locate_cells,
    notes_file,
    paths_of,
    slice_of,
)
from medloom_trainer.data.images.series import Scan, divided_series, group_scans
from medloom_trainer.data.images.sources import MISSING, digest_content, open_image, stat_image, whole_of
from medloom_trainer.data.images.unusable import (
    Gaps,
    describe_blank,
    describe_unusable,
    describe_volumes,
    volumes_read,
)

__all__ = [
    "FIRST_RULES",
    "MISSING",
    "NEWEST_RULES",
    "READABLE_KINDS",
    "Calibrated",
    "Depth",
    "Fit",
    "Gaps",
    "ImageFile",
    "ImageHeader",
    "Located",
    "Pixels",
    "Scan",
    "UnreadableImage",
    "blank_digests",
    "decode_parts",
    "deepest",
    "describe_blank",
    "describe_unusable",
    "describe_volumes",
    "digest_content",
    "digest_files",
    "divided_series",
    "facts_of",
    "group_scans",
    "identify",
    "is_blank",
    "kind_of",
    "locate_cells",
    "notes_file",
    "open_image",
    "paths_of",
    "slice_of",
    "stat_image",
    "to_record",
    "volumes_read",
    "whole_of",
]
