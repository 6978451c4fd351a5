import { isTerminal, phrase, type Removal, statusPhrase } from '@medloom/contracts'
import type { Transaction } from 'kysely'
import type { Tables } from '../database/schema.js'
import { AppError } from '../errors.js'
import type { RunExchanges } from '../ports/run-exchange.js'
import type { RemovalPlan, Removals } from '../removal/removals.js'
import {
  activeRunUsing,
  forgetNodesOf,
  nodesComputedBy,
  unfinishedContinuation,
} from '../removal/uses.repository.js'
import type { JobReader } from './job-reader.js'
import type { TrainingRepository } from './training.repository.js'

export interface JobRemovalOptions {
  readonly repository: TrainingRepository
  readonly reader: JobReader
  readonly exchange: RunExchanges
  readonly removals: Removals
}

/**
 * Remove an ended job with its run directory. A model is stored there: it must be removed separately before the job.
 * @throws AppError JOB_NOT_FOUND, JOB_RUNNING, JOB_IN_USE.
 */
export function jobRemoval(options: JobRemovalOptions) {
  const { removals, repository } = options
  return (jobId: string, dryRun: boolean): Promise<Removal> =>
    removals.remove(
      dryRun,
      (transaction) => planOf(options, jobId, transaction),
      async (transaction) => {
        await forgetNodesOf(transaction, jobId)
        await repository.remove(jobId, transaction)
      },
    )
}

async function planOf(
  { reader, exchange }: JobRemovalOptions,
  jobId: string,
  transaction: Transaction<Tables>,
): Promise<RemovalPlan> {
  const job = await reader.find(jobId, transaction)
  if (!isTerminal(job.status))
    throw new AppError('JOB_RUNNING', phrase('job_is', { status: statusPhrase(job.status) }))
  if (job.handle) throw new AppError('JOB_RUNNING', phrase('trainer_of_job_runs'), phrase('again_in_seconds'))
  if (job.model_id)
    throw new AppError('JOB_IN_USE', phrase('run_directory_of_model', { model: job.model_id }))
  const continued = await unfinishedContinuation(transaction, jobId)
  if (continued) throw new AppError('JOB_IN_USE', phrase('job_continues_from_model', { job: continued }))
  const run = await activeRunUsing(transaction, jobId)
  if (run)
    throw new AppError('JOB_IN_USE', phrase('run_uses_it', { run: run.run_id, workflow: run.workflow_id }))
  const nodes = await nodesComputedBy(transaction, jobId)
  return {
    id: jobId,
    folders: [exchange(jobId).localPath()],
    lost: [
      phrase('lost_job', { job: job.job_name, count: job.last_seq }),
      phrase('lost_run_directory'),
      ...nodes.map(({ node, name }) => phrase('node_trained_again', { node, workflow: name })),
    ],
  }
}
