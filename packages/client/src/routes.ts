// Generated from packages/contracts by "npm run generate"; do not edit.

import type { HttpMethod, RouteName } from '@medloom/contracts'

/** What a call needs of a route. */
export interface PlainRoute {
  readonly method: HttpMethod
  readonly path: string
  /** Fields that go into the query. */
  readonly query?: readonly string[]
  /** Whether other fields go into a body; without one they go into the query. */
  readonly body?: true
  /** Media type of a body of bytes, which is the field content. */
  readonly takes?: string
  /** Media types of a response of bytes. */
  readonly gives?: readonly string[]
}

export const ROUTES = {
  startTraining: { method: 'POST', path: '/api/training/start', body: true },
  listJobs: { method: 'GET', path: '/api/training', query: ['page_size', 'page_token', 'view', 'q', 'tags', 'status', 'archived', 'pinned', 'study_id', 'order_by', 'order'] },
  listJobTags: { method: 'GET', path: '/api/training/tags' },
  getJobStatus: { method: 'GET', path: '/api/training/{job_id}/status' },
  editJob: { method: 'PATCH', path: '/api/training/{job_id}', body: true },
  deleteJob: { method: 'DELETE', path: '/api/training/{job_id}', query: ['dry_run'] },
  stopJob: { method: 'POST', path: '/api/training/{job_id}/stop' },
  finishJob: { method: 'POST', path: '/api/training/{job_id}/finish' },
  resumeJob: { method: 'POST', path: '/api/training/{job_id}/resume', body: true },
  getJobLogs: { method: 'GET', path: '/api/training/{job_id}/logs', query: ['offset', 'limit', 'tail'] },
  findInJobLogs: { method: 'GET', path: '/api/training/{job_id}/logs/find', query: ['q', 'ignore_case', 'limit'] },
  getJobMetrics: { method: 'GET', path: '/api/training/{job_id}/metrics', query: ['from', 'to', 'buckets', 'series', 'lineage'] },
  listJobMetrics: { method: 'GET', path: '/api/training/metrics', query: ['jobs', 'from', 'to', 'buckets', 'series', 'lineage'] },
  getJobResources: { method: 'GET', path: '/api/training/{job_id}/resources', query: ['from', 'to', 'buckets'] },
  listJobEvents: { method: 'GET', path: '/api/training/{job_id}/events', query: ['since', 'limit'] },
  listJobCheckpoints: { method: 'GET', path: '/api/training/{job_id}/checkpoints' },
  startStudy: { method: 'POST', path: '/api/studies', body: true },
  checkStudy: { method: 'POST', path: '/api/studies/check', body: true },
  listStudies: { method: 'GET', path: '/api/studies', query: ['page_size', 'page_token', 'status'] },
  getStudy: { method: 'GET', path: '/api/studies/{study_id}' },
  deleteStudy: { method: 'DELETE', path: '/api/studies/{study_id}', query: ['dry_run'] },
  stopStudy: { method: 'POST', path: '/api/studies/{study_id}/stop' },
  resumeStudy: { method: 'POST', path: '/api/studies/{study_id}/resume' },
  reportStudy: { method: 'POST', path: '/api/studies/{study_id}/report', body: true },
  listModels: { method: 'GET', path: '/api/models', query: ['page_size', 'page_token'] },
  getModel: { method: 'GET', path: '/api/models/{model_id}' },
  deleteModel: { method: 'DELETE', path: '/api/models/{model_id}', query: ['dry_run'] },
  evaluateModel: { method: 'POST', path: '/api/models/{model_id}/evaluate', query: ['wait'], body: true },
  createEnsemble: { method: 'POST', path: '/api/models/ensemble', body: true },
  exportModel: { method: 'POST', path: '/api/models/{model_id}/export', query: ['wait'], body: true },
  compareModels: { method: 'POST', path: '/api/models/compare', query: ['wait'], body: true },
  listBackbones: { method: 'GET', path: '/api/backbones' },
  listEvaluations: { method: 'GET', path: '/api/evaluations', query: ['page_size', 'page_token'] },
  listModelEvaluations: { method: 'GET', path: '/api/models/{model_id}/evaluations', query: ['page_size', 'page_token'] },
  getEvaluation: { method: 'GET', path: '/api/evaluations/{evaluation_id}' },
  listEvaluationCases: { method: 'GET', path: '/api/evaluations/{evaluation_id}/cases', query: ['page_size', 'page_token', 'truth', 'predicted', 'correct', 'subgroup', 'split', 'missing_view', 'confidence_min', 'confidence_max', 'class', 'probability_min', 'probability_max', 'threshold', 'order_by', 'order', 'identifiers'] },
  getFailureImage: { method: 'GET', path: '/api/evaluations/{evaluation_id}/failure-image', query: ['failure', 'view', 'saliency'], gives: ['image/png'] },
  getTestUses: { method: 'GET', path: '/api/test-uses', query: ['data_digest'] },
  listDatasets: { method: 'GET', path: '/api/datasets', query: ['page_size', 'page_token'] },
  registerDataset: { method: 'POST', path: '/api/datasets', body: true },
  getDataset: { method: 'GET', path: '/api/datasets/{dataset_id}' },
  deleteDataset: { method: 'DELETE', path: '/api/datasets/{dataset_id}', query: ['dry_run'] },
  inspectDataset: { method: 'POST', path: '/api/datasets/inspect', query: ['wait'], body: true },
  listCases: { method: 'GET', path: '/api/datasets/{dataset_id}/cases', query: ['split', 'class', 'patient', 'filter', 'order_by', 'order', 'columns', 'identifiers', 'page_size', 'page_token'] },
  getDistribution: { method: 'GET', path: '/api/datasets/{dataset_id}/distribution', query: ['column', 'bins', 'top'] },
  listThumbnails: { method: 'POST', path: '/api/datasets/{dataset_id}/thumbnails', body: true },
  getImage: { method: 'GET', path: '/api/datasets/{dataset_id}/images/{row}/{image}', query: ['size', 'slice', 'axis', 'window_center', 'window_width', 'as', 'image_width', 'image_height', 'view'], gives: ['image/png', 'image/jpeg'] },
  getImageInfo: { method: 'GET', path: '/api/datasets/{dataset_id}/images/{row}/{image}/info' },
  listTasks: { method: 'GET', path: '/api/tasks', query: ['page_size', 'page_token'] },
  getTask: { method: 'GET', path: '/api/tasks/{task_id}' },
  cancelTask: { method: 'POST', path: '/api/tasks/{task_id}/cancel' },
  listFiles: { method: 'GET', path: '/api/files', query: ['path', 'page_size', 'page_token'] },
  createUpload: { method: 'POST', path: '/api/uploads', body: true },
  getUpload: { method: 'GET', path: '/api/uploads/{upload_id}' },
  sendUpload: { method: 'PUT', path: '/api/uploads/{upload_id}', query: ['offset'], takes: 'application/octet-stream' },
  finishUpload: { method: 'POST', path: '/api/uploads/{upload_id}/finish' },
  deleteUpload: { method: 'DELETE', path: '/api/uploads/{upload_id}' },
  listNodes: { method: 'GET', path: '/api/nodes' },
  createWorkflow: { method: 'POST', path: '/api/workflow/create', body: true },
  importWorkflow: { method: 'POST', path: '/api/workflow/import', body: true },
  listWorkflows: { method: 'GET', path: '/api/workflow', query: ['page_size', 'page_token'] },
  listTemplates: { method: 'GET', path: '/api/workflow/templates' },
  getCache: { method: 'GET', path: '/api/workflow/cache' },
  clearCache: { method: 'DELETE', path: '/api/workflow/cache' },
  getWorkflow: { method: 'GET', path: '/api/workflow/{workflow_id}' },
  updateWorkflow: { method: 'PUT', path: '/api/workflow/{workflow_id}', body: true },
  deleteWorkflow: { method: 'DELETE', path: '/api/workflow/{workflow_id}' },
  executeWorkflow: { method: 'POST', path: '/api/workflow/{workflow_id}/execute', body: true },
  planWorkflow: { method: 'POST', path: '/api/workflow/{workflow_id}/plan', body: true },
  getWorkflowStatus: { method: 'GET', path: '/api/workflow/{workflow_id}/status', query: ['run_id'] },
  previewNode: { method: 'GET', path: '/api/workflow/{workflow_id}/preview', query: ['node', 'port', 'rows', 'images'] },
  listWorkflowRuns: { method: 'GET', path: '/api/workflow/{workflow_id}/runs', query: ['page_size', 'page_token'] },
  cancelWorkflow: { method: 'POST', path: '/api/workflow/{workflow_id}/cancel' },
  exportWorkflow: { method: 'GET', path: '/api/workflow/{workflow_id}/export' },
  clearWorkflowCache: { method: 'DELETE', path: '/api/workflow/{workflow_id}/cache', query: ['node'] },
  getSession: { method: 'GET', path: '/api/session' },
  login: { method: 'POST', path: '/api/login', body: true },
  logout: { method: 'POST', path: '/api/logout' },
  getSystemInfo: { method: 'GET', path: '/api/system/info' },
  getServiceState: { method: 'GET', path: '/api/system/state' },
  getHealth: { method: 'GET', path: '/api/system/health' },
  getReady: { method: 'GET', path: '/api/system/ready' },
  getPreparedCache: { method: 'GET', path: '/api/system/cache' },
  clearPreparedCache: { method: 'DELETE', path: '/api/system/cache' },
} as const satisfies Record<RouteName, PlainRoute>
