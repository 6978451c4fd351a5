import { z } from 'zod'
import { ComparedCase, ComparisonDocument, comparedCaseQuery } from '../comparison.js'
import { caseQuery, EvaluationCase } from '../evaluation-cases.js'
import {
  EvaluationDocument,
  EvaluationRecord,
  EvaluationReport,
  EvaluationReportRequest,
  TestUses,
} from '../evaluations.js'
import { BYTES, listOf, page, type RouteDeclaration } from './declaration.js'
import { whereRequested } from './identifiers.js'

const evaluationId = z.object({ evaluation_id: z.string() })
const comparisonId = z.object({ comparison_id: z.string() })

/** Evaluations of models on tables, and of trainings on their own cases. */
export const EVALUATION_ROUTES = {
  listEvaluations: {
    method: 'GET',
    path: '/api/evaluations',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary: 'List the evaluations of all models, newest first',
    query: z.object(page),
    response: listOf('evaluations', EvaluationRecord),
  },
  listModelEvaluations: {
    method: 'GET',
    path: '/api/models/{model_id}/evaluations',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary: 'List the evaluations of a model, newest first',
    params: z.object({ model_id: z.string() }),
    query: z.object(page),
    response: listOf('evaluations', EvaluationRecord),
    errors: ['MODEL_NOT_FOUND'],
  },
  getEvaluation: {
    method: 'GET',
    path: '/api/evaluations/{evaluation_id}',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary:
      'Get an evaluation; `validation-<job_id>` and `held-out-<job_id>` are the evaluations of a training on its own cases',
    params: evaluationId,
    response: EvaluationDocument,
    errors: ['EVALUATION_NOT_FOUND'],
  },
  listEvaluationCases: {
    method: 'GET',
    path: '/api/evaluations/{evaluation_id}/cases',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    identifiers: whereRequested,
    summary: 'List the cases of an evaluation by truth, prediction, group, confidence or loss, in pages',
    params: evaluationId,
    query: z.object({ ...page, ...caseQuery }),
    response: listOf('cases', EvaluationCase).extend({
      total: z.int().meta({ description: 'Number of matching cases on all pages' }),
    }),
    errors: ['EVALUATION_NOT_FOUND'],
  },
  getFailureImage: {
    method: 'GET',
    path: '/api/evaluations/{evaluation_id}/failure-image',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary: 'Image of a failure case as the model reads it, if the evaluation was requested with images',
    params: evaluationId,
    query: z.object({
      failure: z.coerce.number().int().min(0).default(0),
      view: z.coerce.number().int().min(1).default(1),
      saliency: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'true: with the saliency map' }),
    }),
    response: BYTES,
    gives: ['image/png'],
    errors: ['EVALUATION_NOT_FOUND', 'RUN_FILE_NOT_FOUND'],
  },
  reportEvaluation: {
    method: 'POST',
    path: '/api/evaluations/{evaluation_id}/report',
    tag: 'evaluations',
    access: 'run',
    changes: true,
    owned: false,
    summary:
      'Write the report of an evaluation again in the given formats; for a training on its own cases, the report of the run',
    params: evaluationId,
    body: EvaluationReportRequest,
    bodyRequired: false,
    response: EvaluationReport,
    errors: ['EVALUATION_NOT_FOUND'],
  },
  getComparison: {
    method: 'GET',
    path: '/api/comparisons/{comparison_id}',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary: 'Get a comparison of several models on the same cases',
    params: comparisonId,
    response: ComparisonDocument,
    errors: ['COMPARISON_NOT_FOUND'],
  },
  listComparedCases: {
    method: 'GET',
    path: '/api/comparisons/{comparison_id}/cases',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    identifiers: whereRequested,
    summary:
      'List the predictions of two models of a comparison for each case, by which of the two is correct, in pages',
    params: comparisonId,
    query: z.object({ ...page, ...comparedCaseQuery }),
    response: listOf('cases', ComparedCase).extend({
      total: z.int().meta({ description: 'Number of matching cases on all pages' }),
    }),
    errors: ['COMPARISON_NOT_FOUND', 'MODEL_NOT_FOUND'],
  },
  getTestUses: {
    method: 'GET',
    path: '/api/test-uses',
    tag: 'evaluations',
    access: 'read',
    owned: false,
    summary: 'Number of evaluations that used the cases of a data digest as test data',
    query: z.object({ data_digest: z.string().min(1).max(200) }),
    response: TestUses,
  },
} as const satisfies Record<string, RouteDeclaration>
