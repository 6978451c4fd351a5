import { EvaluateRequest } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import type { CaseQueries } from '../evaluations/cases/case-queries.js'
import { aliasesRoutes } from './aliases.routes.js'
import { AliasesService } from './aliases.service.js'
import { ModelCards } from './model-cards.js'
import { modelsRoutes } from './models.routes.js'
import { ModelsService } from './models.service.js'
import type { TrainingPort } from './training-port.js'

export function createModels(
  context: ServiceContext,
  training: TrainingPort,
  cases: Pick<CaseQueries, 'prepare'>,
) {
  const service = new ModelsService(context, training, cases)
  return {
    routes: {
      ...modelsRoutes(service, new ModelCards(context, training)),
      ...aliasesRoutes(new AliasesService(context)),
    },
    service,
    /** Evaluates the best checkpoint on the test split of its training; counted as an evaluation on test data. */
    evaluateOnTest: (modelId: string, signal: AbortSignal) =>
      service.evaluate(modelId, EvaluateRequest.parse({}), { signal }),
  }
}
