"""Features: values fitted on the training rows, and cases as numbers.

In:  rows of a table, their labels, the columns that the model reads and the settings of the `data`
     configuration; the headers of images.
Out: the fitted state as JSON (`fit_training_table`), the groups that metrics are reported for
     (`fit_subgroups`, `find_subgroups`), how images were acquired (`image_properties`), the normalization of
     images (`fit_image_normalization`), and `Cases` encoded with them (`encode_cases`), or texts for readers
     (`column_texts`). Other data only use the fitted state; so does a training that starts from a
     trained model (`FittedPreparation`).
"""

from medloom_trainer.data.features.acquisition import (
    IMAGE_FORMAT,
    IMAGE_SIZE,
    NUMBER_OF_IMAGES,
    PIXELS_PER_IMAGE,
    image_properties,
)
from medloom_trainer.data.features.cases import encode_cases
from medloom_trainer.data.features.encoding import encode_table, with_means
from medloom_trainer.data.features.fit import (
    MAX_GROUPS,
    TableFit,
    find_subgroups,
    fit_features,
    fit_image_normalization,
    fit_subgroups,
    fit_training_table,
)
from medloom_trainer.data.features.fitted import FittedPreparation
from medloom_trainer.data.features.reference import describe_cases, image_intensities, moments
from medloom_trainer.data.features.texts import column_texts, filled_texts, number_names
from medloom_trainer.data.features.time_grid import fit_time_grid

__all__ = [
    "IMAGE_FORMAT",
    "IMAGE_SIZE",
    "MAX_GROUPS",
    "NUMBER_OF_IMAGES",
    "PIXELS_PER_IMAGE",
    "FittedPreparation",
    "TableFit",
    "column_texts",
    "describe_cases",
    "encode_cases",
    "encode_table",
    "filled_texts",
    "find_subgroups",
    "fit_features",
    "fit_image_normalization",
    "fit_subgroups",
    "fit_time_grid",
    "fit_training_table",
    "image_intensities",
    "image_properties",
    "moments",
    "number_names",
    "with_means",
]
