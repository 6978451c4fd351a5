import { z } from 'zod'
import { Dataset, Inspection, InspectRequest, RegisterRequest } from '../datasets.js'
import { JobMessage } from '../jobs/events.js'
import { Checkpoint, Job, JobResponse, LogChunk, MetricSeries, StartRequest } from '../jobs/job.js'
import { EvaluateRequest, Evaluation, Model } from '../models.js'
import { NodeCatalog } from '../nodes/index.js'
import { BackboneRecord, Health, PreparedCache, PreparedCacheCleared, Ready, SystemInfo } from '../system.js'
import {
  CacheCleared,
  CacheState,
  CreateWorkflowRequest,
  ExecuteRequest,
  PlanRequest,
  RunRecord,
  RunResponse,
  UpdateWorkflowRequest,
  WorkflowPlan,
  WorkflowRecord,
  WorkflowResponse,
  WorkflowStatus,
  WorkflowTemplate,
} from '../workflow/runs.js'
import { WORKFLOW_LIMITS, Workflow } from '../workflow/saved-workflow.js'

/** Every HTTP route: the server binds handlers to it, the client calls through it, OpenAPI is emitted from it. */

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface RouteDeclaration {
  readonly method: HttpMethod
  readonly path: string
  readonly tag: 'training' | 'models' | 'datasets' | 'workflows' | 'system'
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** False: the body may be left out. */
  readonly bodyRequired?: boolean
  /** Largest body where it is not LIMITS.body_bytes. */
  readonly bodyBytes?: number
  readonly response: z.ZodType
  /** A repeated request with the same Idempotency-Key gets the stored answer. */
  readonly idempotent?: boolean
}

const jobId = z.object({ job_id: z.string() })
const modelId = z.object({ model_id: z.string() })
const datasetId = z.object({ dataset_id: z.string() })
const workflowId = z.object({ workflow_id: z.string() })
const page = {
  page_size: z.coerce.number().int().min(1).max(1000).default(50),
  page_token: z.string().max(500).optional(),
}
const listOf = <Name extends string, Item extends z.ZodType>(name: Name, item: Item) =>
  z.object({ [name]: z.array(item), next_page_token: z.string().nullable() } as {
    [K in Name]: z.ZodArray<Item>
  } & { next_page_token: z.ZodNullable<z.ZodString> })

