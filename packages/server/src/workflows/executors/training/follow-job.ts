import {
  EPOCH_SUMMARY,
  inEnglish,
  type Job,
  type JobMessage,
  type Phrase,
  phrase,
  textOf,
} from '@medloom/contracts'
import type { Task } from '@medloom/workflow'
import type { FastifyBaseLogger } from 'fastify'
import { AppError } from '../../../errors.js'
import type { TrainingGateway } from '../../../training/training-gateway.js'
import { failureOfJob, NodeFailure } from '../node-failure.js'

/** The completed job; its progress is that of the node. @throws NodeFailure when the job ended in another way. */
export async function followJob(
  task: Task,
  trainings: TrainingGateway,
  jobId: string,
  log: Pick<FastifyBaseLogger, 'error'>,
): Promise<Job> {
  const abort = new AbortController()
  const forget = task.cancellation.onRequest(() => {
    stopTraining(trainings, jobId, log)
    abort.abort()
  })
  const { total_epochs } = await trainings.job(jobId)
  try {
    await trainings.follow(jobId, reporter(task, total_epochs), abort.signal)
  } finally {
    forget()
  }
  const job = await trainings.job(jobId)
  for (const { code, message, message_phrases: phrases } of job.prepared?.warnings ?? [])
    task.warn(code, message, phrases)
  if (job.status === 'completed') return job
  if (task.cancellation.requested) throw new AppError('NODE_FAILED', phrase('run_cancelled'))
  if (job.status === 'stopped') throw new NodeFailure('NODE_FAILED', textOf(phrase('training_stopped')), null)
  throw failureOfJob(job)
}

/** The training service ends the job of a canceled run; the run does not wait until its checkpoint is written. */
export function stopTraining(
  trainings: Pick<TrainingGateway, 'stop'>,
  jobId: string,
  log: Pick<FastifyBaseLogger, 'error'>,
): void {
  trainings.stop(jobId).catch((error) => {
    if (error instanceof AppError && error.code === 'JOB_NOT_RUNNING') return
    log.error({ err: error, job_id: jobId }, 'the training of a canceled run could not be stopped')
  })
}

function reporter(task: Task, totalEpochs: number): (message: JobMessage) => void {
  const isDue = afterEvery(Number(task.config.log_interval ?? 1))
  let total = totalEpochs
  return (message) => {
    if (message.type === 'epoch_end') {
      total = message.total_epochs
      const line = epochLine(message)
      task.progress(message.epoch / total, inEnglish(line), line)
      task.log(inEnglish(line))
    } else if (message.type === 'progress' && isDue(message)) {
      const { epoch, batch, total_batches } = message
      const done = epoch - 1 + batch / Math.max(1, total_batches)
      const line = [phrase('epoch_of', { epoch, total }), phrase('batch_of', { batch, total: total_batches })]
      task.progress(done / Math.max(1, total), inEnglish(line), line)
    }
  }
}

/**
 * Returns true once `interval` batches have passed since the last time it did. Trainers report by time and not every batch, so the n-th
 * batch itself may never be reported.
 */
export function afterEvery(
  interval: number,
): (progress: { epoch: number; batch: number; total_batches: number }) => boolean {
  let last = 0
  return ({ epoch, batch, total_batches }) => {
    const done = (epoch - 1) * total_batches + batch
    // A smaller number than before means that the job was started again.
    if (done >= last && done - last < interval) return false
    last = done
    return true
  }
}

function epochLine({ epoch, total_epochs, metrics }: Extract<JobMessage, { type: 'epoch_end' }>): Phrase[] {
  const shown = ['train_loss', ...EPOCH_SUMMARY].flatMap((name) => {
    const value = metrics[name]
    return typeof value === 'number' ? [phrase('metric', { metric: name, value: value.toFixed(4) })] : []
  })
  return [phrase('epoch_of', { epoch, total: total_epochs }), ...shown]
}
