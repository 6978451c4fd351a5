import { z } from 'zod'
import {
  Checkpoint,
  commaSeparated,
  curveQuery,
  Job,
  JobEdit,
  JobMessage,
  JobResponse,
  ListedJob,
  LogChunk,
  MAX_CURVE_JOBS,
  MetricSeries,
  StartRequest,
  TagsInUse,
} from '../jobs/index.js'
import { Removal, removalQuery } from '../removal.js'
import { listOf, type RouteDeclaration } from './declaration.js'
import { JobListQuery } from './job-list-query.js'

const jobId = z.object({ job_id: z.string() })

/** What the start of a training is refused for, beside a full queue. */
export const START_ERRORS = [
  'INVALID_CONFIG',
  'UNKNOWN_BACKBONE',
  'MODEL_NOT_FOUND',
  'JOB_NOT_FOUND',
  'JOB_RUNNING',
  'CHECKPOINT_NOT_FOUND',
  'CHECKPOINT_CORRUPT',
  'CHECKPOINT_MISMATCH',
  'PATH_NOT_ALLOWED',
  'FILE_NOT_FOUND',
  'FILE_NOT_REGULAR',
  'TABLE_TOO_LARGE',
] as const

/** Training jobs. */
export const TRAINING_ROUTES = {
  startTraining: {
    method: 'POST',
    path: '/api/training/start',
    tag: 'training',
    summary: 'Start a training job',
    body: StartRequest,
    response: JobResponse,
    idempotent: true,
    errors: [...START_ERRORS, 'QUEUE_FULL'],
  },
  listJobs: {
    method: 'GET',
    path: '/api/training',
    tag: 'training',
    summary:
      'List, search and sort the jobs; newest first, without the archived ones, unless asked otherwise',
    query: JobListQuery,
    response: listOf('jobs', ListedJob).extend({
      total: z.int().meta({ description: 'Jobs that match, on all pages' }),
    }),
  },
  listJobTags: {
    method: 'GET',
    path: '/api/training/tags',
    tag: 'training',
    summary: 'The tags of the jobs, and how many have each',
    response: TagsInUse,
  },
  getJobStatus: {
    method: 'GET',
    path: '/api/training/{job_id}/status',
    tag: 'training',
    summary: 'Status of a job',
    params: jobId,
    response: Job,
    errors: ['JOB_NOT_FOUND'],
  },
  editJob: {
    method: 'PATCH',
    path: '/api/training/{job_id}',
    tag: 'training',
    summary:
      'Change name, tags, note, pin or archive of a job, running or ended; the training goes on as it is',
    params: jobId,
    body: JobEdit,
    response: Job,
    errors: ['JOB_NOT_FOUND'],
  },
  deleteJob: {
    method: 'DELETE',
    path: '/api/training/{job_id}',
    tag: 'training',
    summary: 'Remove an ended job with its run directory; `dry_run` says what would be lost',
    params: jobId,
    query: removalQuery,
    response: Removal,
    errors: ['JOB_NOT_FOUND', 'JOB_RUNNING', 'JOB_IN_USE'],
  },
  stopJob: {
    method: 'POST',
    path: '/api/training/{job_id}/stop',
    tag: 'training',
    summary: 'Stop a job; responds when its checkpoint is saved',
    params: jobId,
    response: JobResponse,
    errors: ['JOB_NOT_FOUND', 'JOB_NOT_RUNNING'],
  },
  finishJob: {
    method: 'POST',
    path: '/api/training/{job_id}/finish',
    tag: 'training',
    summary: 'End a job after this epoch and keep the best model',
    params: jobId,
    response: JobResponse,
    errors: ['JOB_NOT_FOUND', 'JOB_NOT_RUNNING'],
  },
  resumeJob: {
    method: 'POST',
    path: '/api/training/{job_id}/resume',
    tag: 'training',
    summary: 'Continue a stopped or failed job from its last checkpoint, as a new job',
    params: jobId,
    response: JobResponse,
    idempotent: true,
    errors: [
      'JOB_NOT_FOUND',
      'JOB_NOT_RESUMABLE',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'INVALID_CONFIG',
      'PATH_NOT_ALLOWED',
      'FILE_NOT_FOUND',
      'FILE_NOT_REGULAR',
      'TABLE_TOO_LARGE',
      'QUEUE_FULL',
    ],
  },
  getJobLogs: {
    method: 'GET',
    path: '/api/training/{job_id}/logs',
    tag: 'training',
    summary: 'Part of the log, by byte offset',
    params: jobId,
    query: z.object({
      offset: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(1_048_576).default(65_536),
    }),
    response: LogChunk,
    errors: ['JOB_NOT_FOUND'],
  },
  getJobMetrics: {
    method: 'GET',
    path: '/api/training/{job_id}/metrics',
    tag: 'training',
    summary: 'Metric series of a job, or of a window of its steps, bucketed',
    params: jobId,
    query: z.object(curveQuery),
    response: MetricSeries,
    errors: ['JOB_NOT_FOUND'],
  },
  listJobMetrics: {
    method: 'GET',
    path: '/api/training/metrics',
    tag: 'training',
    summary: 'Metric series of several jobs, as they are asked for',
    query: z.object({
      jobs: commaSeparated(z.string().min(1).max(1000))
        .pipe(z.array(z.string()).min(1).max(MAX_CURVE_JOBS))
        .meta({ description: `Ids of at most ${MAX_CURVE_JOBS} jobs, with commas between them` }),
      ...curveQuery,
    }),
    response: z.object({ curves: z.array(MetricSeries) }),
    errors: ['JOB_NOT_FOUND'],
  },
  listJobEvents: {
    method: 'GET',
    path: '/api/training/{job_id}/events',
    tag: 'training',
    summary: 'Stored messages of a job after `since`',
    params: jobId,
    query: z.object({
      since: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(10_000).default(1000),
    }),
    response: z.object({ events: z.array(JobMessage), next_since: z.int() }),
    errors: ['JOB_NOT_FOUND'],
  },
  listJobCheckpoints: {
    method: 'GET',
    path: '/api/training/{job_id}/checkpoints',
    tag: 'training',
    summary: 'Checkpoints of a job',
    params: jobId,
    response: z.object({ checkpoints: z.array(Checkpoint) }),
    errors: ['JOB_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
