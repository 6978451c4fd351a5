"""Batches: the cases of each, read ahead of the loop, on the device.

In:  the cases of a split, their `ImageStore`, and the order of an epoch (`BatchPlan`).
Out: `read_ahead` yields `Batch`es (threads in order, into a ring of blocks, by a transfer to the device);
     `ImageNormalizer` normalizes their images there.
"""

from medloom_trainer.inference.batches.batch import Batch, Draw, FrozenFeatures, gather
from medloom_trainer.inference.batches.normalizer import ImageNormalizer
from medloom_trainer.inference.batches.plan import BatchPlan, Indices, Steps, shuffled_batches
from medloom_trainer.inference.batches.random_numbers import RandomNumbers
from medloom_trainer.inference.batches.readers import BATCHES_AHEAD, read_ahead

__all__ = [
    "BATCHES_AHEAD",
    "Batch",
    "BatchPlan",
    "Draw",
    "FrozenFeatures",
    "ImageNormalizer",
    "Indices",
    "RandomNumbers",
    "Steps",
    "gather",
    "read_ahead",
    "shuffled_batches",
]
