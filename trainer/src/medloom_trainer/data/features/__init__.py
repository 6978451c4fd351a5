"""Features: what is fitted on the training rows, and the table as numbers.

In:  rows of a table, their labels, the columns that the model reads and the settings of the `data`
     configuration.
Out: the fitted state as JSON (`fit_features`), tables encoded with it (`encode_table`, `lay_out`), the groups
     that metrics are reported for (`fit_subgroups`, `find_subgroups`) and the normalization of images
     (`fit_image_normalization`). Elsewhere the state is applied, never refitted.
"""

from medloom_trainer.data.features.encoding import Encoded, encode_table, fit_table, lay_out
from medloom_trainer.data.features.fit import TableFit, fit_features
from medloom_trainer.data.features.normalization import fit_image_normalization
from medloom_trainer.data.features.selection import Selection
from medloom_trainer.data.features.subgroups import find_subgroups, fit_subgroups

__all__ = [
    "Encoded",
    "Selection",
    "TableFit",
    "encode_table",
    "find_subgroups",
    "fit_features",
    "fit_image_normalization",
    "fit_subgroups",
    "fit_table",
    "lay_out",
]
