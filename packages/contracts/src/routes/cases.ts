import { z } from 'zod'
import {
  CasesPage,
  CasesQuery,
  Distribution,
  DistributionQuery,
  IMAGE_TYPES,
  ImageInfo,
  ImageQuery,
  LeaksFound,
  Pictures,
  ThumbnailsRequest,
} from '../cases.js'
import { waitQuery } from '../tasks.js'
import { BYTES, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'
import { whereRequested } from './identifiers.js'

const datasetId = z.object({ dataset_id: z.string() })
const place = z.coerce.number().int().min(0).max(2_000_000_000)
const imageOfCase = z.object({ dataset_id: z.string(), row: place, image: place })

const READING_ERRORS = ['DATASET_NOT_FOUND', ...TABLE_ERRORS, ...WORKER_ERRORS] as const

/** Routes that show the content of a registered dataset. */
export const CASE_ROUTES = {
  listCases: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}/cases',
    tag: 'datasets',
    access: 'read',
    owned: false,
    identifiers: whereRequested,
    summary:
      'List, filter and sort the cases of a dataset as a training reads them; identifying values only on request',
    params: datasetId,
    query: z.object({ ...CasesQuery, ...page }),
    response: CasesPage,
    errors: [...READING_ERRORS, 'FILTER_INVALID'],
  },
  getDistribution: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}/distribution',
    tag: 'datasets',
    access: 'read',
    owned: false,
    summary:
      'Distribution of a column per split and class: a histogram for numbers, otherwise the most frequent values',
    params: datasetId,
    query: z.object(DistributionQuery),
    response: Distribution,
    errors: READING_ERRORS,
  },
  listThumbnails: {
    method: 'POST',
    path: '/api/datasets/{dataset_id}/thumbnails',
    tag: 'datasets',
    access: 'read',
    owned: false,
    summary: 'Thumbnails of many cases in one response; each missing image with the reason',
    params: datasetId,
    body: ThumbnailsRequest,
    response: Pictures,
    errors: READING_ERRORS,
  },
  findLeaks: {
    method: 'POST',
    path: '/api/datasets/{dataset_id}/leaks',
    tag: 'datasets',
    access: 'run',
    owned: false,
    summary:
      'Find leaks between splits: pairs of cases with the same patient, identical files or near-duplicate images',
    params: datasetId,
    query: waitQuery,
    background: true,
    response: LeaksFound,
    errors: READING_ERRORS,
  },
  getImage: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}/images/{row}/{image}',
    tag: 'datasets',
    access: 'read',
    owned: false,
    summary:
      'Image of a case, by row and image column: as displayed to people, or exactly as a model reads it',
    params: imageOfCase,
    query: z.object(ImageQuery),
    response: BYTES,
    gives: IMAGE_TYPES,
    errors: [...READING_ERRORS, 'IMAGE_NOT_FOUND'],
  },
  getImageInfo: {
    method: 'GET',
    path: '/api/datasets/{dataset_id}/images/{row}/{image}/info',
    tag: 'datasets',
    access: 'read',
    owned: false,
    summary: 'Properties of an image: type, size, slices, spacing and windows; no patient data',
    params: imageOfCase,
    response: ImageInfo,
    errors: [...READING_ERRORS, 'IMAGE_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
