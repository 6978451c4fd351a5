import type { Job } from '@medloom/contracts'
import type { ServiceContext } from '../context.js'
import type { DataFolder } from '../storage/data-folder.js'
import type { CaseQueries } from './cases/case-queries.js'
import { ComparisonsService } from './comparisons.service.js'
import { evaluationsRoutes } from './evaluations.routes.js'
import { EvaluationsService, imagesFileOf } from './evaluations.service.js'

export function createEvaluations(
  context: ServiceContext,
  { job }: { readonly job: (jobId: string) => Promise<Job> },
  queries: CaseQueries,
) {
  return {
    routes: evaluationsRoutes(
      new EvaluationsService(context, job, queries),
      new ComparisonsService(context, queries),
    ),
  }
}

/** Prepares the tables of the evaluations that an ended training may have made on its own cases. */
export function prepareOwnCases(
  { job_id, attempt }: Pick<Job, 'job_id' | 'attempt'>,
  folder: Pick<DataFolder, 'run'>,
  cases: Pick<CaseQueries, 'prepare'>,
): void {
  const { validation, heldOut } = folder.run(job_id)
  for (const file of [validation, heldOut]) cases.prepare({ file, images: imagesFileOf(file), attempt })
}
