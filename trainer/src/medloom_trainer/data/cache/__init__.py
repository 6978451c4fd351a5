"""Cache: image files → records of one size, decoded once per content and shared by later runs.

In:  `ImageTable`s and their image columns; size, depth and window of the records; the folder of the cache.
Out: `Views` (slots in the store, digests of pixels and files, problems) and a store to gather batches
     from. `judge_images` refuses or reports unusable images; `sample_images` examines a few files without
     decoding or storing anything; `cache_state` and `clear_cache` are the tasks about the stores.
"""

from medloom_trainer.data.cache.decoding import BLAKE2B_VERSION, NEWEST_VERSION
from medloom_trainer.data.cache.sample import ImageSample, sample_images
from medloom_trainer.data.cache.store_limit import cache_state, clear_cache
from medloom_trainer.data.cache.views import ImageSettings, Views, judge_images, load_views

__all__ = [
    "BLAKE2B_VERSION",
    "NEWEST_VERSION",
    "ImageSample",
    "ImageSettings",
    "Views",
    "cache_state",
    "clear_cache",
    "judge_images",
    "load_views",
    "sample_images",
]
