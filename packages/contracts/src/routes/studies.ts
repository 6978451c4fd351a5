import { z } from 'zod'
import { JOB_FILE_TYPES } from '../jobs/job-files.js'
import { ownerQuery } from '../people/users.js'
import { Removal, removalQuery } from '../removal.js'
import { REPORT_ENDINGS, REPORT_FORMATS } from '../report-formats.js'
import { StudyResults } from '../studies/results.js'
import { STUDY_STATUSES } from '../studies/status.js'
import {
  Study,
  StudyPlan,
  StudyReport,
  StudyReportRequest,
  StudyResponse,
  StudySummary,
} from '../studies/study.js'
import { StudyConfig } from '../studies/study-config.js'
import { BYTES, COLUMN_BODY, listOf, page, type RouteDeclaration } from './declaration.js'
import { DATA_ERRORS, WORKER_ERRORS } from './errors.js'
import { START_ERRORS } from './training.js'

const studyId = z.object({ study_id: z.string() })

/** Codes of a rejected study: its base and variants, their files, and impossible folds. */
const CHECK_ERRORS = [
  ...START_ERRORS,
  'FOLDS_IMPOSSIBLE',
  'BATCH_TOO_LARGE',
  'DATASET_LEAK',
  ...DATA_ERRORS,
  ...WORKER_ERRORS,
] as const

/** Studies: one question trained with several seeds, folds and variants. */
export const STUDY_ROUTES = {
  startStudy: {
    method: 'POST',
    path: '/api/studies',
    tag: 'studies',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Start a study: one training job per variant, seed and fold',
    body: StudyConfig,
    ...COLUMN_BODY,
    trains: true,
    response: StudyResponse,
    idempotent: true,
    errors: [...CHECK_ERRORS],
  },
  checkStudy: {
    method: 'POST',
    path: '/api/studies/check',
    tag: 'studies',
    access: 'run',
    owned: false,
    summary: 'Plan the trainings of a study without starting them',
    body: StudyConfig,
    ...COLUMN_BODY,
    trains: true,
    response: StudyPlan,
    errors: [...CHECK_ERRORS],
  },
  listStudies: {
    method: 'GET',
    path: '/api/studies',
    tag: 'studies',
    access: 'read',
    owned: false,
    summary: 'List the studies, newest first',
    query: z.object({ ...page, ...ownerQuery, status: z.enum(STUDY_STATUSES).optional() }),
    response: listOf('studies', StudySummary),
  },
  getStudy: {
    method: 'GET',
    path: '/api/studies/{study_id}',
    tag: 'studies',
    access: 'read',
    owned: false,
    summary: 'Get the status and results of a study',
    params: studyId,
    response: Study,
    errors: ['STUDY_NOT_FOUND'],
  },
  getStudyResults: {
    method: 'GET',
    path: '/api/studies/{study_id}/results',
    tag: 'studies',
    access: 'read',
    owned: false,
    summary:
      'Get the complete statistics of an ended study: metrics with their methods, tests, variance components and trainings',
    params: studyId,
    response: StudyResults,
    errors: ['STUDY_NOT_FOUND', 'STUDY_NO_RESULTS'],
  },
  deleteStudy: {
    method: 'DELETE',
    path: '/api/studies/{study_id}',
    tag: 'studies',
    access: 'run',
    changes: true,
    owned: 'study',
    summary: 'Remove an ended study with its jobs and their models; `dry_run` reports the consequences',
    params: studyId,
    query: removalQuery,
    response: Removal,
    errors: ['STUDY_NOT_FOUND', 'STUDY_RUNNING', 'STUDY_IN_USE'],
  },
  stopStudy: {
    method: 'POST',
    path: '/api/studies/{study_id}/stop',
    tag: 'studies',
    access: 'run',
    changes: true,
    owned: 'study',
    summary: 'Stop a study; the response is sent when its running trainings have saved their checkpoints',
    params: studyId,
    response: StudyResponse,
    errors: ['STUDY_NOT_FOUND', 'STUDY_NOT_RUNNING'],
  },
  resumeStudy: {
    method: 'POST',
    path: '/api/studies/{study_id}/resume',
    tag: 'studies',
    access: 'run',
    changes: true,
    owned: 'study',
    summary:
      'Resume a stopped or failed study: trainings continue from their checkpoints, completed trainings are kept',
    params: studyId,
    response: StudyResponse,
    idempotent: true,
    errors: [
      'STUDY_NOT_FOUND',
      'STUDY_NOT_RESUMABLE',
      'STUDY_RUNNING',
      'STUDY_DATA_CHANGED',
      'FILE_NOT_FOUND',
      'FILE_NOT_REGULAR',
      'PATH_NOT_ALLOWED',
      'PATH_NOT_ON_NODES',
    ],
  },
  getStudyReport: {
    method: 'GET',
    path: '/api/studies/{study_id}/report/{format}',
    tag: 'studies',
    access: 'read',
    owned: false,
    summary: 'Get a report of a study: an HTML page without scripts, or a file to download',
    params: studyId.extend({ format: z.enum(REPORT_FORMATS) }),
    response: BYTES,
    gives: REPORT_FORMATS.map((format) => JOB_FILE_TYPES[REPORT_ENDINGS[format]]),
    errors: ['STUDY_NOT_FOUND', 'RUN_FILE_NOT_FOUND'],
  },
  reportStudy: {
    method: 'POST',
    path: '/api/studies/{study_id}/report',
    tag: 'studies',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Write the report of a study again in the given formats',
    params: studyId,
    body: StudyReportRequest,
    bodyRequired: false,
    response: StudyReport,
    errors: ['STUDY_NOT_FOUND', 'STUDY_NO_RESULTS'],
  },
} as const satisfies Record<string, RouteDeclaration>
