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
    'This caller has too many requests in progress. Requests are counted per token, or per address without a token.',
    'Wait for responses before you send more, and repeat this request after the number of seconds in Retry-After.',
  ),
  TOO_MANY_SOCKETS: declare(
    429,
    'This caller has too many open WebSocket connections. Connections are counted per token, or per address without a token.',
    'Close some of them. The flag --max-sockets of the service sets the limit.',
  ),
  ROUTE_NOT_FOUND: declare(404, 'There is no route at this address.', 'See /docs for the routes.'),
  INTERNAL: declare(
    500,
    'The service failed because of a defect.',
    'Report it with the request_id and the service log.',
  ),
  // Returned only if several processes share one database.
  CONTROLLER_UNAVAILABLE: declare(
    503,
    'No controller responds at the moment, so the request was not carried out.',
    'Try again. If the error persists, start a process with --role controller.',
  ),
  CONTROLLER_LOST: declare(
    503,
    'The controller ended or stopped responding during the request. It is unknown whether the request was carried out.',
    'Read the current state before you repeat the request. A request with an Idempotency-Key can be repeated safely if the route accepts that header.',
  ),
  // Access. The statuses 401 and 403 exist only if a token is configured; a foreign host or origin is a bad request.
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
    'In a browser, log in on the page of the service. At a terminal, set MEDLOOM_TOKEN or --token-file. A program sends the header "Authorization: Bearer" with the token.',
  ),
  FORBIDDEN: declare(
    403,
    'The token does not allow this.',
    'Use a token with the role that the message names, or ask an administrator of the service for one.',
  ),
  LOGIN_FAILED: declare(
    401,
    'This is not a token of the service.',
    'Copy the whole token that an administrator gave you, or the single line of the file that the service was started with (--token-file).',
  ),
  LOGIN_LIMITED: declare(
    401,
    'Too many logins from this address have failed.',
    'Wait a minute, then log in with the whole token.',
  ),
  // People
  TOKEN_NOT_FOUND: declare(404, 'The token does not exist.', 'List the tokens with GET /api/tokens.'),
  TOKEN_REVOKED: declare(400, 'The token is already revoked.', 'No action is needed.'),
  FIRST_TOKEN_ADMIN: declare(
    400,
    'The first token must have the role admin. Once a token exists, every request requires one, and without a token with the role admin nobody could administer the service.',
    'Create a token with the role admin first.',
  ),
  LAST_ADMIN_TOKEN: declare(
    400,
    'This is the last active token with the role admin. Without it, nobody could administer the service.',
    'Create another token with the role admin first, or start the service with --token-file.',
  ),
  USER_NOT_FOUND: declare(404, 'The user does not exist.', 'List the users with GET /api/users.'),
  QUOTA_EXCEEDED: declare(
    400,
    "The user's quota of queued jobs is reached.",
    'Wait until some of the jobs have started, stop some of them, or ask an administrator for a larger quota.',
  ),
  // Paths
  PATH_NOT_ALLOWED: declare(
    400,
    'The path is outside the folders that requests can access.',
    'Move the file into one of these folders, or start the service with --root for its folder.',
  ),
  PATH_NOT_ON_NODES: declare(
    400,
    'The folder of the path is not available on the nodes of the cluster.',
    'Move the file into a folder that is available on the nodes, or start the service with --site-root name=folder for its root.',
  ),
  FILE_NOT_FOUND: declare(
    400,
    'The file does not exist.',
    'Correct the path; relative paths start at the first root.',
  ),
  FILE_NOT_REGULAR: declare(
    400,
    'The path names a named pipe, a socket or a device instead of a regular file.',
    'Use the path of a regular file, or remove the object at this path.',
  ),
  FILE_EXISTS: declare(
    400,
    'A file already exists at the destination of the upload.',
    'Choose another folder or another name. Uploads do not overwrite files.',
  ),
  UPLOAD_NOT_FOUND: declare(
    404,
    'The upload does not exist: it is finished, was canceled or has expired.',
    'Start the upload again with POST /api/uploads.',
  ),
  UPLOAD_OFFSET: declare(
    400,
    'The chunk does not start at the end of the bytes received so far.',
    'Read the offset with GET /api/uploads/{upload_id} and continue from there.',
  ),
  UPLOAD_INCOMPLETE: declare(
    400,
    'The upload has fewer bytes than its declared size.',
    'Send the remaining bytes, from the offset that GET /api/uploads/{upload_id} returns.',
  ),
  UPLOAD_DIGEST: declare(
    400,
    'The digest of the received bytes differs from the declared digest.',
    'Send the file again from offset 0. If the file has changed, start a new upload.',
  ),
  ATTEMPT_ENDED: declare(
    400,
    'The attempt of the job has ended, or a newer attempt has started. The service no longer accepts data from this attempt.',
    'No action is needed: the node stops the trainer.',
  ),
  TOO_MANY_UPLOADS: declare(
    400,
    'Too many uploads are unfinished.',
    'Finish or cancel some of them, then start this one again.',
  ),
  TABLE_TOO_LARGE: declare(
    400,
    'The table exceeds the limit of bytes or columns.',
    'Check that the path names a table. Remove rows or columns, or use a machine with more memory.',
  ),
  OUTPUT_EXISTS: declare(
    400,
    'A file already exists at the path of an output, and Medloom does not overwrite it: Medloom did not write it, it was changed since, or a run of another user wrote it.',
    'Choose another path, or move the existing file.',
  ),
  OUTPUT_PATH_TAKEN: declare(
    400,
    'Two nodes of a workflow write to the same path.',
    'Give one of the nodes another path.',
  ),
  // Jobs
  JOB_NOT_FOUND: declare(404, 'The job does not exist.', 'List the jobs with GET /api/training.'),
  JOB_NOT_RUNNING: declare(400, 'The job has ended or has not started.', 'Read its status.'),
  JOB_RUNNING: declare(400, 'The job has not ended.', 'Stop it, or wait until it ends.'),
  JOB_IN_USE: declare(
    400,
    'The job cannot be removed because its files are in use.',
    'First remove or stop the items that the message names.',
  ),
  JOB_NOT_RESUMABLE: declare(
    400,
    'The job cannot be resumed.',
    'Resume a stopped or failed job that has a checkpoint.',
  ),
  CHECKPOINT_NOT_RESUMABLE: declare(
    400,
    'The checkpoint contains a model but no training state, so training cannot continue from it.',
    'Use another checkpoint of the job, or start a new training from these weights with model.fine_tune_from.',
  ),
  QUEUE_FULL: declare(
    400,
    'The job queue is full.',
    'Wait until queued jobs have started, or stop some of them.',
  ),
  // Studies
  STUDY_NOT_FOUND: declare(404, 'The study does not exist.', 'List the studies with GET /api/studies.'),
  STUDY_RUNNING: declare(400, 'The study has not ended.', 'Stop it, or wait until it ends.'),
  STUDY_NOT_RUNNING: declare(
    400,
    'The study has ended.',
    'Read its status. Resume the study to continue it.',
  ),
  STUDY_NOT_RESUMABLE: declare(
    400,
    'The study cannot be resumed.',
    'Only a stopped or failed study can be resumed. A completed study has no remaining trainings.',
  ),
  STUDY_DATA_CHANGED: declare(
    400,
    'A table of the study has changed since the study started.',
    'Restore the file and resume the study, or start a new study on the new data.',
  ),
  STUDY_IN_USE: declare(
    400,
    'The study cannot be removed because files of its jobs are in use.',
    'First remove or stop the items that the message names.',
  ),
  STUDY_INCOMPLETE: declare(
    500,
    'Some trainings of the study did not complete.',
    'Read the errors of their jobs, then resume the study. Completed trainings are kept.',
  ),
  STUDY_NO_RESULTS: declare(
    400,
    'The study has no results yet.',
    'Wait until the study ends with at least one completed training.',
  ),
  // Models
  MODEL_NOT_FOUND: declare(404, 'The model does not exist.', 'List the models with GET /api/models.'),
  ALIAS_NOT_FOUND: declare(
    404,
    'The alias does not exist, or did not exist at that time.',
    'List the aliases with GET /api/aliases.',
  ),
  MODEL_IN_USE: declare(
    400,
    'The model cannot be removed because it is in use.',
    'Stop the work that the message names, or wait until it ends.',
  ),
  EVALUATION_NOT_FOUND: declare(
    404,
    'The evaluation does not exist, or its files are missing or damaged.',
    'List the evaluations with GET /api/evaluations.',
  ),
  PREDICTION_NOT_FOUND: declare(
    404,
    'The prediction does not exist, has no file, or was removed because of its age.',
    'List the predictions with GET /api/predictions, or predict again.',
  ),
  FOLLOW_UP_NOT_FOUND: declare(
    404,
    'The follow-up does not exist, or has not been evaluated yet.',
    'List the follow-ups with GET /api/follow-ups, or evaluate it.',
  ),
  FOLLOW_UP_SILENT: declare(
    400,
    'A silent follow-up hides the predictions of its model, and its results, until it is closed; only its owner and administrators can read the results.',
    'Close the follow-up at the end of the study, or ask its owner.',
  ),
  FOLLOW_UP_CLOSED: declare(400, 'The follow-up is already closed.', 'Create a new follow-up of the model.'),
  OUTCOME_CONFLICT: declare(
    400,
    'The table contradicts stored outcomes, or has different outcomes for the same id.',
    'Correct the rows that the message names; to replace stored outcomes, set replace to true.',
  ),
  COMPARISON_NOT_FOUND: declare(
    404,
    'The comparison does not exist, its first model was removed, or its files are damaged.',
    'Compare the models again with POST /api/models/compare.',
  ),
  RUN_FILE_NOT_FOUND: declare(
    404,
    'The result has no file with this name.',
    'List the files of the result. Images of failure cases exist only if the evaluation was requested with them.',
  ),
  TASK_NOT_FOUND: declare(
    404,
    'The task does not exist or has expired.',
    'List the tasks with GET /api/tasks.',
  ),
  TASK_INTERRUPTED: declare(500, 'The service stopped while the task was running.', 'Start the task again.'),
  MODELS_NOT_COMPARABLE: declare(
    400,
    'The models predict different labels, or they read different cases of the table.',
    'Compare models with the same task, classes and label, on a table that all of them can read.',
  ),
  MEMBERS_DIFFER: declare(
    400,
    'The models differ in task, classes, label or kinds of input, so their predictions cannot be averaged.',
    'Combine models with the same task, label, kinds of input and order of classes.',
  ),
  MEMBER_NOT_TRAINED: declare(
    400,
    'A member of the ensemble has no trained model: its training failed or is not complete, or its model was removed.',
    'Resume the study, or use completed jobs or existing models.',
  ),
  CHECKPOINT_NOT_FOUND: declare(
    400,
    'There is no checkpoint at this path.',
    'List the checkpoints of the job or model.',
  ),
  CHECKPOINT_CORRUPT: declare(
    400,
    'The checkpoint is damaged: a digest does not match the file.',
    'Use another checkpoint of the run.',
  ),
  CHECKPOINT_MISMATCH: declare(
    400,
    'The checkpoint belongs to another model, or to a training with other data or another configuration.',
    'Use a checkpoint of this model. To train on other data, fine-tune the model with model.fine_tune_from, or with mode fine_tune of ResumeTraining.',
  ),
  TEMPERATURE_UNAVAILABLE: declare(
    400,
    'The probabilities cannot be calibrated: the checkpoint has no temperature.',
    'Evaluate without the option calibrated; the message gives the reason. A training fits a temperature only if the whole model predicts the validation cases (one network, or data.validation: split), these cases come from at least 100 patients, and the 95% CI of the temperature excludes 1.',
  ),
  OPERATING_POINT_NOT_FOUND: declare(
    400,
    'The model has no operating point with this name.',
    'Use one of the names that the message lists, or none for the decision threshold of the training.',
  ),
  CASE_VALUE_MISSING: declare(
    400,
    'A case lacks a value or an image that the model requires.',
    'Provide the value.',
  ),
  CASE_ROW_MALFORMED: declare(
    400,
    'A row of a table with new cases is not a case: its number of fields differs from the header, it is a footnote or a summary, or it repeats the column names.',
    'Correct or remove the row. The other cases are predicted.',
  ),
  CASE_VALUE_INVALID: declare(400, 'A value of a case cannot be read.', 'Correct the value.'),
  // Data
  DATASET_NOT_FOUND: declare(404, 'The dataset does not exist.', 'List the datasets with GET /api/datasets.'),
  DATASET_IN_USE: declare(
    400,
    'The dataset cannot be removed because workflows use it.',
    'Delete the workflows that the message names, or choose another dataset in them.',
  ),
  DATASET_EXISTS: declare(
    400,
    'Another dataset is registered at this path.',
    'Use the dataset that the message names, or remove its registration first.',
  ),
  DATASET_INVALID: declare(
    400,
    'The dataset cannot be used.',
    'Correct the problem that the message describes.',
  ),
  DATASET_LEAK: declare(
    400,
    'A patient or an image is in two splits.',
    'Split by patient. To train anyway, set data.allow_leakage (in a workflow, allow_leakage of TrainModel); the report then states the leak.',
  ),
  STUDY_CASES_DIFFER: declare(
    400,
    'The trainings of a study were evaluated on different cases.',
    'Repeat the trainings that the message names: their data changed, or their configuration excludes rows.',
  ),
  FOLDS_IMPOSSIBLE: declare(
    400,
    'The cases cannot be divided into these folds.',
    'Use the number of folds that the message allows, or another column.',
  ),
  CSV_MALFORMED: declare(
    400,
    'The CSV cannot be read unambiguously.',
    'Correct the row that the message names.',
  ),
  COLUMN_NOT_FOUND: declare(
    400,
    'The table has no column with this name.',
    'Correct the name in the configuration, or the header of the table.',
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
    'Restore the files, remove their rows, or set data.unreadable_images to "missing".',
  ),
  IMAGE_NOT_FOUND: declare(
    404,
    'The case does not exist or does not have this image.',
    'List the cases with GET /api/datasets/{dataset_id}/cases; the field images lists the images of each case.',
  ),
  BATCH_TOO_LARGE: declare(
    400,
    'The batch is larger than the training dataset.',
    'Use a smaller training.batch_size.',
  ),
  // Training
  WEIGHTS_UNAVAILABLE: declare(
    400,
    'The pretrained weights are not available.',
    'Set model.pretrained to the path of a local safetensors file, or to false.',
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
    'Free disk space. Then resume the job, run the workflow again or start the upload again; finished work is kept.',
  ),
  NODE_FOLDER_UNSAFE: declare(
    500,
    'The folder in which a node stores training data belongs to another user, or other users can access it.',
    'Remove the folder, or set MEDLOOM_NODE_CACHE to a folder of this user that no other user can access (chmod 700).',
  ),
  STORAGE_FAILED: declare(
    500,
    'The disk, or the file system on it, reported an error.',
    'Check the disk and the service log. Read the state before you repeat the request: it was carried out completely or not at all.',
  ),
  STORAGE_DENIED: declare(
    500,
    'The operating system denied access to a file.',
    'Give the user of the process read and write permission for the path that the message names, or mount it writable. The service does not need a restart.',
  ),
  DATA_FOLDER_MISSING: declare(
    500,
    'The data folder with which the service was started is missing: it was moved, removed, unmounted or replaced by another folder.',
    'Restore the folder or mount it again. Queued jobs then start automatically, and a job that failed can be resumed. To use another folder, restart the service with --data-dir.',
  ),
  OUTPUT_FOLDER_MISSING: declare(
    500,
    'The output folder (--output-root) with which the service was started is missing: it was moved, removed, unmounted or replaced by another folder.',
    'Restore the folder or mount it again, then run the workflow again. To use another folder, restart the service with --output-root.',
  ),
  DATABASE_DAMAGED: declare(
    500,
    'The database file is damaged or is not a database.',
    'Stop the service and restore medloom.db from a backup. The runs in the data folder are not affected.',
  ),
  PATH_TOO_LONG: declare(
    400,
    'A path, or a name in it, is longer than the file system allows.',
    'Use a shorter name, or a data folder with a shorter path.',
  ),
  TOO_MANY_FILES: declare(
    500,
    'The service has reached the limit of open files.',
    'Raise the limit (ulimit -n, or LimitNOFILE= in the systemd unit) and restart the service.',
  ),
  DATABASE_UNAVAILABLE: declare(
    503,
    'The database server (--database-url) does not respond. It is unknown whether a change in progress was saved.',
    'Try again in a few seconds with the same Idempotency-Key. Without a key, read the state before you repeat the request.',
  ),
  TRAINER_FAILED: declare(
    500,
    'The trainer ended with an error.',
    'Read the stack trace and the log of the job.',
  ),
  WORKER_LOST: declare(
    500,
    'The process of the job ended without a result.',
    'Resume the job from its last checkpoint.',
  ),
  SLURM_REFUSED: declare(
    500,
    'Slurm rejected the job because of its partition, account, limits or nodes.',
    'Correct the setting that the message names: the device of the configuration, or the --slurm flags of the service.',
  ),
  INTERRUPTED_TOO_OFTEN: declare(
    500,
    'The cluster ended several attempts of the job before a checkpoint was saved.',
    'Give each attempt more time (--slurm-time), then resume the job.',
  ),
  WORKER_TIMEOUT: declare(
    500,
    'A worker process did not respond in time.',
    'Try again; if it happens again, read the service log.',
  ),
  RUN_DIRECTORY_MISSING: declare(
    500,
    'The run directory of a job, or a file in it, was removed while the job ran.',
    'Start the job again. Do not change the run directory of a job while the job runs.',
  ),
  CLUSTER_UNREACHABLE: declare(
    503,
    'The cluster does not respond.',
    'Check that the cluster runs, and that the address and the token in the settings of the service are correct. Queued work continues when the cluster responds again.',
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
  WORKFLOW_RUNNING: declare(400, 'The workflow is running.', 'Wait until the run ends, or cancel it.'),
  WORKFLOW_NOT_RUNNING: declare(400, 'The workflow is not running.', 'Read its status.'),
  REVISION_CONFLICT: declare(
    400,
    'The workflow has changed since this revision.',
    'Read the workflow again and repeat the change.',
  ),
  REVISION_NOT_FOUND: declare(
    404,
    'The revision does not exist or was deleted.',
    'List the revisions of the workflow. Only the newest revisions are kept.',
  ),
  DRAFT_NOT_FOUND: declare(404, 'The workflow has no draft.', 'Read the workflow itself.'),
  FILTER_INVALID: declare(
    400,
    'The filter condition cannot be read.',
    'Correct it at the character that the message names.',
  ),
  NODE_FAILED: declare(
    500,
    'A node ended with an error.',
    'Read the message and the stack trace of the node.',
  ),
  EXPORT_UNSUPPORTED: declare(
    400,
    'The model cannot be exported in this format.',
    'Choose another format or quantization.',
  ),
} as const satisfies Record<string, ErrorDeclaration>

export type ErrorCode = keyof typeof ERRORS
