import { z } from 'zod'
import { CasesPreview, PreviewCasesRequest } from '../cases.js'
import {
  Dataset,
  DatasetSummary,
  EditDatasetRequest,
  ExampleDataset,
  Inspection,
  InspectRequest,
  ProposalRequest,
  RecipeProposal,
  RegisterRequest,
} from '../datasets.js'
import { ownerQuery } from '../people/users.js'
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
    access: 'read',
    owned: false,
    summary: 'List the registered datasets, newest first',
    query: z.object({ ...page, ...ownerQuery }),
    response: listOf('datasets', DatasetSummary),
  },
  registerDataset: {
    method: 'POST',
    path: '/api/datasets',
    tag: 'datasets',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Register a folder or CSV',
    body: RegisterRequest,
    response: Dataset,
    idempotent: true,
    errors: ['TASK_NOT_FOUND', ...TABLE_ERRORS, ...WORKER_ERRORS],
  },
  makeExample: {
    method: 'POST',
    path: '/api/datasets/example',
    tag: 'datasets',
    access: 'run',
    changes: true,
    owned: false,
    summary:
      'Create and register the synthetic example dataset if it does not exist, and return a training configuration for it',
    response: ExampleDataset,
    errors: [...TABLE_ERRORS, ...WORKER_ERRORS],
  },
  getDataset: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    access: 'read',
    owned: false,
    summary: 'Get a dataset',
    params: datasetId,
    response: Dataset,
    errors: ['DATASET_NOT_FOUND'],
  },
  editDataset: {
    method: 'PATCH',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    access: 'run',
    changes: true,
    owned: 'dataset',
    summary: 'Change the name, note, path, image folder, column roles or positive class of a dataset',
    params: datasetId,
    query: waitQuery,
    background: true,
    body: EditDatasetRequest,
    response: Dataset,
    errors: ['DATASET_NOT_FOUND', 'DATASET_EXISTS', ...TABLE_ERRORS, ...WORKER_ERRORS],
  },
  deleteDataset: {
    method: 'DELETE',
    path: '/api/datasets/{dataset_id}',
    tag: 'datasets',
    access: 'run',
    changes: true,
    owned: 'dataset',
    summary: 'Remove the registration of a dataset; its files are kept. `dry_run` reports the consequences',
    params: datasetId,
    query: removalQuery,
    response: Removal,
    errors: ['DATASET_NOT_FOUND', 'DATASET_IN_USE'],
  },
  inspectDataset: {
    method: 'POST',
    path: '/api/datasets/inspect',
    tag: 'datasets',
    access: 'run',
    owned: false,
    summary: 'Infer column roles and check readiness without registering',
    query: waitQuery,
    background: true,
    body: InspectRequest,
    response: Inspection,
    errors: [...TABLE_ERRORS, ...WORKER_ERRORS],
  },
  previewCases: {
    method: 'POST',
    path: '/api/datasets/preview',
    tag: 'datasets',
    access: 'run',
    owned: false,
    summary:
      'Some cases of an inspected table with their images, and the rows of the source that a recipe makes them of',
    body: PreviewCasesRequest,
    response: CasesPreview,
    errors: ['TASK_NOT_FOUND', ...TABLE_ERRORS, ...WORKER_ERRORS],
  },
  proposeRecipe: {
    method: 'POST',
    path: '/api/datasets/recipe',
    tag: 'datasets',
    access: 'run',
    owned: false,
    summary:
      'Propose the recipe that reads a folder as it is, with the evidence and the questions that remain',
    query: waitQuery,
    background: true,
    body: ProposalRequest,
    response: RecipeProposal,
    errors: [...TABLE_ERRORS, ...WORKER_ERRORS],
  },
} as const satisfies Record<string, RouteDeclaration>
