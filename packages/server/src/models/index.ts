import type { ServiceContext } from '../context.js'
import { modelsRoutes } from './models.routes.js'
import { ModelsService } from './models.service.js'

export function createModels(context: ServiceContext) {
  return { routes: modelsRoutes(new ModelsService(context)) }
}
