import { MEASURED_RESOURCES, type TrainerEvent, type TrainerHeartbeat } from '@medloom/contracts'

/** One of this many events, the validation of an epoch, is also kept for slow followers. */
export const EVENTS_PER_EPOCH = 25

/** Every event of a simulated trainer is one message, so that event `number` of a job (from 1) has the next seq, and contains its number. */
export function eventLine(number: number, attempt: number): string {
  return `${JSON.stringify(eventOf(number, attempt))}\n`
}

export function isKept(number: number): boolean {
  return number % EVENTS_PER_EPOCH === 0
}

/** Identifies the event of a message: `batch` of progress, `epoch` of a validation. */
export function numberIn(message: {
  readonly type: string
  readonly epoch: number
  readonly batch?: number
}): number {
  return message.type === 'progress' ? (message.batch ?? 0) : message.epoch * EVENTS_PER_EPOCH
}

function eventOf(number: number, attempt: number): TrainerEvent {
  const envelope = { timestamp: new Date().toISOString(), attempt }
  if (isKept(number))
    return {
      type: 'validation',
      ...envelope,
      epoch: number / EVENTS_PER_EPOCH,
      metrics: { val_loss: 0.41, val_accuracy: 0.83, val_auc: 0.91, val_sensitivity: 0.8 },
      notes: {},
    }
  return {
    type: 'progress',
    ...envelope,
    epoch: Math.floor(number / EVENTS_PER_EPOCH) + 1,
    batch: number,
    total_batches: 1_000_000,
    metrics: {
      loss: 1 / (1 + number),
      accuracy: 0.5,
      learning_rate: 0.001,
      samples_per_second: 74.4,
      gradient_norm: 1.3,
    },
    eta_seconds: 100,
  }
}

export function endLine(epoch: number, attempt: number): string {
  const end: TrainerEvent = {
    type: 'completed',
    timestamp: new Date().toISOString(),
    attempt,
    status: 'completed',
    reason: 'all epochs done',
    epoch,
    metrics: { train_loss: 0.3 },
    best: null,
    best_checkpoint: null,
    duration_seconds: 1,
  }
  return `${JSON.stringify(end)}\n`
}

/** Written like by the trainer: in place, with a fixed size. */
const HEARTBEAT_BYTES = 512

export function heartbeat(steps: number): string {
  const beat: TrainerHeartbeat = {
    process: 'process 1 on bench',
    steps,
    doing: 'training',
    patience_seconds: 60,
    at: new Date().toISOString(),
  }
  return JSON.stringify(beat).padEnd(HEARTBEAT_BYTES)
}

export function resourceLine(step: number): string {
  const values = Object.fromEntries(MEASURED_RESOURCES.map((name) => [name, 50]))
  return `${JSON.stringify({ at: new Date().toISOString(), step, values, reasons: {} })}\n`
}
