import type { HandlersOf } from '../http/bind.js'
import type { PredictionsService } from './predictions.service.js'

export function predictionsRoutes(service: PredictionsService): HandlersOf<'predictions'> {
  return {
    predictCases: {
      admit: ({ params, body }) => service.admit(params.model_id, body),
      isLong: ({ body }) => service.isLong(body),
      work: ({ params, query, body, actor, signal, onProgress }) => {
        // The result of a task is stored, and every user may read it.
        const identifiers = query.identifiers === 'true' && query.wait !== 'false'
        return service.predict(params.model_id, body, { actor, identifiers }, { signal, onProgress })
      },
    },
    getModelInputs: ({ params, signal }) => service.inputs(params.model_id, signal),
    previewUpload: ({ params, query, actor, signal }) =>
      service.previewUpload(params.upload_id, query.size, { actor, waits: signal }),
    listPredictions: async ({ query }) => {
      const { page_size, page_token, model_id } = query
      const { items, next_page_token } = await service.list(page_size, page_token, model_id)
      return { predictions: items, next_page_token }
    },
    getPrediction: ({ params }) => service.get(params.prediction_id),
    getPredictionFile: ({ params }) => service.file(params.prediction_id),
  }
}
