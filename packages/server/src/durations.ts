/** Durations that decide how soon the service notices, reports and repairs something, and how long it waits. */

// Shutdown
/** Time after which a shutdown that has not finished ends the process. */
export const SHUTDOWN_SECONDS = 10
/** Time from the start of a shutdown until open connections are closed. */
export const CLOSE_CONNECTIONS_MILLISECONDS = 4000
/** A client that does not reply to the close must not delay the shutdown. */
export const CLOSE_SOCKET_MILLISECONDS = 2000

// Requests and sockets
/** Maximum time for which the state of the system waits for Python or for a cluster. */
export const SYSTEM_ANSWER_SECONDS = 5
/** A client that pauses for this long while its refused body is discarded is disconnected. */
export const DISCARDED_BODY_SILENCE_MILLISECONDS = 2000
/** Interval at which the service checks whether a slow reader of a socket has read enough. */
export const SLOW_READER_POLL_MILLISECONDS = 20
/** Time until messages are sent again to followers that were slow. */
export const FAN_OUT_RETRY_MILLISECONDS = 50
/** Maximum pause after messages were sent to many followers. */
export const FAN_OUT_LONGEST_PAUSE_MILLISECONDS = 250
/** Idle time after which the thread that searches cases ends and releases its memory. */
export const CASE_THREAD_IDLE_MILLISECONDS = 60_000

// Controller and other processes
/** Interval at which a controller shows that it works. */
export const CONTROLLER_BEAT_MILLISECONDS = 1000
/**
 * Maximum time for which a controller may be busy without a turn of its event loop; after that it counts as hung and shows no sign of life.
 */
export const CONTROLLER_BUSY_MILLISECONDS = 60_000
/** A controller that has shown no sign of life for this long, by the clock of the process that waits to replace it, counts as hung. */
export const CONTROLLER_LEASE_MILLISECONDS = 6000
/** Interval at which a waiting process tries to become the controller. */
export const CONTROLLER_LOCK_RETRY_MILLISECONDS = 500
/** Poll interval of the database: a notification may be lost. */
export const CONTROLLER_POLL_MILLISECONDS = 1000
/** A controller that has responded this recently is not checked. */
export const CONTROLLER_RECENT_MILLISECONDS = 1000
/** An unanswered check is repeated on another connection: the first one may be broken. */
export const CONTROLLER_ANSWER_MILLISECONDS = 2000
/** Time for which a request waits for a responding controller, or for the next one. */
export const FORWARD_WAIT_MILLISECONDS = 10_000
/** Time without a byte of a response that has begun, although its caller reads it; after that it ends as incomplete. */
export const FORWARD_IDLE_MILLISECONDS = 120_000
/** Time between two attempts while the controller cannot be reached. */
export const FORWARD_RETRY_MILLISECONDS = 250

// Database server
/** Time for a connection to the server to be established. */
export const DATABASE_CONNECT_MILLISECONDS = 5000
/** A session that has not responded for this long is checked. */
export const DATABASE_SILENCE_MILLISECONDS = 8000
/** Time between attempts to reconnect. */
export const DATABASE_FIRST_RETRY_MILLISECONDS = 100
/** Upper limit of that time. */
export const DATABASE_LONGEST_RETRY_MILLISECONDS = 500
/** Delay before the next start, after one that failed because the connection was lost again. */
export const RESTART_MILLISECONDS = 500

// Queue and trainers
/** Poll interval of the database: a notification of an accepted job can be lost. */
export const ACCEPTED_JOBS_POLL_MILLISECONDS = 2000
/** Time until the queue continues after a fault of the machine; it doubles with each further fault. */
export const QUEUE_FIRST_RETRY_MILLISECONDS = 5000
/** Upper limit of that time. */
export const QUEUE_LONGEST_RETRY_MILLISECONDS = 300_000
/** Nodes of a cluster are added and removed without notification. */
export const CLUSTER_CAPACITY_POLL_MILLISECONDS = 5000
/** Interval at which a trainer is checked. */
export const TRAINER_WATCH_MILLISECONDS = 1000
/** Maximum time for the imports of a trainer; seconds on most machines, minutes from a network drive. */
export const TRAINER_IMPORT_MILLISECONDS = 300_000
/** Maximum time for an answer of a trainer that has completed its imports. Forking takes milliseconds. */
export const TRAINER_FORK_MILLISECONDS = 10_000
/** If the system cannot fork: delay after the start of a job before the next trainer runs its imports. */
export const TRAINER_RESPAWN_MILLISECONDS = 5000
/** A trainer that was started on request writes its first heartbeat at once. */
export const FIRST_HEARTBEAT_SECONDS = 120
/** Seconds between the request to its launcher to stop a trainer and its kill, and between kills. */
export const TRAINER_TERM_SECONDS = 5
/** Time until the kill of a trainer is repeated. */
export const TRAINER_KILL_RETRY_SECONDS = 1
/** Time until the end of a job or run is stored again, after a failure. */
export const STORE_END_RETRY_MILLISECONDS = 1000
/** Interval at which trainers measure. */
export const RESOURCES_READ_MILLISECONDS = 5000
/** Poll interval of the watched jobs: a notification of stored messages can be lost. */
export const FOLLOWED_JOBS_POLL_MILLISECONDS = 1000

