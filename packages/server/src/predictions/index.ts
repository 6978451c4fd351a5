import type { ServiceContext } from '../context.js'
import { predictionsRoutes } from './predictions.routes.js'
import { type PredictionParts, PredictionsService } from './predictions.service.js'

export function createPredictions(context: ServiceContext, parts: PredictionParts) {
  const service = new PredictionsService(context, parts)
  return {
    routes: predictionsRoutes(service),
    start: () => service.retention.start(),
    close: () => service.retention.close(),
  }
}
