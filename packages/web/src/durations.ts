/** Durations that decide how soon the page notices a change, and how long it waits. */

// Connection to the service
/** Time after which a lost service is probed again. */
export const PROBE_RETRY_MILLISECONDS = 1_000
/** Time for the response to a probe. */
export const PROBE_TIMEOUT_MILLISECONDS = 2_000
/** The service is probed after this much silence: a process that hangs closes no socket and refuses no connection. */
export const SILENCE_MILLISECONDS = 2_000
/** Interval at which the page checks for silence. */
export const SILENCE_CHECK_MILLISECONDS = 500

// Requests
/** Time during which a response counts as current. */
export const STALE_MILLISECONDS = 2_000
/** Delay before the first repetition of a failed request; it doubles with each repetition. */
export const FIRST_RETRY_MILLISECONDS = 500
/** Upper limit of that delay. */
export const LONGEST_RETRY_MILLISECONDS = 4_000
/** Notifications of changes within this time cause one refetch. */
export const COALESCE_MILLISECONDS = 100
/** A list that is scrolled shows new rows in every frame; their curves are requested a few times a second. */
export const CURVE_BATCH_MILLISECONDS = 80
/** Polling interval of lists without a WebSocket. */
export const LIST_POLL_MILLISECONDS = 5_000

// Pages
/** Delay before the loading state of a page is visible; until then the previous page stays. */
export const PAGE_PENDING_MILLISECONDS = 300
/** Longest wait for the initial data of a page. A page appears together with its data so that nothing moves; slower data appears later. */
export const PAGE_DATA_TIMEOUT_MILLISECONDS = 5_000
/** Time for which a copied text is confirmed. */
export const COPIED_MILLISECONDS = 2_000

// Images
/** Images of a closed viewer are discarded after this time. */
export const IMAGE_CACHE_MILLISECONDS = 60_000
/** Thumbnails expire quickly, because there may be thousands and the service returns them fast. */
export const THUMBNAIL_CACHE_MILLISECONDS = 60_000
/** Thumbnails are requested once scrolling has paused for this time. */
export const THUMBNAIL_DEBOUNCE_MILLISECONDS = 80

// Tasks, trainings and the machine
/** Polling interval of one running task. */
export const TASK_POLL_MILLISECONDS = 500
/** Polling interval of the list of tasks while one of them runs. */
export const TASKS_POLL_MILLISECONDS = 1_000
/** Polling interval of the list of tasks on the system page while none runs. */
export const IDLE_TASKS_POLL_MILLISECONDS = 5_000
/** Polling interval of the list of tasks on the page of a model while none runs: only other users start tasks unnoticed. */
export const IDLE_MODEL_TASKS_POLL_MILLISECONDS = 10_000
/** Polling interval of the log of a training. */
export const JOB_LOG_POLL_MILLISECONDS = 3_000
/** Measurement interval of the service, at which the resource usage of a training is read. */
export const RESOURCES_POLL_MILLISECONDS = 5_000
/** Polling interval of the hardware and the readiness of the service. */
export const MACHINE_POLL_MILLISECONDS = 10_000

// Input
/** Pause in typing after which a list is searched. */
export const SEARCH_DEBOUNCE_MILLISECONDS = 100
/** Pause in typing after which a draft is checked. */
export const CHECK_DEBOUNCE_MILLISECONDS = 400
/** Polling interval of a check while the trainer reads large tables. */
export const CHECK_POLL_MILLISECONDS = 1_000
/** Time during which the check of a text counts as current. */
export const CHECK_STALE_MILLISECONDS = 10_000
/** Checks of earlier texts are discarded after this time. */
export const CHECK_CACHE_MILLISECONDS = 60_000

// Workflow editor
/** Consecutive edits of the same kind within this time are undone together. */
export const MERGE_EDITS_MILLISECONDS = 1_500
/** Pause in editing after which the draft is stored. */
export const SAVE_DRAFT_DEBOUNCE_MILLISECONDS = 600
/** Time until an unreachable service is asked to store a draft or to check a document again. */
export const EDITOR_RETRY_MILLISECONDS = 3_000
/** Pause in editing after which the document is checked. */
export const DOCUMENT_CHECK_DEBOUNCE_MILLISECONDS = 150
/** Time until a run that another one prevents is started again. */
export const RUN_RETRY_MILLISECONDS = 1_000
/** Polling interval of a run of a workflow. */
export const RUN_POLL_MILLISECONDS = 1_000
/** Polling interval of the log of a run. */
export const RUN_LOG_POLL_MILLISECONDS = 2_000
/** States change up to hundreds of times a second, and in the overview nobody follows a single one. */
export const OVERVIEW_STATES_MILLISECONDS = 250
/** Duration of the animation that moves a node into view. */
export const REVEAL_NODE_MILLISECONDS = 200
