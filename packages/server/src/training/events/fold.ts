import type { JobMessage, Metrics, TrainerEvent } from '@medloom/contracts'
import { becoming, type JobRecord } from '../job-record.js'

/** What one event of the trainer does to a job: columns that change, and the message for its followers, if any. */
export interface Folded {
  changes: Partial<JobRecord>
  message: JobMessage | null
}

/** Pure: the same job and event give the same result, so a replay after a crash changes nothing. */
export function fold(job: JobRecord, event: TrainerEvent): Folded {
  if (event.attempt !== job.attempt) return { changes: {}, message: null }
  const seq = job.last_seq + 1
  const envelope = { job_id: job.job_id, seq, timestamp: event.timestamp }
  const told = (changes: Partial<JobRecord>, message: JobMessage): Folded => ({
    changes: { ...changes, last_seq: seq },
    message,
  })
  switch (event.type) {
    case 'phase':
      return { changes: { phase: event.phase, epoch: Math.max(job.epoch, event.epoch) }, message: null }
    case 'prepared':
      return { changes: { prepared: event.prepared }, message: null }
    case 'checkpoint':
      return { changes: {}, message: null }
    case 'progress': {
      const { type, epoch, metrics, batch, total_batches, eta_seconds } = event
      return told(
        { phase: 'training', epoch, eta_seconds },
        { type, ...envelope, epoch, metrics, batch, total_batches, eta_seconds },
      )
    }
    case 'validation':
      return told(
        { epoch: event.epoch, ...measured(job, event.metrics, event.notes) },
        { type: event.type, ...envelope, epoch: event.epoch, metrics: named(event.metrics, 'val_') },
      )
    case 'epoch_end': {
      const { type, epoch, total_epochs, duration_seconds, is_best } = event
      const { metrics, notes } = measured(job, event.metrics, {})
      return told(
        { epoch, total_epochs, metrics, notes, ...(is_best ? { best: { epoch, metrics } } : {}) },
        {
          type,
          ...envelope,
          epoch,
          metrics: named(event.metrics, 'train_'),
          total_epochs,
          duration_seconds,
          is_best,
        },
      )
    }
    case 'completed': {
      const { metrics, notes } = measured(job, event.metrics, {})
      return told(
        {
          ...becoming(job.status, event.status),
          ...ended(event.timestamp),
          reason: event.reason,
          epoch: event.epoch,
          metrics,
          notes,
          best: event.best ?? job.best,
        },
        {
          type: 'completed',
          ...envelope,
          epoch: event.epoch,
          metrics: named(metrics, 'train_'),
          status: event.status,
          best_checkpoint: event.best_checkpoint,
          model_id: null,
          duration_seconds: event.duration_seconds,
        },
      )
    }
    case 'error': {
      const { epoch, code, message, details, trace } = event
      return told(
        {
          ...becoming(job.status, 'failed'),
          ...ended(event.timestamp),
          reason: message,
          error: { code, message, trace },
        },
        {
          type: 'error',
          ...envelope,
          epoch,
          metrics: named(job.metrics, 'train_'),
          error: message,
          code,
          details,
        },
      )
    }
  }
}

const ended = (timestamp: string) => ({ phase: null, eta_seconds: null, ended_at: timestamp })

/** New values lie over the old ones; a note stands only as long as its metric is null. */
function measured(job: JobRecord, metrics: Metrics, notes: Record<string, string>) {
  const merged = { ...job.metrics, ...metrics }
  const kept = Object.entries({ ...job.notes, ...notes }).filter(([name]) => (merged[name] ?? null) === null)
  return { metrics: merged, notes: Object.fromEntries(kept) }
}

/** Followers find `loss` and `accuracy` under these names in every message where they are known. */
function named(metrics: Metrics, prefix: 'train_' | 'val_'): Metrics {
  const plain: Metrics = {}
  for (const name of ['loss', 'accuracy']) {
    const value = metrics[prefix + name]
    if (value !== undefined && value !== null) plain[name] = value
  }
  return { ...plain, ...metrics }
}
