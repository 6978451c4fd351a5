import { z } from 'zod'
import { Checkpoint } from '../jobs/checkpoint.js'
import { EvaluateRequest, Evaluation, Model } from '../models.js'
import { BackboneRecord } from '../system.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'
import { DATA_ERRORS, WORKER_ERRORS } from './errors.js'

const modelId = z.object({ model_id: z.string() })

/** Models, their evaluation, and the backbones. */
export const MODEL_ROUTES = {
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
    errors: ['MODEL_NOT_FOUND'],
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
    errors: [
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'CHECKPOINT_MISMATCH',
      'PATH_NOT_ALLOWED',
      'FILE_NOT_FOUND',
      ...DATA_ERRORS,
      ...WORKER_ERRORS,
    ],
  },
  listBackbones: {
    method: 'GET',
    path: '/api/backbones',
    tag: 'models',
    summary: 'The vision backbones and their aliases',
    response: z.object({ backbones: z.array(BackboneRecord) }),
  },
} as const satisfies Record<string, RouteDeclaration>
