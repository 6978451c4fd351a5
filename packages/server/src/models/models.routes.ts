import { BACKBONES } from '@medloom/contracts'
import type { HandlersOf } from '../http/bind.js'
import type { ModelsService } from './models.service.js'

export function modelsRoutes(service: ModelsService): HandlersOf<'models'> {
  return {
    listModels: async ({ query }) => {
      const { items, next_page_token } = await service.list(query.page_size, query.page_token)
      return { models: items, next_page_token }
    },
    getModel: ({ params }) => service.get(params.model_id),
    evaluateModel: ({ params, body }) => service.evaluate(params.model_id, body),
    listBackbones: () => ({
      backbones: BACKBONES.map((backbone) => ({ ...backbone, aliases: [...backbone.aliases] })),
    }),
  }
}
