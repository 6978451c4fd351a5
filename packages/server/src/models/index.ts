import type { ServiceContext } from '../context.js'
import { modelsRoutes } from './models.routes.js'
import { ModelsService, type TrainingOfModels } from './models.service.js'

export function createModels(context: ServiceContext, training: TrainingOfModels) {
  return { routes: modelsRoutes(new ModelsService(context, training)) }
}
