import { z } from 'zod'

/**
 * The catalog of error codes: HTTP status and remedy of each. The server and the trainer raise only what stands here;
 * docs/reference/errors.md is generated from it.
 */
export interface ErrorDeclaration {
  readonly http: 400 | 401 | 404 | 429 | 500 | 503
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
  UNKNOWN_FIELD: declare(
    400,
    'A key is not known here.',
    'Remove it, or use the name that the hint proposes.',
  ),
  UNKNOWN_BACKBONE: declare(400, 'No backbone has this name.', 'Use a name listed by GET /api/backbones.'),
  PAYLOAD_TOO_LARGE: declare(
    400,
    'The body is larger than the limit.',
    'Send less; limits are listed in the reference.',
  ),
  PAYLOAD_TOO_DEEP: declare(400, 'The body is nested deeper than 32 levels.', 'Flatten it.'),
  IDEMPOTENCY_CONFLICT: declare(
    400,
    'This Idempotency-Key was used with another body.',
    'Use a new key for a new request.',
  ),
  INVALID_PAGE_TOKEN: declare(
    400,
    'The page token is not one that this service gave.',
    'Start again without page_token.',
  ),
  ROUTE_NOT_FOUND: declare(404, 'There is nothing at this address.', 'See /docs for the addresses.'),
  INTERNAL: declare(
    500,
    'The service failed; this is a defect.',
    'Report it with the request_id and the service log.',
  ),
  // Access. Statuses of their own exist only where a token is configured: a foreign host or page is a bad request everywhere.
  FORBIDDEN_HOST: declare(
    400,
    'The Host header names an address that this service is not reached at.',
    'Use the address that the service printed.',
  ),
  FORBIDDEN_ORIGIN: declare(
    400,
    'A page from another origin sent this request.',
    'Open the page that this service serves.',
  ),
  UNAUTHORIZED: declare(
    401,
    'A token is required.',
    'Send Authorization: Bearer with the token of the service.',
  ),
  // Paths
  PATH_NOT_ALLOWED: declare(
    400,
    'The path lies outside the folders that requests may name.',
    'Move the file, or start the service with --root.',
  ),
  FILE_NOT_FOUND: declare(
    400,
    'There is no such file.',
    'Correct the path; relative paths start at the first root.',
  ),
  // Jobs
  JOB_NOT_FOUND: declare(404, 'There is no such job.', 'List the jobs with GET /api/training.'),
  JOB_NOT_RUNNING: declare(400, 'The job has ended or has not started.', 'Look at its status.'),
  JOB_NOT_RESUMABLE: declare(
    400,
    'The job cannot be resumed.',
    'Only a stopped or failed job with a checkpoint can be resumed.',
  ),
  QUEUE_FULL: declare(400, 'Too many jobs wait already.', 'Wait, or stop some.'),
  // Models
  MODEL_NOT_FOUND: declare(404, 'There is no such model.', 'List the models with GET /api/models.'),
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
    'The checkpoint belongs to another model.',
    'Use a checkpoint of this model.',
  ),
  // Data
  DATASET_NOT_FOUND: declare(404, 'There is no such data set.', 'List the data sets with GET /api/datasets.'),
  DATASET_INVALID: declare(400, 'The data set cannot be used.', 'Correct what the message names.'),
  DATASET_LEAK: declare(
    400,
    'A patient or the same image stands in two splits.',
    'Split by patient, or set data.allow_leakage, which the report will say.',
  ),
  CSV_MALFORMED: declare(
    400,
    'The CSV cannot be read without guessing.',
    'Correct the row that the message names.',
  ),
  COLUMN_NOT_FOUND: declare(400, 'The CSV has no such column.', 'Correct the name in the configuration.'),
  LABEL_NOT_FOUND: declare(400, 'No column looks like the label.', 'Set data.label_column.'),
  LABEL_INVALID: declare(
    400,
    'The label column cannot be learned.',
    'Correct the rows that the message names.',
  ),
  IMAGES_UNREADABLE: declare(
    400,
    'Image files are missing or cannot be read.',
    'Restore them, drop the rows, or set data.unreadable_images to "missing".',
  ),
  BATCH_TOO_LARGE: declare(
    400,
    'The batch is larger than the training set.',
    'Use a smaller training.batch_size.',
  ),
  // Training
  WEIGHTS_UNAVAILABLE: declare(
    400,
    'Pretrained weights are not in reach.',
    'Give the path of a local safetensors file, or set model.pretrained to false.',
  ),
  MODEL_TOO_LARGE: declare(
    400,
    'The model would be unreasonably large.',
    'Use a smaller hidden_dim or another fusion_type.',
  ),
  DEVICE_UNAVAILABLE: declare(400, 'The device is not there.', 'Use device "auto", or see medloom system.'),
  OUT_OF_MEMORY: declare(500, 'The device ran out of memory.', 'Use a smaller batch_size or image_size.'),
  LOSS_NOT_FINITE: declare(
    500,
    'The loss became NaN or infinite.',
    'Lower the learning rate, set gradient_clip, or turn mixed_precision off.',
  ),
  DISK_FULL: declare(
    500,
    'The disk is full.',
    'Free space, then resume the job or run the workflow again: what was finished is kept.',
  ),
  TRAINER_FAILED: declare(500, 'The trainer ended with an error.', 'See the trace and the log of the job.'),
  WORKER_LOST: declare(
    500,
    'The process of the job is gone and left no result.',
    'Resume the job from its last checkpoint.',
  ),
  WORKER_TIMEOUT: declare(500, 'A worker did not answer in time.', 'Try again; see the service log.'),
  PYTHON_UNAVAILABLE: declare(
    500,
    'The Python environment of the trainer does not work.',
    'Run medloom doctor.',
  ),
  // Workflows
  WORKFLOW_NOT_FOUND: declare(
    404,
    'There is no such workflow.',
    'List the workflows with GET /api/workflow.',
  ),
  WORKFLOW_RUN_NOT_FOUND: declare(404, 'There is no such run.', 'List the runs of the workflow.'),
  WORKFLOW_INVALID: declare(400, 'The workflow cannot run as it is.', 'Correct what is listed under issues.'),
  WORKFLOW_CYCLE: declare(
    400,
    'The connections form a cycle.',
    'Remove one of the connections that the message names.',
  ),
  WORKFLOW_RUNNING: declare(400, 'A run of this workflow is under way.', 'Wait for it, or cancel it.'),
  WORKFLOW_NOT_RUNNING: declare(400, 'No run of this workflow is under way.', 'Look at its status.'),
  REVISION_CONFLICT: declare(
    400,
    'The workflow was changed meanwhile.',
    'Read it again and repeat the change.',
  ),
  FILTER_INVALID: declare(
    400,
    'The filter condition cannot be read.',
    'Correct it at the character that the message names.',
  ),
  NODE_FAILED: declare(500, 'A node ended with an error.', 'See the message and the trace of the node.'),
  EXPORT_UNSUPPORTED: declare(
    400,
    'The model cannot be written in this format.',
    'Choose another format or quantization.',
  ),
} as const satisfies Record<string, ErrorDeclaration>

export type ErrorCode = keyof typeof ERRORS

export const ErrorIssue = z
  .object({
    path: z.string().meta({ description: 'Place, dotted: model.vision_backbone' }),
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
  })
  .meta({ id: 'ErrorIssue' })
export type ErrorIssue = z.infer<typeof ErrorIssue>

export const ErrorBody = z
  .object({
    error: z.string(),
    code: z.string(),
    details: z.string(),
    request_id: z.string().optional(),
    issues: z.array(ErrorIssue).optional(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
