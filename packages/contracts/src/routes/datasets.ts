import { z } from 'zod'
import { Dataset, Inspection, InspectRequest, RegisterRequest } from '../datasets.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'
import { DATA_ERRORS, WORKER_ERRORS } from './errors.js'

const datasetId = z.object({ dataset_id: z.string() })

/** Registered datasets. */
export const DATASET_ROUTES = {
  listDatasets: {
    method: 'GET',
    path: '/api/datasets',
    tag: 'datasets',
    summary: 'List the registered datasets, newest first',
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
    errors: ['PATH_NOT_ALLOWED', 'FILE_NOT_FOUND', ...DATA_ERRORS, ...WORKER_ERRORS],
  },
  getDataset: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    summary: 'One dataset',
    params: datasetId,
    response: Dataset,
    errors: ['DATASET_NOT_FOUND'],
  },
  inspectDataset: {
    method: 'POST',
    path: '/api/datasets/inspect',
    tag: 'datasets',
    summary: 'Infer column roles and check readiness without registering',
    body: InspectRequest,
    response: Inspection,
    errors: ['PATH_NOT_ALLOWED', 'FILE_NOT_FOUND', ...DATA_ERRORS, ...WORKER_ERRORS],
  },
} as const satisfies Record<string, RouteDeclaration>
