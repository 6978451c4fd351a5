"""Intervals and time limits of the trainer, in seconds."""

from __future__ import annotations

# A running training, as the service sees it.
HEARTBEAT_INTERVAL = 1.0
"""Interval of writes while the training makes steps."""
UNMEASURED_STEP_LIMIT = 600.0
"""Time limit of a step if none was measured yet, or if steps differ: the first batch, a checkpoint, the parts
of the preparation."""
MIN_STEP_LIMIT = 60.0
"""Least time limit of one of many equal steps, whose limit otherwise follows the longest so far."""
RESOURCES_INTERVAL = 5.0
LOG_CHECK_INTERVAL = 1.0
"""Interval of checks whether the log is too long."""
LOG_LOCK_TIMEOUT = 5.0
"""Time for which the end of a job waits for a process that holds the log, which may be suspended."""
LOG_LOCK_INTERVAL = 0.01

# Processes of a training that wait for one another.
GROUP_TIMEOUT = 24 * 3600.0
"""The first one may decode a large dataset meanwhile."""
GRADIENTS_TIMEOUT = 600.0
"""For the gradients of other GPUs: at most as long as one of them writes a checkpoint."""
CLUSTER_CHECK_INTERVAL = 1.0
"""Interval of checks for free nodes and for a request to stop."""

# Workers and prewarmed trainers.
ACTIVITY_INTERVAL = 2.0
MEMORY_CHECK_INTERVAL = 0.1
PROGRESS_INTERVAL = 0.1
"""Least time between two reports of the same step of a task."""
SPARE_PROCESS_DELAY = 0.5
"""Time without a job before a spare process is made, so that trainings in quick succession are not
disturbed."""

# Workers on a cluster.
NODES_CHECK_INTERVAL = 1.0
IDLE_WORKER_LIMIT = 30.0
SLOT_CHECK_INTERVAL = 0.5
"""Interval at which a task that waits for a slot checks whether it was canceled."""
WORKER_END_TIMEOUT = 2.0
"""Time for a node to end the process of a worker before the worker is ended, which ends the process too."""

# A training that exchanges its files over HTTP.
REQUEST_TIMEOUT = 60.0
FIRST_RETRY_PAUSE = 0.1
LONGEST_RETRY_PAUSE = 15.0
UNREACHABLE_LIMIT = 3 * 24 * 3600.0
"""Time after which an unreachable service is not expected to return."""
FIRST_RESPONSE_LIMIT = 3600.0
"""Time for which an attempt without anything to send waits for the service."""
SILENCE_LIMIT = 10.0
"""Time for which an attempt that has to end waits for a service that does not respond."""
MIRROR_INTERVAL = 0.2
"""Interval of checks for new output."""
MIRROR_HEARTBEAT_INTERVAL = 1.0
FILES_CHECK_INTERVAL = 2.0
"""Interval of checks for changed files that no line of the events names."""
FETCH_CHECK_INTERVAL = 0.2
"""Interval of checks for files that another training of the node fetches."""
PROCESS_CHECK_INTERVAL = 0.2
STOP_TIMEOUT = 60.0
"""Time for a trainer to end after its attempt has ended."""

# Prepared images.
STORE_LOCK_INTERVAL = 0.05
UNSETTLED_FILE_AGE = 2.0
"""A file that changed more recently may change again within one tick of its clock; it is not noted yet."""
