import { z } from 'zod'
import { IMAGE_TYPES, ImageQuery } from '../cases.js'
import {
  CasePredictions,
  ModelInputs,
  PredictionRecord,
  PredictRequest,
  predictionsQuery,
  predictQuery,
} from '../predictions.js'
import { BackgroundTask } from '../tasks.js'
import { BYTES, COLUMN_BODY, listOf, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'
import { whereRequested } from './identifiers.js'

const predictionId = z.object({ prediction_id: z.string() })

/** Predictions of models for cases without labels. */
export const PREDICTION_ROUTES = {
  predictCases: {
    method: 'POST',
    path: '/api/models/{model_id}/predict',
    tag: 'predictions',
    access: 'run',
    changes: true,
    owned: false,
    identifiers: whereRequested,
    summary: 'Predict cases without labels; the response of many cases is a task with a file',
    params: z.object({ model_id: z.string() }),
    query: predictQuery,
    background: true,
    body: PredictRequest,
    ...COLUMN_BODY,
    response: z.union([CasePredictions, BackgroundTask]),
    errors: [
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'CHECKPOINT_MISMATCH',
      'OPERATING_POINT_NOT_FOUND',
      'DATASET_NOT_FOUND',
      'UPLOAD_NOT_FOUND',
      ...TABLE_ERRORS,
      ...WORKER_ERRORS,
    ],
  },
  getModelInputs: {
    method: 'GET',
    path: '/api/models/{model_id}/inputs',
    tag: 'predictions',
    access: 'run',
    owned: false,
    summary:
      'Get the columns and images that a case of a model consists of, with their ranges and categories',
    params: z.object({ model_id: z.string() }),
    response: ModelInputs,
    errors: [
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'PATH_NOT_ALLOWED',
      ...WORKER_ERRORS,
    ],
  },
  previewUpload: {
    method: 'GET',
    path: '/api/uploads/{upload_id}/image',
    tag: 'predictions',
    access: 'run',
    owned: false,
    summary: 'Image of a finished upload of this user as displayed to people; of a volume, the middle slice',
    params: z.object({ upload_id: z.string() }),
    query: z.object({ size: ImageQuery.size }),
    response: BYTES,
    gives: IMAGE_TYPES,
    errors: ['UPLOAD_NOT_FOUND', 'IMAGES_UNREADABLE', ...WORKER_ERRORS],
  },
  listPredictions: {
    method: 'GET',
    path: '/api/predictions',
    tag: 'predictions',
    access: 'read',
    owned: false,
    summary: 'List the records of predictions, newest first; they contain no values of cases',
    query: z.object({ ...page, ...predictionsQuery }),
    response: listOf('predictions', PredictionRecord),
  },
  getPrediction: {
    method: 'GET',
    path: '/api/predictions/{prediction_id}',
    tag: 'predictions',
    access: 'read',
    owned: false,
    summary: 'Get the record of a request for predictions',
    params: predictionId,
    response: PredictionRecord,
    errors: ['PREDICTION_NOT_FOUND'],
  },
  getPredictionFile: {
    method: 'GET',
    path: '/api/predictions/{prediction_id}/file',
    tag: 'predictions',
    access: 'run',
    owned: 'prediction',
    identifiers: () => true,
    summary:
      'Download the file with the predictions of a table, folder or dataset, with the ids of its cases',
    params: predictionId,
    response: BYTES,
    gives: ['text/csv; charset=utf-8', 'application/json', 'application/octet-stream'],
    errors: ['PREDICTION_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
