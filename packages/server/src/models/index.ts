import type { ServiceContext } from '../context.js'
import { modelsRoutes } from './models.routes.js'
import { type JobOf, ModelsService } from './models.service.js'

export function createModels(context: ServiceContext, jobOf: JobOf) {
  return { routes: modelsRoutes(new ModelsService(context, jobOf)) }
}
