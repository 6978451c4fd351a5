import { JobMessage, type TrainerEvent } from '@medloom/contracts'
import { describe, expect, it } from 'vitest'
import { type JobRecord, transition } from '../job-record.js'
import { reduceEvent, reduceEvents } from './reduce-event.js'

const timestamp = '2026-01-02T03:04:05.000Z'
const job_id = '4d0f4f1e-0000-4000-8000-000000000001'
const job = (changes: Partial<JobRecord> = {}) =>
  ({
    job_id,
    status: 'running',
    attempt: 2,
    epoch: 3,
    total_epochs: 10,
    last_seq: 7,
    metrics: { train_loss: 0.4, val_loss: 0.5, val_accuracy: 0.8, val_auc: null },
    notes: { val_auc: 'one class only' },
    best: { epoch: 2, metrics: { val_loss: 0.45 } },
    phase: 'training',
    eta_seconds: 12,
    ...changes,
  }) as JobRecord
const event = (fields: object) => ({ timestamp, attempt: 2, ...fields }) as TrainerEvent
const envelope = { job_id, seq: 8, timestamp }
const VERDICT = {
  baseline: 'random_forest',
  title: 'random forest',
  metric: 'auc',
  verdict: 'better',
  text: 'better than random forest: AUC difference 0.10 (0.05 to 0.15)',
}
const metrics = { train_loss: 0.4, val_loss: 0.5, val_accuracy: 0.8, val_auc: null }