export const ROUTES = {
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
      status: z.enum(['started', 'running', 'completed', 'failed', 'stopped']).optional(),
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
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'models',
    summary: 'List the registered models, newest first',
    query: z.object(page),
    response: listOf('models', Model),
  },
  getModel: {
    method: 'GET',
    path: '/api/models/{model_id}',
    tag: 'models',
    summary: 'One model with its checkpoints',
    params: modelId,
    response: Model.extend({ checkpoints: z.array(Checkpoint) }),
  },
  evaluateModel: {
    method: 'POST',
    path: '/api/models/{model_id}/evaluate',
    tag: 'models',
    summary: 'Evaluate a model on a table and write a report',
    params: modelId,
    body: EvaluateRequest,
    bodyRequired: false,
    response: Evaluation,
  },
  listBackbones: {
    method: 'GET',
    path: '/api/backbones',
    tag: 'models',
    summary: 'The vision backbones and their aliases',
    response: z.object({ backbones: z.array(BackboneRecord) }),
  },
  listDatasets: {
    method: 'GET',
    path: '/api/datasets',
    tag: 'datasets',
    summary: 'List the registered data sets, newest first',
    query: z.object(page),
    response: listOf('datasets', Dataset),
  },
  registerDataset: {
    method: 'POST',
    path: '/api/datasets',
    tag: 'datasets',
    summary: 'Register a folder or CSV',
    body: RegisterRequest,
    response: Dataset,
    idempotent: true,
  },
  getDataset: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    summary: 'One data set',
    params: datasetId,
    response: Dataset,
  },
  inspectDataset: {
    method: 'POST',
    path: '/api/datasets/inspect',
    tag: 'datasets',
    summary: 'Infer column roles and check readiness without registering',
    body: InspectRequest,
    response: Inspection,
  },
  listNodes: {
    method: 'GET',
    path: '/api/nodes',
    tag: 'workflows',
    summary: 'The nodes that a workflow may place, with their ports and fields',
    response: NodeCatalog,
  },
  createWorkflow: {
    method: 'POST',
    path: '/api/workflow/create',
    tag: 'workflows',
    summary: 'Create a workflow from a saved file or a name',
    body: CreateWorkflowRequest,
    bodyBytes: WORKFLOW_LIMITS.workflow_bytes,
    response: WorkflowResponse,
    idempotent: true,
  },
  importWorkflow: {
    method: 'POST',
    path: '/api/workflow/import',
    tag: 'workflows',
    summary: 'Import a saved file as a new workflow, its execution history included',
    body: CreateWorkflowRequest,
    bodyBytes: WORKFLOW_LIMITS.workflow_bytes,
    response: WorkflowResponse,
    idempotent: true,
  },
  listWorkflows: {
    method: 'GET',
    path: '/api/workflow',
    tag: 'workflows',
    summary: 'List the workflows, newest first',
    query: z.object(page),
    response: listOf('workflows', WorkflowRecord),
  },
  listTemplates: {
    method: 'GET',
    path: '/api/workflow/templates',
    tag: 'workflows',
    summary: 'Workflows to start from',
    response: z.object({ templates: z.array(WorkflowTemplate) }),
  },
  getCache: {
    method: 'GET',
    path: '/api/workflow/cache',
    tag: 'workflows',
    summary: 'How many results are cached, and what they occupy',
    response: CacheState,
  },
  clearCache: {
    method: 'DELETE',
    path: '/api/workflow/cache',
    tag: 'workflows',
    summary: 'Forget the cached results of all workflows',
    response: CacheCleared,
  },
  getWorkflow: {
    method: 'GET',
    path: '/api/workflow/{workflow_id}',
    tag: 'workflows',
    summary: 'One workflow, and everything that is wrong with it',
    params: workflowId,
    response: WorkflowResponse,
  },
  updateWorkflow: {
    method: 'PUT',
    path: '/api/workflow/{workflow_id}',
    tag: 'workflows',
    summary: 'Replace a workflow; refused when somebody else changed it since `revision`',
    params: workflowId,
    body: UpdateWorkflowRequest,
    bodyBytes: WORKFLOW_LIMITS.workflow_bytes,
    response: WorkflowResponse,
  },
  deleteWorkflow: {
    method: 'DELETE',
    path: '/api/workflow/{workflow_id}',
    tag: 'workflows',
    summary: 'Delete a workflow with its runs, its project folder and its cached results',
    params: workflowId,
    response: z.object({ workflow_id: z.uuid() }),
  },
  executeWorkflow: {
    method: 'POST',
    path: '/api/workflow/{workflow_id}/execute',
    tag: 'workflows',
    summary: 'Run a workflow, or answer the plan of such a run',
    params: workflowId,
    body: ExecuteRequest,
    bodyRequired: false,
    response: z.union([RunResponse, WorkflowPlan]),
    idempotent: true,
  },
  planWorkflow: {
    method: 'POST',
    path: '/api/workflow/{workflow_id}/plan',
    tag: 'workflows',
    summary: 'What a run would do with every node, and why',
    params: workflowId,
    body: PlanRequest,
    bodyRequired: false,
    response: WorkflowPlan,
  },
  getWorkflowStatus: {
    method: 'GET',
    path: '/api/workflow/{workflow_id}/status',
    tag: 'workflows',
    summary: 'Status of the latest run, or of the run that is named',
    params: workflowId,
    query: z.object({ run_id: z.string().max(200).optional() }),
    response: WorkflowStatus,
  },
  listWorkflowRuns: {
    method: 'GET',
    path: '/api/workflow/{workflow_id}/runs',
    tag: 'workflows',
    summary: 'Runs of a workflow, newest first',
    params: workflowId,
    query: z.object(page),
    response: listOf('runs', RunRecord),
  },
  cancelWorkflow: {
    method: 'POST',
    path: '/api/workflow/{workflow_id}/cancel',
    tag: 'workflows',
    summary: 'Cancel the run that is under way; answers once it has ended',
    params: workflowId,
    response: RunResponse,
  },
  exportWorkflow: {
    method: 'GET',
    path: '/api/workflow/{workflow_id}/export',
    tag: 'workflows',
    summary: 'The saved file: the same bytes for the same workflow',
    params: workflowId,
    response: Workflow,
  },
  clearWorkflowCache: {
    method: 'DELETE',
    path: '/api/workflow/{workflow_id}/cache',
    tag: 'workflows',
    summary: 'Forget the cached results of a workflow, or of one of its nodes',
    params: workflowId,
    query: z.object({ node: z.string().min(1).max(200).optional() }),
    response: CacheCleared,
  },
  getSystemInfo: {
    method: 'GET',
    path: '/api/system/info',
    tag: 'system',
    summary: 'GPU, disk and versions',
    response: SystemInfo,
  },
  getHealth: {
    method: 'GET',
    path: '/api/system/health',
    tag: 'system',
    summary: 'The service runs',
    response: Health,
  },
  getReady: {
    method: 'GET',
    path: '/api/system/ready',
    tag: 'system',
    summary: 'The service can train: database, disk and Python answer',
    response: Ready,
  },
  getPreparedCache: {
    method: 'GET',
    path: '/api/system/cache',
    tag: 'system',
    summary: 'Which prepared images are kept, and what they occupy',
    response: PreparedCache,
  },
  clearPreparedCache: {
    method: 'DELETE',
    path: '/api/system/cache',
    tag: 'system',
    summary: 'Remove the prepared images that nothing uses; they are prepared again when they are needed',
    response: PreparedCacheCleared,
  },
} as const satisfies Record<string, RouteDeclaration>

export type RouteName = keyof typeof ROUTES
export type Routes = typeof ROUTES

type Part<R, K extends string, Mode extends 'in' | 'out'> = R extends {
  readonly [P in K]: infer S extends z.ZodType
}
  ? Mode extends 'in'
    ? z.input<S>
    : z.output<S>
  : Record<never, never>

/** What a caller gives (defaults may be left out). */
export interface RouteInput<N extends RouteName> {
  params: Part<Routes[N], 'params', 'in'>
  query: Part<Routes[N], 'query', 'in'>
  body: Part<Routes[N], 'body', 'in'>
}
/** What a handler receives (defaults filled in). */
export interface RouteRequest<N extends RouteName> {
  params: Part<Routes[N], 'params', 'out'>
  query: Part<Routes[N], 'query', 'out'>
  body: Part<Routes[N], 'body', 'out'>
}
export type RouteResponse<N extends RouteName> = z.output<Routes[N]['response']>

/** WebSocket addresses. */
export const SOCKETS = {
  training: '/ws/training/{job_id}',
  workflow: '/ws/workflow/{workflow_id}',
} as const

export const LIMITS = {
  body_bytes: 1024 * 1024,
  body_depth: 32,
  ...WORKFLOW_LIMITS,
  queued_jobs: 1000,
  socket_buffer_bytes: 1024 * 1024,
  socket_ping_seconds: 15,
  stop_grace_seconds: 30,
  cache_seconds: 30 * 24 * 3600,
} as const