// Clusters
/** Time until a submission without an answer is repeated; it doubles with each repetition. */
export const RAY_FIRST_RETRY_MILLISECONDS = 500
/** Upper limit of that time. */
export const RAY_LONGEST_RETRY_MILLISECONDS = 10_000
/** Interval at which the state of a job is read. */
export const RAY_POLL_MILLISECONDS = 1000
/** Time during which a submission that Ray does not know may still arrive. */
export const RAY_ARRIVAL_MILLISECONDS = 15_000
/** Time for a response of the head. */
export const RAY_ANSWER_MILLISECONDS = 10_000
/** The first submission to a head takes seconds; it waits up to 10 s for a node with an agent. */
export const RAY_SUBMIT_MILLISECONDS = 30_000
/** If the controller is gone, the commands take about ten seconds. */
export const SLURM_COMMAND_MILLISECONDS = 30_000
/** Time during which the accounting may not yet know the end of a job that the controller has forgotten. */
export const SLURM_ACCOUNTING_MILLISECONDS = 60_000
/** Time for which nodes wait for an unreachable cluster before they fail. */
export const CLUSTER_PATIENCE_SECONDS = 30
/** Delays before the first attempts to reach the cluster. */
export const GATEWAY_FIRST_RETRIES_MILLISECONDS: readonly number[] = [0, 1000, 2000, 5000]
/** Delay before every further attempt. */
export const GATEWAY_LONGEST_RETRY_MILLISECONDS = 10_000
/** Time for the gateway to disconnect from the cluster before it is killed. */
export const GATEWAY_CLOSE_MILLISECONDS = 5000

// Workers
/** After this time without activity, others no longer wait for a process; its deadline ends it later. */
export const WORKER_STUCK_SECONDS = 10
/** Time for which a second process without a task is kept. */
export const WORKER_WARM_SECONDS = 60
/** Generous: a network file system may need a minute to answer. */
export const WORKER_INACTIVITY_SECONDS = 120
/** Time until a failed environment is probed again. */
export const PYTHON_PROBE_RETRY_SECONDS = 10

// Workflows and studies
/**
 * Interval at which states are written to the database (a node without a stored state is pending). The final states are written with the
 * end of the run, in one transaction with its other changes.
 */
export const RUN_SAVE_MILLISECONDS = 250
/** Results of nodes that are computed within this time are stored in one transaction. */
export const RESULT_COMMIT_MILLISECONDS = 10
/** A recovered run during which the service has worked for this long is not the reason why the service ends. */
export const RUN_STEADY_MILLISECONDS = 10 * 60_000
/** Time until the data of a deleted workflow is removed again, after a failure. */
export const DELETION_RETRY_MILLISECONDS = 60_000
/** A file younger than this may belong to a result that is being stored at this moment. */
export const ARTIFACT_GRACE_MILLISECONDS = 10 * 60 * 1000
/** Time for which the images that unchanged tables name are remembered after their last use. */
export const NAMED_IMAGES_MILLISECONDS = 10 * 60_000
/** Time until a study starts its next training again, after a failure. */
export const STUDY_RETRY_MILLISECONDS = 5000

// Watchers of a page
/** Changes of an item within this time are sent as one message. */
export const SERVICE_FEED_MILLISECONDS = 400
/** Interval at which the resource usage is sent. */
export const USAGE_MILLISECONDS = 5000
/** Changes are still followed for this time after the last watcher has left, because it may return. */
export const FEED_LINGER_MILLISECONDS = 60_000
/** Changes within this time are sent together. */
export const STUDY_NOTICES_MILLISECONDS = 200
/** Delay until this process detects the end of a token or login without a notification: it expired, or the notification was lost. */
export const TOKEN_CHECK_MILLISECONDS = 5000
