import { createHash } from 'node:crypto'
import { isTerminal, type Job, type JobMessage } from '@medloom/contracts'
import { canonical, type Task } from '@medloom/workflow'
import type { Transaction } from 'kysely'
import type { Tables } from '../../../database/schema.js'
import { AppError } from '../../../errors.js'
import { isWhole, readManifest } from '../../../storage/checkpoints.js'
import { MANIFEST } from '../../../storage/run-directory.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import { contentAt, type ExecutionContext, type NodeExecutor } from '../executor.js'
import { failureOfJob, NodeFailure } from '../node-failure.js'
import { NodeJobsRepository } from './node-jobs.repository.js'
import { type PlannedTraining, planTraining } from './plan-training.js'
import { bestCheckpoint, checkpointOf, trainedModel, trainingHistory } from './training-results.js'

export function trainModel(trainings: TrainingGateway): NodeExecutor<'TrainModel'> {
  return async (task, context) => {
    const planned = await planTraining(task, context)
    const job = await trained(task, context, trainings, planned)
    return {
      trained_model: await trainedModel(job, planned, context),
      training_history: await trainingHistory(job, context),
      best_checkpoint: await bestCheckpoint(job, task.node, context),
    }
  }
}

/** The job that a checkpoint belongs to goes on where it ended, for as many epochs again as it was configured for. */
export function resumeTraining(trainings: TrainingGateway): NodeExecutor<'ResumeTraining'> {
  return async (task, context) => {
    const given = contentAt(task, 'checkpoint_path', 'files')
    const manifest = given?.files.find(({ path }) => path.endsWith(MANIFEST))
    if (!manifest)
      throw new AppError('CHECKPOINT_NOT_FOUND', 'what arrives at "checkpoint_path" is no checkpoint')
    const { job_id } = JSON.parse((await context.store.read(manifest.blob)).toString('utf8'))
    const before = await trainings.job(String(job_id))
    const { epoch } = await readManifest(context.service.folder.run(before.job_id).checkpoint('last'))
    const planned = await planTraining(task, context, {
      job: before,
      epoch,
      epochs: epoch + before.config.training.epochs,
    })
    const job = await trained(task, context, trainings, planned)
    return {
      trained_model: await trainedModel(job, planned, context),
      training_history: await trainingHistory(job, context),
    }
  }
}

/**
 * The completed job of this node. One that an earlier run, or an earlier life of the service, began for the same inputs and settings
 * is taken up: followed while it runs, used when it has completed and its checkpoint is whole, continued when it was stopped or lost.
 */
async function trained(
  task: Task,
  context: ExecutionContext,
  trainings: TrainingGateway,
  planned: PlannedTraining,
): Promise<Job> {
  const jobs = new NodeJobsRepository(context.service.database)
  const { workflow_id, run_id } = context
  const place = { workflow_id, node: task.node, key: keyOf(task) }
  const row = await jobs.find(place)
  const save = (job_id: string, transaction: Transaction<Tables>) =>
    jobs.save({ ...place, run_id, job_id }, transaction)
  const known =
    row && (row.run_id === run_id || !context.forced.has(task.node)) ? await trainings.job(row.job_id) : null
  let jobId: string
  if (known && (!isTerminal(known.status) || (await isUsable(known, context)))) jobId = known.job_id
  else if (known?.resumable && mayContinue(known))
    jobId = await trainings.resume(known.job_id, (transaction, continued) => save(continued, transaction))
  else {
    if (task.cancellation.requested) throw new AppError('NODE_FAILED', 'cancelled')
    const begun = await planned.place()
    await trainings.begin(begun, (transaction) => save(begun.job_id, transaction))
    jobId = begun.job_id
  }
  task.job(jobId)
  return followed(task, trainings, jobId)
}

async function isUsable(job: Job, { service }: ExecutionContext): Promise<boolean> {
  return job.status === 'completed' && (await isWhole(checkpointOf(job, service.folder)))
}

/** A training that failed by itself fails again; one that was stopped, lost or ran out of room goes on from its checkpoint. */
function mayContinue({ status, error }: Job): boolean {
  return status === 'stopped' || error?.code === 'WORKER_LOST' || error?.code === 'DISK_FULL'
}

async function followed(task: Task, trainings: TrainingGateway, jobId: string): Promise<Job> {
  const abort = new AbortController()
  const forget = task.cancellation.onRequest(() => {
    // Its end is the training service's to see to; the run does not wait for a checkpoint to be written.
    trainings.stop(jobId).catch(() => undefined)
    abort.abort()
  })
  const every = Number(task.config.log_interval ?? 1)
  let total = (await trainings.job(jobId)).total_epochs
  try {
    await trainings.follow(
      jobId,
      (message) => {
        if (message.type === 'epoch_end') {
          total = message.total_epochs
          task.progress(message.epoch / total, epochLine(message))
          task.log(epochLine(message))
        } else if (message.type === 'progress' && message.batch % every === 0)
          task.progress(
            (message.epoch - 1 + message.batch / Math.max(1, message.total_batches)) / Math.max(1, total),
            `epoch ${message.epoch} of ${total}, batch ${message.batch} of ${message.total_batches}`,
          )
      },
      abort.signal,
    )
  } finally {
    forget()
  }
  const job = await trainings.job(jobId)
  for (const { code, message } of job.prepared?.warnings ?? []) task.warn(code, message)
  if (job.status === 'completed') return job
  if (task.cancellation.requested) throw new AppError('NODE_FAILED', 'cancelled')
  if (job.status === 'stopped')
    throw new NodeFailure(
      'NODE_FAILED',
      'the training job was stopped. Run the workflow again: it goes on from the last checkpoint.',
      null,
    )
  throw failureOfJob(job)
}

function epochLine({ epoch, total_epochs, metrics }: Extract<JobMessage, { type: 'epoch_end' }>): string {
  const shown = ['train_loss', 'val_loss', 'val_accuracy', 'val_auc'].flatMap((name) => {
    const value = metrics[name]
    return typeof value === 'number' ? [`${name} ${value.toFixed(4)}`] : []
  })
  return [`epoch ${epoch} of ${total_epochs}`, ...shown].join(', ')
}

/** Everything that decides what the training gives; how often it reports does not. */
function keyOf(task: Task): string {
  const { log_interval: _, ...config } = task.config
  const inputs = Object.entries(task.inputs)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([port, arrived]) => [port, arrived.map(({ from, value }) => [from, value.digest])])
  return createHash('sha256')
    .update(canonical([task.type, config, inputs]))
    .digest('hex')
}
