/**
 * The error codes: HTTP status, meaning and remedy of each. The server and the trainer raise only these;
 * docs/reference/errors.md is generated from them.
 */
export interface ErrorDeclaration {
  readonly http: 400 | 401 | 403 | 404 | 429 | 500 | 503
  readonly meaning: string
  readonly remedy: string
}

const declare = (http: ErrorDeclaration['http'], meaning: string, remedy: string): ErrorDeclaration => ({
  http,
  meaning,
  remedy,
})

export const ERRORS = {
  // Requests
  INVALID_JSON: declare(
    400,
    'The body is not valid JSON.',
    'Send a JSON object with content-type application/json.',
  ),
  INVALID_REQUEST: declare(
    400,
    'A field of the request is missing or wrong.',
    'Correct the fields listed under issues.',
  ),
  INVALID_CONFIG: declare(
    400,
    'The training configuration is not valid.',
    'Correct the keys listed under issues.',
  ),
  UNKNOWN_FIELD: declare(400, 'The key is unknown.', 'Remove it, or use the name that the hint proposes.'),
  UNKNOWN_BACKBONE: declare(400, 'No backbone has this name.', 'Use a name listed by GET /api/backbones.'),
  PAYLOAD_TOO_LARGE: declare(
    400,
    'The body is larger than the limit.',
    'Send a smaller body; the limits are listed in docs/reference/routes.md.',
  ),
  PAYLOAD_TOO_DEEP: declare(
    400,
    'The body is nested deeper than 32 levels.',
    'Send a body with fewer levels of nesting.',
  ),
  IDEMPOTENCY_CONFLICT: declare(
    400,
    'This Idempotency-Key was used with another body.',
    'Use a new key for a new request.',
  ),
  INVALID_PAGE_TOKEN: declare(
    400,
    'This service did not issue the page token.',
    'Start again without page_token.',
  ),
  TOO_MANY_REQUESTS: declare(
    429,
    'As many requests of this caller wait as may: a caller is its token, or its address where it shows none.',
    'Wait for answers before sending more, and repeat this request after the seconds in Retry-After.',
  ),
  TOO_MANY_SOCKETS: declare(
    429,
    'As many WebSocket connections of this caller are open as may be: a caller is its token, or its address where it shows none.',
    'Close some of them; --max-sockets of the service sets the limit.',
  ),
  ROUTE_NOT_FOUND: declare(404, 'There is no route at this address.', 'See /docs for the routes.'),
  INTERNAL: declare(
    500,
    'The service failed because of a defect.',
    'Report it with the request_id and the service log.',
  ),
  // Only if several processes share one database.
  CONTROLLER_UNAVAILABLE: declare(
    503,
    'No controller answers at the moment, so the request was not carried out.',
    'Try again; where it lasts, start a process with --role controller.',
  ),
  CONTROLLER_LOST: declare(
    503,
    'The controller ended, or stopped answering, while it worked on the request; whether it was carried out is not known.',
    'Look at what the request was to change before sending it again. With an Idempotency-Key, where the route takes one, it is safe to repeat.',
  ),
  // Access. Status codes of their own exist only if a token is configured: otherwise a foreign host or page is a bad request.
  FORBIDDEN_HOST: declare(
    400,
    'The Host header is not an address of this service.',
    'Use the address that the service printed when it started, or give the service this name with --allowed-host.',
  ),
  FORBIDDEN_ORIGIN: declare(
    400,
    'A page from another origin sent this request.',
    'Send requests from the page that this service serves.',
  ),
  UNAUTHORIZED: declare(
    401,
    'A token is required.',
    'Send the header "Authorization: Bearer" with a token of the service, by MEDLOOM_TOKEN or --token-file at a terminal; in a browser, log in on its page.',
  ),
  FORBIDDEN: declare(
    403,
    'The token does not allow this.',
    'Use a token with the role that the message names, or ask an administrator of the service for one.',
  ),
  LOGIN_FAILED: declare(
    401,
    'This is not a token of the service.',
    'Copy the whole token that an administrator gave you, or the one line of the file that the service was started with: --token-file.',
  ),
  LOGIN_LIMITED: declare(
    401,
    'Too many logins from this address have failed.',
    'Wait a minute, then log in with the whole token.',
  ),
  // People
  TOKEN_NOT_FOUND: declare(404, 'The token does not exist.', 'List the tokens with GET /api/tokens.'),
  TOKEN_REVOKED: declare(400, 'The token was revoked already.', 'Nothing is left to do.'),
  FIRST_TOKEN_ADMIN: declare(
    400,
    'Nobody could administrate the service: it asks for a token from its first one on, and this one has another role.',
    'Create a token with the role admin first.',
  ),
  LAST_ADMIN_TOKEN: declare(
    400,
    'Nobody could administrate the service: this is the last token with the role admin that is good.',
    'Create another token with the role admin first, or start the service with --token-file.',
  ),
  USER_NOT_FOUND: declare(404, 'The user does not exist.', 'List the users with GET /api/users.'),
  QUOTA_EXCEEDED: declare(
    400,
    'As many jobs of this user wait as may.',
    'Wait until some have started or stop them, or ask an administrator for a larger quota.',
  ),
  // Paths
  PATH_NOT_ALLOWED: declare(
    400,
    'The path is outside the folders that requests may name.',
    'Move the file, or start the service with --root.',
  ),
  PATH_NOT_ON_NODES: declare(
    400,
    'The nodes of the cluster do not have the folder of the path.',
    'Move the file into a folder that the nodes have, or start the service with --site-root name=folder for its root.',
  ),
  FILE_NOT_FOUND: declare(
    400,
    'The file does not exist.',
    'Correct the path; relative paths start at the first root.',
  ),
  FILE_NOT_REGULAR: declare(
    400,
    'A named pipe, a socket or a device is where a file is expected.',
    'Name a regular file, or remove what is there.',
  ),
  FILE_EXISTS: declare(
    400,
    'There is a file already where an upload would put one.',
    'Choose another folder or another name; nothing is overwritten.',
  ),
  UPLOAD_NOT_FOUND: declare(
    404,
    'The upload does not exist: it is finished, was given up, or nobody went on with it for too long.',
    'Announce the file again with POST /api/uploads.',
  ),
  UPLOAD_OFFSET: declare(
    400,
    'The piece does not start where the kept bytes end.',
    'Read the offset with GET /api/uploads/{upload_id} and go on from there.',
  ),
  UPLOAD_INCOMPLETE: declare(
    400,
    'The upload has fewer bytes than were announced.',
    'Send the rest, from the offset that GET /api/uploads/{upload_id} gives.',
  ),
  UPLOAD_DIGEST: declare(
    400,
    'What has arrived is not what was announced: the digests differ.',
    'Send the file again from offset 0; if it changed meanwhile, announce it anew.',
  ),
  ATTEMPT_ENDED: declare(
    400,
    'The attempt of the job has ended, or a newer one has begun: nothing of it is taken any more.',
    'Nothing: the node ends the trainer by itself.',
  ),
  TOO_MANY_UPLOADS: declare(
    400,
    'Too many uploads are unfinished.',
    'Finish some or give them up, then announce this one again.',
  ),
  TABLE_TOO_LARGE: declare(
    400,
    'The table has more bytes or more columns than can be read.',
    'Check that the path names a table; leave out rows or columns, or use a machine with more memory.',
  ),
  OUTPUT_EXISTS: declare(
    400,
    'At the path of an output is something that Medloom did not write, that was changed since, or that a run of another user wrote.',
    'Name another path, or move away what is there.',
  ),
  OUTPUT_PATH_TAKEN: declare(
    400,
    'Two nodes of a workflow write to the same path.',
    'Give one of the nodes another path.',
  ),
  // Jobs
  JOB_NOT_FOUND: declare(404, 'The job does not exist.', 'List the jobs with GET /api/training.'),
  JOB_NOT_RUNNING: declare(400, 'The job has ended or has not started.', 'Read its status.'),
  JOB_RUNNING: declare(400, 'The job has not ended.', 'Stop it, or wait until it has ended.'),
  JOB_IN_USE: declare(
    400,
    'The job cannot be removed: something else needs its files.',
    'Remove or end first what the message names.',
  ),
  JOB_NOT_RESUMABLE: declare(
    400,
    'The job cannot be resumed.',
    'Resume a stopped or failed job that has a checkpoint.',
  ),
  CHECKPOINT_NOT_RESUMABLE: declare(
    400,
    'The checkpoint holds a model, but not the state of its training: a training cannot go on from it.',
    'Name another checkpoint of the job, or start a new training from its weights: model.fine_tune_from.',
  ),
  QUEUE_FULL: declare(
    400,
    'The queue of jobs is full.',
    'Wait until queued jobs have started, or stop some of them.',
  ),
  // Studies
  STUDY_NOT_FOUND: declare(404, 'The study does not exist.', 'List the studies with GET /api/studies.'),
  STUDY_RUNNING: declare(400, 'The study has not ended.', 'Stop it, or wait until it has ended.'),
  STUDY_NOT_RUNNING: declare(400, 'The study has ended.', 'Read its status; resume it to go on.'),
  STUDY_NOT_RESUMABLE: declare(
    400,
    'The study cannot be resumed.',
    'Resume a stopped or failed study; a completed one has nothing left to do.',
  ),
  STUDY_DATA_CHANGED: declare(
    400,
    'A table of the study was changed after the study had started.',
    'Restore the file and resume the study, or start a new study on the new data.',
  ),
  STUDY_IN_USE: declare(
    400,
    'The study cannot be removed: something else needs the files of one of its jobs.',
    'Remove or end first what the message names.',
  ),
  STUDY_INCOMPLETE: declare(
    500,
    'Some trainings of the study did not complete.',
    'Read the errors of their jobs, then resume the study: what is complete is kept.',
  ),
  STUDY_NO_RESULTS: declare(
    400,
    'The study has no results yet.',
    'Wait until it has ended with at least one complete training.',
  ),
  // Models
  MODEL_NOT_FOUND: declare(404, 'The model does not exist.', 'List the models with GET /api/models.'),
  MODEL_IN_USE: declare(
    400,
    'The model cannot be removed: something else is using it.',
    'Wait until what the message names has ended, or end it.',
  ),
  EVALUATION_NOT_FOUND: declare(
    404,
    'The evaluation does not exist, or its files are missing or damaged.',
    'List the evaluations with GET /api/evaluations.',
  ),
  COMPARISON_NOT_FOUND: declare(
    404,
    'The comparison does not exist, its first model was removed, or its files are damaged.',
    'Compare the models again with POST /api/models/compare.',
  ),
  RUN_FILE_NOT_FOUND: declare(
    404,
    'What was computed has no such file.',
    'List its files; images of failure cases exist where the evaluation was asked for them.',
  ),
  TASK_NOT_FOUND: declare(
    404,
    'The task does not exist, or is not kept any more.',
    'List the tasks with GET /api/tasks.',
  ),
  TASK_INTERRUPTED: declare(500, 'The service ended while it worked on the task.', 'Start it again.'),
  MODELS_NOT_COMPARABLE: declare(
    400,
    'The models do not predict the same thing, or do not read the same cases of the table.',
    'Compare models of one task with the same classes and the same label, on a table that all of them can read.',
  ),
  MEMBERS_DIFFER: declare(
    400,
    'The models do not answer the same question from the same inputs, so that the mean of their predictions is none.',
    'Combine models of one task with the same classes in the same order, label and kinds of input.',
  ),
  MEMBER_NOT_TRAINED: declare(
    400,
    'A member of the ensemble has no trained model: its training failed, is not complete, or its model was removed.',
    'Resume the study, or name the jobs or models that are complete.',
  ),
  CHECKPOINT_NOT_FOUND: declare(
    400,
    'There is no checkpoint at this path.',
    'List the checkpoints of the job or model.',
  ),
  CHECKPOINT_CORRUPT: declare(
    400,
    'The checkpoint is damaged: a digest does not match.',
    'Use another checkpoint of the run.',
  ),
  CHECKPOINT_MISMATCH: declare(
    400,
    'The checkpoint belongs to another model, or to a training with other data or another configuration.',
    'Use a checkpoint of this model; to go on with other data, fine-tune: model.fine_tune_from, or mode fine_tune of ResumeTraining.',
  ),
  TEMPERATURE_UNAVAILABLE: declare(
    400,
    'The probabilities cannot be calibrated: the checkpoint has no temperature.',
    'Evaluate without calibrated; the message says why there is none. A training fits one where the whole model predicts the validation cases (one network, or data.validation: split), at least 100 patients are among them, and the interval excludes 1.',
  ),
  // Data
  DATASET_NOT_FOUND: declare(404, 'The dataset does not exist.', 'List the datasets with GET /api/datasets.'),
  DATASET_IN_USE: declare(
    400,
    'The data set cannot be removed: workflows name it.',
    'Delete the workflows that the message names, or let them load another data set.',
  ),
  DATASET_EXISTS: declare(
    400,
    'Another dataset is registered at this path.',
    'Use the dataset that the message names, or remove its registration first.',
  ),
  DATASET_INVALID: declare(400, 'The dataset cannot be used.', 'Correct what the message names.'),
  DATASET_LEAK: declare(
    400,
    'A patient or an image is in two splits.',
    'Split by patient, or set data.allow_leakage (in a workflow, allow_leakage of TrainModel); the report then states the leak.',
  ),
  STUDY_CASES_DIFFER: declare(
    400,
    'The trainings of a study were not measured on the same cases.',
    'Train again what the message names: its data were changed, or its configuration leaves out rows.',
  ),
  FOLDS_IMPOSSIBLE: declare(
    400,
    'The cases cannot be divided into these folds.',
    'Use as many folds as the message allows, or another column.',
  ),
  CSV_MALFORMED: declare(
    400,
    'The CSV cannot be read unambiguously.',
    'Correct the row that the message names.',
  ),
  COLUMN_NOT_FOUND: declare(
    400,
    'The table has no column of this name.',
    'Correct the name in the configuration.',
  ),
  LABEL_NOT_FOUND: declare(400, 'No column could be identified as the label.', 'Set data.label_column.'),
  LABEL_INVALID: declare(
    400,
    'The label column cannot be used for training.',
    'Correct the rows that the message names.',
  ),
  IMAGES_UNREADABLE: declare(
    400,
    'Image files are missing or cannot be read.',
    'Restore them, remove the rows, or set data.unreadable_images to "missing".',
  ),
  IMAGE_NOT_FOUND: declare(
    404,
    'The case does not exist, or has no such image.',
    'List the cases with GET /api/datasets/{dataset_id}/cases: images says which ones each has.',
  ),
  BATCH_TOO_LARGE: declare(
    400,
    'The batch is larger than the training set.',
    'Use a smaller training.batch_size.',
  ),
  // Training
  WEIGHTS_UNAVAILABLE: declare(
    400,
    'The pretrained weights are not available.',
    'Give the path of a local safetensors file, or set model.pretrained to false.',
  ),
  MODEL_TOO_LARGE: declare(
    400,
    'The model would have too many parameters.',
    'Use a smaller hidden_dim or another fusion_type.',
  ),
  DEVICE_UNAVAILABLE: declare(
    400,
    'The device is not available.',
    'Use device "auto"; "medloom system" lists the devices.',
  ),
  OUT_OF_MEMORY: declare(500, 'The device ran out of memory.', 'Use a smaller batch_size or image_size.'),
  LOSS_NOT_FINITE: declare(
    500,
    'The loss became NaN or infinite.',
    'Lower the learning rate, set gradient_clip, or set mixed_precision to "off".',
  ),
  DISK_FULL: declare(
    500,
    'The disk is full.',
    'Free space, then resume the job, run the workflow or start the upload again; finished work is kept.',
  ),
  NODE_FOLDER_UNSAFE: declare(
    500,
    'The folder in which a node keeps the data of trainings belongs to somebody else, or others can use it.',
    'Remove the folder, or set MEDLOOM_NODE_CACHE to a folder of this user that nobody else can use (chmod 700).',
  ),
  STORAGE_FAILED: declare(
    500,
    'The disk, or the file system on it, reported an error.',
    'Check the disk and the service log. Read the state again before you repeat the request: it was carried out completely or not at all.',
  ),
  STORAGE_DENIED: declare(
    500,
    'The system does not permit to read or write a file.',
    'Give the user of the process the right to read and write what the message names, or mount it writable; a service needs no restart.',
  ),
  DATA_FOLDER_MISSING: declare(
    500,
    'The data folder is not where the service was started on it: it was moved, removed or unmounted, or another folder is in its place.',
    'Put the folder back or mount it again; jobs that wait then start by themselves, and one that failed for it can be resumed. To use another folder, restart the service with --data-dir.',
  ),
  OUTPUT_FOLDER_MISSING: declare(
    500,
    'The output folder (--output-root) is not where the service was started on it: it was moved, removed or unmounted, or another folder is in its place.',
    'Put the folder back or mount it again, then run the workflow again. To use another folder, restart the service with --output-root.',
  ),
  DATABASE_DAMAGED: declare(
    500,
    'The file of the database is damaged, or is not a database.',
    'Stop the service and restore medloom.db from a backup; the runs beside it are not lost.',
  ),
  PATH_TOO_LONG: declare(
    400,
    'A path or a part of it is longer than the file system allows.',
    'Use a shorter name, or a data folder with a shorter path.',
  ),
  TOO_MANY_FILES: declare(
    500,
    'The system does not let the service open more files.',
    'Raise the limit of open files of the service (ulimit -n, or LimitNOFILE= in its systemd unit) and restart it.',
  ),
  DATABASE_UNAVAILABLE: declare(
    503,
    'The database server (--database-url) does not answer. It is unknown whether a change that was in progress was made.',
    'Try again in a few seconds, with the Idempotency-Key of the request if it had one; without one, read the state first.',
  ),
  TRAINER_FAILED: declare(500, 'The trainer ended with an error.', 'Read the trace and the log of the job.'),
  WORKER_LOST: declare(
    500,
    'The process of the job ended without a result.',
    'Resume the job from its last checkpoint.',
  ),
  SLURM_REFUSED: declare(
    500,
    'Slurm does not accept the job: its partition, account, limits or nodes do not allow it.',
    'Correct what the message names: the device of the configuration, or the --slurm flags of the service.',
  ),
  INTERRUPTED_TOO_OFTEN: declare(
    500,
    'The cluster ended one attempt of the job after the other before it had saved a checkpoint.',
    'Give each attempt more time (--slurm-time), then resume the job.',
  ),
  WORKER_TIMEOUT: declare(
    500,
    'A worker did not respond in time.',
    'Try again; if it happens again, read the service log.',
  ),
  RUN_DIRECTORY_MISSING: declare(
    500,
    'The run directory of a job, or a file in it, was removed while the job ran.',
    'Start the job again, and leave the folders of runs alone while their jobs run.',
  ),
  CLUSTER_UNREACHABLE: declare(
    503,
    'The cluster does not respond.',
    'Check that it runs and that the service names its address and token; what waits goes on when it is back.',
  ),
  PYTHON_UNAVAILABLE: declare(
    500,
    'The Python environment of the trainer does not work.',
    'Run "medloom doctor".',
  ),
  // Workflows
  WORKFLOW_NOT_FOUND: declare(
    404,
    'The workflow does not exist.',
    'List the workflows with GET /api/workflow.',
  ),
  WORKFLOW_RUN_NOT_FOUND: declare(404, 'The run does not exist.', 'List the runs of the workflow.'),
  RESULT_NOT_FOUND: declare(
    404,
    'The node has no result in the cache.',
    'Run the workflow up to this node: medloom workflow run <workflow> --target <node>.',
  ),
  WORKFLOW_INVALID: declare(
    400,
    'The workflow has errors and cannot run.',
    'Correct the errors listed under issues.',
  ),
  WORKFLOW_CYCLE: declare(
    400,
    'The connections form a cycle.',
    'Remove one of the connections that the message names.',
  ),
  WORKFLOW_RUNNING: declare(400, 'The workflow is running.', 'Wait until the run has ended, or cancel it.'),
  WORKFLOW_NOT_RUNNING: declare(400, 'The workflow is not running.', 'Read its status.'),
  REVISION_CONFLICT: declare(
    400,
    'The workflow was changed since this revision.',
    'Read it again and repeat the change.',
  ),
  REVISION_NOT_FOUND: declare(
    404,
    'The workflow has no such revision any more.',
    'List its revisions: the newest are kept.',
  ),
  DRAFT_NOT_FOUND: declare(404, 'The workflow has no draft.', 'Read the workflow itself.'),
  FILTER_INVALID: declare(
    400,
    'The filter condition cannot be read.',
    'Correct it at the character that the message names.',
  ),
  NODE_FAILED: declare(500, 'A node ended with an error.', 'Read the message and the trace of the node.'),
  EXPORT_UNSUPPORTED: declare(
    400,
    'The model cannot be exported in this format.',
    'Choose another format or quantization.',
  ),
} as const satisfies Record<string, ErrorDeclaration>

export type ErrorCode = keyof typeof ERRORS
