import { z } from 'zod'
import { CompareRequest, Comparison } from '../comparison.js'
import { EnsembleRequest } from '../ensembles.js'
import { ExportRequest, ModelExport } from '../export.js'
import { EvaluateRequest, Evaluation, ModelWithCheckpoints } from '../models.js'
import { Removal, removalQuery } from '../removal.js'
import { BackboneRecord } from '../system.js'
import { waitQuery } from '../tasks.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'

const modelId = z.object({ model_id: z.string() })

/** Models, their evaluation, and the backbones. */
export const MODEL_ROUTES = {
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'models',
    access: 'read',
    summary: 'List the registered models with their checkpoints, newest first',
    query: z.object(page),
    response: listOf('models', ModelWithCheckpoints),
  },
  getModel: {
    method: 'GET',
    path: '/api/models/{model_id}',
    tag: 'models',
    access: 'read',
    summary: 'One model with its checkpoints',
    params: modelId,
    response: ModelWithCheckpoints,
    errors: ['MODEL_NOT_FOUND'],
  },
  deleteModel: {
    method: 'DELETE',
    path: '/api/models/{model_id}',
    tag: 'models',
    access: 'run',
    changes: true,
    owned: 'model',
    summary: 'Remove a model with its checkpoints and evaluations; `dry_run` says what would be lost',
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
    summary: 'Combine trained models, such as those of a study, to one model that predicts their mean',
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
    summary: 'Write a model to a file that other software loads, compared with the model before it is kept',
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
    summary: 'Measure several models on the same cases, compare them in pairs and write a report',
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
    summary: 'The vision backbones and their aliases',
    response: z.object({ backbones: z.array(BackboneRecord) }),
  },
} as const satisfies Record<string, RouteDeclaration>
