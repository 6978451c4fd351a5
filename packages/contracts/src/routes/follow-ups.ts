import { z } from 'zod'
import {
  CreateFollowUp,
  FollowUp,
  FollowUpEvaluation,
  FollowUpOutcomes,
  FollowUpOutcomesAdded,
  FollowUpWithCoverage,
} from '../follow-ups.js'
import { Removal, removalQuery } from '../removal.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'
import { TABLE_ERRORS, WORKER_ERRORS } from './errors.js'

const followUpId = z.object({ follow_up_id: z.string() })

/** Follow-ups of models: collected predictions and their outcomes. */
export const FOLLOW_UP_ROUTES = {
  createFollowUp: {
    method: 'POST',
    path: '/api/follow-ups',
    tag: 'follow-ups',
    access: 'run',
    changes: true,
    owned: false,
    summary: 'Create a follow-up, which collects the predictions of a model from now on',
    body: CreateFollowUp,
    response: FollowUp,
    errors: ['MODEL_NOT_FOUND'],
  },
  listFollowUps: {
    method: 'GET',
    path: '/api/follow-ups',
    tag: 'follow-ups',
    access: 'read',
    owned: false,
    summary: 'List the follow-ups, newest first',
    query: z.object({
      ...page,
      model_id: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .meta({ description: 'Only follow-ups of this model, by its id or alias' }),
    }),
    response: listOf('follow_ups', FollowUp),
  },
  getFollowUp: {
    method: 'GET',
    path: '/api/follow-ups/{follow_up_id}',
    tag: 'follow-ups',
    access: 'read',
    owned: false,
    summary: 'Get a follow-up with the numbers of its cases with and without an outcome, by time window',
    params: followUpId,
    response: FollowUpWithCoverage,
    errors: ['FOLLOW_UP_NOT_FOUND', ...WORKER_ERRORS],
  },
  addOutcomes: {
    method: 'POST',
    path: '/api/follow-ups/{follow_up_id}/outcomes',
    tag: 'follow-ups',
    access: 'run',
    changes: true,
    owned: 'follow_up',
    summary: 'Add the outcomes of a table; rows that are already stored change nothing',
    params: followUpId,
    body: FollowUpOutcomes,
    response: FollowUpOutcomesAdded,
    errors: [
      'FOLLOW_UP_NOT_FOUND',
      'OUTCOME_CONFLICT',
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      ...TABLE_ERRORS,
      ...WORKER_ERRORS,
    ],
  },
  evaluateFollowUp: {
    method: 'POST',
    path: '/api/follow-ups/{follow_up_id}/evaluation',
    tag: 'follow-ups',
    access: 'run',
    changes: true,
    owned: 'follow_up',
    summary:
      'Evaluate the outcomes that are known so far, by time window, and test for drift of inputs and calibration',
    params: followUpId,
    response: FollowUpEvaluation,
    errors: [
      'FOLLOW_UP_NOT_FOUND',
      'FOLLOW_UP_SILENT',
      'MODEL_NOT_FOUND',
      'CHECKPOINT_NOT_FOUND',
      'CHECKPOINT_CORRUPT',
      'PATH_NOT_ALLOWED',
      'DATASET_INVALID',
      ...WORKER_ERRORS,
    ],
  },
  getFollowUpEvaluation: {
    method: 'GET',
    path: '/api/follow-ups/{follow_up_id}/evaluation',
    tag: 'follow-ups',
    access: 'read',
    owned: false,
    summary: 'Get the latest evaluation of a follow-up',
    params: followUpId,
    response: FollowUpEvaluation,
    errors: ['FOLLOW_UP_NOT_FOUND', 'FOLLOW_UP_SILENT'],
  },
  closeFollowUp: {
    method: 'POST',
    path: '/api/follow-ups/{follow_up_id}/close',
    tag: 'follow-ups',
    access: 'run',
    changes: true,
    owned: 'follow_up',
    summary: 'Close a follow-up: it collects no further predictions; outcomes can still be added',
    params: followUpId,
    response: FollowUp,
    errors: ['FOLLOW_UP_NOT_FOUND', 'FOLLOW_UP_CLOSED'],
  },
  deleteFollowUp: {
    method: 'DELETE',
    path: '/api/follow-ups/{follow_up_id}',
    tag: 'follow-ups',
    access: 'run',
    changes: true,
    owned: 'follow_up',
    summary:
      'Remove a follow-up with its collected predictions and outcomes; `dry_run` reports the consequences',
    params: followUpId,
    query: removalQuery,
    response: Removal,
    errors: ['FOLLOW_UP_NOT_FOUND'],
  },
} as const satisfies Record<string, RouteDeclaration>
