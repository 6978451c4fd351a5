import type { Job } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import { CaseQueries } from './cases/case-queries.js'
import { evaluationsRoutes } from './evaluations.routes.js'
import { EvaluationsService } from './evaluations.service.js'

export function createEvaluations(
  context: ServiceContext,
  { job }: { readonly job: (jobId: string) => Promise<Job> },
) {
  const queries = new CaseQueries()
  return {
    routes: evaluationsRoutes(new EvaluationsService(context, job, queries)),
    close: () => queries.close(),
  }
}
