import { Bytes, type HandlersOf } from '../http/bind.js'
import type { ComparisonsService } from './comparisons.service.js'
import type { EvaluationsService } from './evaluations.service.js'

export function evaluationsRoutes(
  service: EvaluationsService,
  comparisons: ComparisonsService,
): HandlersOf<'evaluations'> {
  return {
    listEvaluations: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { evaluations: items, next_page_token }
    },
    listModelEvaluations: async ({ params, query }) => {
      const { items, next_page_token } = await service.listOfModel(
        params.model_id,
        query.page_size,
        query.page_token,
      )
      return { evaluations: items, next_page_token }
    },
    getEvaluation: ({ params }) => service.document(params.evaluation_id),
    listEvaluationCases: ({ params, query }) => service.cases(params.evaluation_id, query),
    getFailureImage: async ({ params, query }) =>
      new Bytes(
        await service.failureImage(
          params.evaluation_id,
          query.failure,
          query.view,
          query.saliency === 'true',
        ),
        'image/png',
      ),
    reportEvaluation: ({ params, body }) => service.report(params.evaluation_id, body.formats),
    getComparison: ({ params }) => comparisons.document(params.comparison_id),
    listComparedCases: ({ params, query }) => comparisons.cases(params.comparison_id, query),
    getTestUses: ({ query }) => service.testUses(query.data_digest),
  }
}
