import type { ServiceContext } from '../context.js'
import { datasetsRoutes } from './datasets.routes.js'
import { DatasetsService } from './datasets.service.js'

export function createDatasets(context: ServiceContext) {
  return { routes: datasetsRoutes(new DatasetsService(context)) }
}
