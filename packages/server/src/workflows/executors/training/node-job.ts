import { isTerminal, type Job, phrase } from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../database/schema.js'
import { AppError } from '../../../errors.js'
import { isComplete } from '../../../storage/checkpoints.js'
import { MACHINE_FAULTS } from '../../../system-fault.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import type { ExecutionContext } from '../executor.js'
import { followJob } from './follow-job.js'
import { NodeJobsRepository } from './node-jobs.repository.js'
import type { PlannedTraining } from './plan-training.js'
import { checkpointOf } from './training-results.js'

/**
 * The completed job of this node. A job that an earlier run started for the same inputs and settings, perhaps before a restart of the
 * service, is followed while it runs, used if it has completed and its checkpoint is complete, and resumed if it was stopped or lost.
 */
export async function jobOfNode(
  task: Task,
  context: ExecutionContext,
  trainings: TrainingGateway,
  planned: PlannedTraining,
): Promise<Job> {
  const jobs = new NodeJobsRepository(context.service.database)
  const { workflow_id, run_id, owner } = context
  const place = { workflow_id, node: task.node, key: task.key }
  const row = await jobs.find(place)
  const save = (job_id: string, transaction: Transaction<Tables>) =>
    jobs.save({ ...place, run_id, job_id }, transaction)
  const known =
    row && (row.run_id === run_id || !context.forced.has(task.node)) ? await trainings.job(row.job_id) : null
  let jobId: string
  if (known && (!isTerminal(known.status) || (await isUsable(known, context)))) jobId = known.job_id
  else if (known?.resumable && canResume(known) && (await hasWholeCheckpoint(known, context)))
    jobId = await trainings.resume(known.job_id, (transaction, continued) => save(continued, transaction), {
      owner,
    })
  else {
    if (task.cancellation.requested) throw new AppError('NODE_FAILED', phrase('run_cancelled'))
    const begun = await planned.place()
    await trainings.begin({ ...begun, owner }, (transaction) => save(begun.job_id, transaction))
    jobId = begun.job_id
  }
  task.job(jobId)
  return followJob(task, trainings, jobId, context.service.log)
}

async function isUsable(job: Job, { service }: ExecutionContext): Promise<boolean> {
  return job.status === 'completed' && (await isComplete(checkpointOf(job, service.folder)))
}

/** A job with a damaged checkpoint is trained again. */
function hasWholeCheckpoint({ job_id }: Job, { service }: ExecutionContext): Promise<boolean> {
  return isComplete(service.folder.run(job_id).checkpoint('last'))
}

/**
 * A training that failed because of its data or settings would fail again; one that was stopped, was lost or had a fault of the machine
 * resumes.
 */
function canResume({ status, error }: Job): boolean {
  return status === 'stopped' || error?.code === 'WORKER_LOST' || MACHINE_FAULTS.has(error?.code ?? '')
}
