import { z } from 'zod'
import {
  Checkpoint,
  JOB_STATUSES,
  Job,
  JobMessage,
  JobResponse,
  LogChunk,
  MetricSeries,
  StartRequest,
} from '../jobs/index.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'

const jobId = z.object({ job_id: z.string() })

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
  },
  listJobs: {
    method: 'GET',
    path: '/api/training',
    tag: 'training',
    summary: 'List the jobs, newest first',
    query: z.object({
      ...page,
      status: z.enum(JOB_STATUSES).optional(),
    }),
    response: listOf('jobs', Job),
  },
  getJobStatus: {
    method: 'GET',
    path: '/api/training/{job_id}/status',
    tag: 'training',
    summary: 'Status of a job',
    params: jobId,
    response: Job,
  },
  stopJob: {
    method: 'POST',
    path: '/api/training/{job_id}/stop',
    tag: 'training',
    summary: 'Stop a job; answers once its checkpoint is saved',
    params: jobId,
    response: JobResponse,
  },
  finishJob: {
    method: 'POST',
    path: '/api/training/{job_id}/finish',
    tag: 'training',
    summary: 'End a job after this epoch and keep the best model',
    params: jobId,
    response: JobResponse,
  },
  resumeJob: {
    method: 'POST',
    path: '/api/training/{job_id}/resume',
    tag: 'training',
    summary: 'Continue a stopped or failed job from its last checkpoint, as a new job',
    params: jobId,
    response: JobResponse,
    idempotent: true,
  },
  getJobLogs: {
    method: 'GET',
    path: '/api/training/{job_id}/logs',
    tag: 'training',
    summary: 'A piece of the log, by byte offset',
    params: jobId,
    query: z.object({
      offset: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(1_048_576).default(65_536),
    }),
    response: LogChunk,
  },
  getJobMetrics: {
    method: 'GET',
    path: '/api/training/{job_id}/metrics',
    tag: 'training',
    summary: 'Metric series of a job, bucketed',
    params: jobId,
    query: z.object({ buckets: z.coerce.number().int().min(1).max(5000).default(500) }),
    response: MetricSeries,
  },
  listJobEvents: {
    method: 'GET',
    path: '/api/training/{job_id}/events',
    tag: 'training',
    summary: 'Kept messages of a job that follow `since`',
    params: jobId,
    query: z.object({
      since: z.coerce.number().int().min(0).default(0),
      limit: z.coerce.number().int().min(1).max(10_000).default(1000),
    }),
    response: z.object({ events: z.array(JobMessage), next_since: z.int() }),
  },
  listJobCheckpoints: {
    method: 'GET',
    path: '/api/training/{job_id}/checkpoints',
    tag: 'training',
    summary: 'Checkpoints of a job',
    params: jobId,
    response: z.object({ checkpoints: z.array(Checkpoint) }),
  },
} as const satisfies Record<string, RouteDeclaration>