describe('reduceEvent: event → changes, and the message for followers', () => {
  it.each([
    [
      'phase',
      event({ type: 'phase', phase: 'validating', epoch: 3 }),
      { phase: 'validating', epoch: 3 },
      null,
    ],
    [
      'phase of an earlier epoch',
      event({ type: 'phase', phase: 'preparing', epoch: 0 }),
      { phase: 'preparing', epoch: 3 },
      null,
    ],
    [
      'prepared',
      event({ type: 'prepared', prepared: { device: 'cpu' } }),
      { prepared: { device: 'cpu' } },
      null,
    ],
    ['checkpoint', event({ type: 'checkpoint', epoch: 3, name: 'last' }), {}, null],
    [
      'progress',
      event({
        type: 'progress',
        epoch: 4,
        batch: 1,
        total_batches: 9,
        metrics: { loss: 0.3, accuracy: 0.9 },
        eta_seconds: 5,
      }),
      { phase: 'training', epoch: 4, eta_seconds: 5, last_seq: 8 },
      {
        type: 'progress',
        ...envelope,
        epoch: 4,
        batch: 1,
        total_batches: 9,
        metrics: { loss: 0.3, accuracy: 0.9 },
        eta_seconds: 5,
      },
    ],
    [
      'validation, which clears the note of a metric that has a value now',
      event({ type: 'validation', epoch: 4, metrics: { val_loss: 0.3, val_auc: 0.9 }, notes: {} }),
      { epoch: 4, metrics: { ...metrics, val_loss: 0.3, val_auc: 0.9 }, notes: {}, last_seq: 8 },
      { type: 'validation', ...envelope, epoch: 4, metrics: { loss: 0.3, val_loss: 0.3, val_auc: 0.9 } },
    ],
    [
      'validation with an undefined metric: null and why',
      event({
        type: 'validation',
        epoch: 4,
        metrics: { val_accuracy: null },
        notes: { val_accuracy: 'regression' },
      }),
      {
        epoch: 4,
        metrics: { ...metrics, val_accuracy: null },
        notes: { val_auc: 'one class only', val_accuracy: 'regression' },
        last_seq: 8,
      },
      { type: 'validation', ...envelope, epoch: 4, metrics: { val_accuracy: null } },
    ],
    [
      'epoch_end of the best epoch',
      event({
        type: 'epoch_end',
        epoch: 4,
        total_epochs: 10,
        metrics: { train_loss: 0.2 },
        duration_seconds: 3,
        is_best: true,
      }),
      {
        epoch: 4,
        total_epochs: 10,
        metrics: { ...metrics, train_loss: 0.2 },
        notes: { val_auc: 'one class only' },
        best: { epoch: 4, metrics: { ...metrics, train_loss: 0.2 } },
        last_seq: 8,
      },
      {
        type: 'epoch_end',
        ...envelope,
        epoch: 4,
        metrics: { loss: 0.2, train_loss: 0.2 },
        total_epochs: 10,
        duration_seconds: 3,
        is_best: true,
      },
    ],
    [
      'completed',
      event({
        type: 'completed',
        status: 'completed',
        reason: 'early stopping',
        epoch: 5,
        metrics: {},
        best: null,
        best_checkpoint: 'checkpoints/best',
        baseline_verdict: VERDICT,
        duration_seconds: 60,
      }),
      {
        status: 'completed',
        phase: null,
        stalled: null,
        eta_seconds: null,
        ended_at: timestamp,
        reason: 'early stopping',
        epoch: 5,
        metrics,
        notes: { val_auc: 'one class only' },
        best: { epoch: 2, metrics: { val_loss: 0.45 } },
        baseline_verdict: VERDICT,
        last_seq: 8,
      },
      {
        type: 'completed',
        ...envelope,
        epoch: 5,
        metrics: { loss: 0.4, ...metrics },
        status: 'completed',
        best_checkpoint: 'checkpoints/best',
        model_id: null,
        baseline_verdict: VERDICT,
        duration_seconds: 60,
      },
    ],
    [
      'error',
      event({
        type: 'error',
        epoch: 4,
        code: 'DISK_FULL',
        message: 'no space',
        details: 'Free some.',
        trace: 'trace',
      }),
      {
        status: 'failed',
        phase: null,
        stalled: null,
        eta_seconds: null,
        ended_at: timestamp,
        reason: 'no space',
        error: { code: 'DISK_FULL', message: 'no space', trace: 'trace' },
        last_seq: 8,
      },
      {
        type: 'error',
        ...envelope,
        epoch: 4,
        metrics: { loss: 0.4, ...metrics },
        error: 'no space',
        code: 'DISK_FULL',
        details: 'Free some.',
      },
    ],
    [
      'a late line of an older attempt',
      { ...event({ type: 'phase', phase: 'training', epoch: 9 }), attempt: 1 } as TrainerEvent,
      {},
      null,
    ],
  ])('%s', (_, given, changes, message) => {
    const effect = reduceEvent(job(), given)
    expect(effect.changes).toEqual(changes)
    expect(effect.message).toEqual(message)
    if (effect.message) expect(JobMessage.parse(effect.message)).toEqual(message)
  })

  it('numbers messages without gaps and gives the same result when repeated', () => {
    const lines = ['progress', 'phase', 'validation', 'progress'].map((type) =>
      event({
        type,
        phase: 'training',
        epoch: 1,
        batch: 1,
        total_batches: 1,
        metrics: {},
        notes: {},
        eta_seconds: null,
      }),
    )
    const replay = () => {
      let state = job({ last_seq: 0 })
      return lines.flatMap((line) => {
        const { changes, message } = reduceEvent(state, line)
        state = { ...state, ...changes }
        return message ? [message] : []
      })
    }
    expect(replay().map(({ seq }) => seq)).toEqual([1, 2, 3])
    expect(replay()).toEqual(replay())
  })

  it('takes the best epoch of the end over the one known before', () => {
    const best = { epoch: 4, metrics: { val_loss: 0.4 } }
    const end = event({ type: 'completed', status: 'completed', epoch: 5, metrics: {}, best })
    expect(reduceEvent(job(), end).changes).toMatchObject({ best })
  })

  it('stores the reason of the end with its phrases, and none of an earlier reason', () => {
    const given = { reason: 'finished on request', reason_phrases: [{ code: 'finished_on_request' }] }
    const end = { type: 'completed', status: 'completed', epoch: 5, metrics: {}, best: null }
    expect(reduceEvent(job(), event({ ...end, ...given })).changes).toMatchObject(given)
    const older = reduceEvent({ ...job(), ...given } as JobRecord, event({ ...end, reason: 'done' })).changes
    expect({ ...job(), ...given, ...older }).toMatchObject({ reason: 'done', reason_phrases: undefined })
  })

  it('ignores what follows the end', () => {
    const end = event({ type: 'completed', status: 'completed', epoch: 5, metrics: {}, best: null })
    const late = event({ type: 'validation', epoch: 6, metrics: { val_loss: 0.1 }, notes: {} })
    const { changes, messages } = reduceEvents(job(), { events: [end, late] })
    expect([changes.epoch, messages.map(({ type }) => type)]).toEqual([5, ['completed']])
  })

  it('never leaves a terminal status', () => {
    const end = event({ type: 'error', epoch: 1, code: 'DISK_FULL', message: '', details: '', trace: null })
    for (const status of ['completed', 'failed', 'stopped'] as const)
      expect(() => reduceEvent(job({ status }), end)).toThrow(`cannot change from ${status} to failed`)
    expect(() => transition('started', 'completed')).toThrow()
  })
})
