import type { Job } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { evaluationsRoutes } from './evaluations.routes.js'
import { EvaluationsService } from './evaluations.service.js'

export function createEvaluations(
  context: ServiceContext,
  { job }: { readonly job: (jobId: string) => Promise<Job> },
) {
  return { routes: evaluationsRoutes(new EvaluationsService(context, job)) }
}
