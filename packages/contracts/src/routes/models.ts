import { z } from 'zod'
import { CompareRequest, Comparison } from '../comparison.js'
import { EnsembleRequest } from '../ensembles.js'
import { ExportRequest, ModelExport } from '../export.js'
import { Checkpoint } from '../jobs/checkpoint.js'
import { JOB_FILE_TYPES } from '../jobs/job-files.js'
import { EvaluateRequest, Evaluation, ModelWithCheckpoints } from '../models.js'
import { Removal, removalQuery } from '../removal.js'
import { CARD_FORMATS } from '../report-formats.js'
import { BackboneRecord } from '../system.js'
import { waitQuery } from '../tasks.js'
import { BYTES, listOf, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'

const modelId = z.object({ model_id: z.string() })

/** Models, their evaluation, and the backbones. */
export const MODEL_ROUTES = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'models',
    access: 'read',
    owned: false,
    summary: 'List the registered models with their first checkpoints, newest first',
    query: z.object(page),
    response: listOf('models', ModelWithCheckpoints),
  },
  getModel: {
    method: 'GET',
    path: '/api/models/{model_id}',
    tag: 'models',
    access: 'read',
    owned: false,
    summary: 'Get a model with its first checkpoints',
    params: modelId,
    response: ModelWithCheckpoints,
    errors: ['MODEL_NOT_FOUND'],
  },
  listModelCheckpoints: {
    method: 'GET',
    path: '/api/models/{model_id}/checkpoints',
    tag: 'models',
    access: 'read',
    owned: false,
    summary: 'List the checkpoints of a model: the best, the last, then by epoch',
    params: modelId,
    query: z.object(page),
    response: listOf('checkpoints', Checkpoint),
    errors: ['MODEL_NOT_FOUND'],
  },
  getModelCard: {
    method: 'GET',
    path: '/api/models/{model_id}/card',
    tag: 'models',
    access: 'read',
    owned: false,
    summary:
      'Get the model card in Markdown, written from the training and its newest evaluation on a test split',
    params: modelId,
    query: z.object({
      format: z.enum(CARD_FORMATS).default('huggingface').meta({
        description:
          'huggingface: README.md of a model repository. chai: Applied Model Card of the Coalition for Health AI',
      }),
    }),
    response: BYTES,
    gives: [JOB_FILE_TYPES.md],
    errors: ['MODEL_NOT_FOUND'],
  },
  deleteModel: {
    method: 'DELETE',
    path: '/api/models/{model_id}',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: 'model',
    summary: 'Remove a model with its checkpoints and evaluations; `dry_run` reports the consequences',
    params: modelId,
    query: removalQuery,
    response: Removal,
    errors: ['MODEL_NOT_FOUND', 'MODEL_IN_USE'],
  },
  evaluateModel: {
    method: 'POST',
    path: '/api/models/{model_id}/evaluate',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Evaluate a model on a table and write a report',
    params: modelId,
    query: waitQuery,
    background: true,
    body: EvaluateRequest,
    bodyRequired: false,
    response: Evaluation,
    errors: [
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'CHECKPOINT_MISMATCH',
      'TEMPERATURE_UNAVAILABLE',
      ...TABLE_ERRORS,
      ...WORKER_ERRORS,
    ],
  },
  createEnsemble: {
    method: 'POST',
    path: '/api/models/ensemble',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: false,
    summary:
      'Combine trained models, such as those of a study, into an ensemble that averages their predictions',
    body: EnsembleRequest,
    response: ModelWithCheckpoints,
    errors: [
      'STUDY_NOT_FOUND',
      'STUDY_RUNNING',
      'JOB_NOT_FOUND',
      'MODEL_NOT_FOUND',
      'MEMBER_NOT_TRAINED',
      'MEMBERS_DIFFER',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'PATH_NOT_ALLOWED',
      ...WORKER_ERRORS,
    ],
  },
  exportModel: {
    method: 'POST',
    path: '/api/models/{model_id}/export',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: false,
    summary:
      'Export a model to a file for other software; the file is compared with the model before it is saved',
    params: modelId,
    query: waitQuery,
    background: true,
    body: ExportRequest,
    bodyRequired: false,
    response: ModelExport,
    errors: [
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'CHECKPOINT_MISMATCH',
      'PATH_NOT_ALLOWED',
      'EXPORT_UNSUPPORTED',
      ...WORKER_ERRORS,
    ],
  },
  compareModels: {
    method: 'POST',
    path: '/api/models/compare',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Evaluate several models on the same cases, compare them in pairs and write a report',
    query: waitQuery,
    background: true,
    body: CompareRequest,
    response: Comparison,
    errors: [
      'MODEL_NOT_FOUND',
      'MODELS_NOT_COMPARABLE',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      ...TABLE_ERRORS,
      ...WORKER_ERRORS,
    ],
  },
  listBackbones: {
    method: 'GET',
    path: '/api/backbones',
    tag: 'models',
    access: 'read',
    owned: false,
    summary: 'List the vision backbones and their aliases',
    response: z.object({ backbones: z.array(BackboneRecord) }),
  },
} as const satisfies Record<string, RouteDeclaration>
