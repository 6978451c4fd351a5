import { BACKBONES } from '@medloom/contracts'
import type { HandlersOf } from '../http/bind.js'
import type { ModelCards } from './model-cards.js'
import type { ModelsService } from './models.service.js'

export function modelsRoutes(service: ModelsService, cards: ModelCards): HandlersOf<'models'> {
  return {
    listModels: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { models: items, next_page_token }
    },
    getModel: ({ params }) => service.get(params.model_id),
    listModelCheckpoints: ({ params, query }) =>
      service.checkpoints(params.model_id, query.page_size, query.page_token),
    getModelCard: ({ params, query }) => cards.get(params.model_id, query.format),
    deleteModel: ({ params, query }) => service.remove(params.model_id, query.dry_run === 'true'),
    evaluateModel: {
      admit: ({ params }) => service.get(params.model_id),
      work: ({ params, body, signal, onProgress }) =>
        service.evaluate(params.model_id, body, { signal, onProgress }),
    },
    createEnsemble: ({ body, actor, signal }) => service.combine(body, { owner: actor.user, signal }),
    exportModel: {
      admit: ({ params }) => service.get(params.model_id),
      work: ({ params, body, signal, onProgress }) =>
        service.export(params.model_id, body, { signal, onProgress }),
    },
    compareModels: {
      admit: ({ body }) => service.refuseUnknown(body.models),
      work: ({ body, signal, onProgress }) => service.compare(body, { signal, onProgress }),
    },
    listBackbones: () => ({
      backbones: BACKBONES.map((backbone) => ({ ...backbone, aliases: [...backbone.aliases] })),
    }),
  }
}
