"""The array that all metrics are computed with."""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
