import { z } from 'zod'
import { EvaluationDocument, EvaluationRecord, TestUses } from '../evaluations.js'
import { listOf, page, type RouteDeclaration } from './declaration.js'

const evaluationId = z.object({ evaluation_id: z.string() })

/** What was measured: of models on tables, and of trainings on their own cases. */
export const EVALUATION_ROUTES = {
  listEvaluations: {
    method: 'GET',
    path: '/api/evaluations',
    tag: 'evaluations',
    summary: 'List the evaluations of all models, newest first',
    query: z.object(page),
    response: listOf('evaluations', EvaluationRecord),
  },
  listModelEvaluations: {
    method: 'GET',
    path: '/api/models/{model_id}/evaluations',
    tag: 'evaluations',
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
    summary:
      'All of an evaluation; `validation-<job_id>` and `held-out-<job_id>` are those of a training on its own cases',
    params: evaluationId,
    response: EvaluationDocument,
    errors: ['EVALUATION_NOT_FOUND'],
  },
  getTestUses: {
    method: 'GET',
    path: '/api/test-uses',
    tag: 'evaluations',
    summary: 'How often the cases of a data digest were evaluated on as test data',
    query: z.object({ data_digest: z.string().min(1).max(200) }),
    response: TestUses,
  },
} as const satisfies Record<string, RouteDeclaration>
