/** Durations that decide how often the command line requests and prints progress, and how long it waits. */

// Progress
/** Interval between two lines of progress where the output is not a terminal. */
export const PROGRESS_LINE_SECONDS = 10
/** Interval at which the status of a followed job is considered. */
export const JOB_STATUS_MILLISECONDS = 1_000
/** The status of a job is requested after this much time without a message. */
export const SILENCE_MILLISECONDS = 2_000

// Polling
/** Polling interval of a background task. */
export const TASK_POLL_MILLISECONDS = 300
/** Polling interval of a log that is followed. */
export const LOG_POLL_MILLISECONDS = 500

// Requests
/** Time per request for the check of a training; the trainer continues to read large tables, and the same request is repeated. */
export const CHECK_WAIT_SECONDS = 20
/** Time for the readiness checks of the service. */
export const READINESS_SECONDS = 15
