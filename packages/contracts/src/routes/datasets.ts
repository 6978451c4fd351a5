import { z } from 'zod'
import { Dataset, DatasetSummary, Inspection, InspectRequest, RegisterRequest } from '../datasets.js'
import { Removal, removalQuery } from '../removal.js'
import { waitQuery } from '../tasks.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'

const datasetId = z.object({ dataset_id: z.string() })

/** Registered datasets. */
export const DATASET_ROUTES = {
  listDatasets: {
    method: 'GET',
    path: '/api/datasets',
    tag: 'datasets',
    summary: 'List the registered datasets, newest first',
    query: z.object(page),
    response: listOf('datasets', DatasetSummary),
  },
  registerDataset: {
    method: 'POST',
    path: '/api/datasets',
    tag: 'datasets',
    summary: 'Register a folder or CSV',
    body: RegisterRequest,
    response: Dataset,
    idempotent: true,
    errors: [...TABLE_ERRORS, ...WORKER_ERRORS],
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
  deleteDataset: {
    method: 'DELETE',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    summary: 'Remove the registration of a data set; its files stay. `dry_run` says what would be lost',
    params: datasetId,
    query: removalQuery,
    response: Removal,
    errors: ['DATASET_NOT_FOUND', 'DATASET_IN_USE'],
  },
  inspectDataset: {
    method: 'POST',
    path: '/api/datasets/inspect',
    tag: 'datasets',
    summary: 'Infer column roles and check readiness without registering',
    query: waitQuery,
    background: true,
    body: InspectRequest,
    response: Inspection,
    errors: [...TABLE_ERRORS, ...WORKER_ERRORS],
  },
} as const satisfies Record<string, RouteDeclaration>
