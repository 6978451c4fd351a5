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
      'Cases of a data set, chosen and ordered, as a training reads them; identifying values only on request',
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
      'The values of one column by split and class: a histogram of numbers, else the most frequent values',
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
    summary: 'Small pictures of many cases at once, each with its problem where there is none',
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
      'Look at every image for pairs of cases by which one split knows another: the same patient, the same file, the same look',
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
      'An image of a case, by its row and the number of its column: for people, or exactly as a model sees it',
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
    summary: 'What an image of a case is: kind, size, slices, spacing, windows; nothing of the patient',
    params: imageOfCase,
    response: ImageInfo,
    errors: [...READING_ERRORS, 'IMAGE_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
