import type { JobMessage } from '@medloom/contracts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ProgressView } from './progress-view.js'

const envelope = { job_id: 'j', seq: 1, timestamp: '2026-01-01T00:00:00Z', epoch: 3 }
const progress: JobMessage = {
  type: 'progress',
  ...envelope,
  batch: 12,
  total_batches: 16,
  eta_seconds: 80,
  metrics: { loss: 0.512, accuracy: 0.75, learning_rate: 0.001, samples_per_second: 141.7 },
}
const epochEnd: JobMessage = {
  type: 'epoch_end',
  ...envelope,
  total_epochs: 20,
  duration_seconds: 4.2,
  is_best: true,
  metrics: { train_loss: 0.5, val_loss: 0.6, val_accuracy: 0.7, val_auc: null },
}

function view(isTTY: boolean) {
  let text = ''
  let now = 0
  const stream = { isTTY, columns: 120, write: (piece: string) => (text += piece) }
  return {
    view: new ProgressView({ total_epochs: 20 }, stream, () => now),
    text: () => text,
    later: (seconds: number) => {
      now += seconds * 1000
    },
  }
}

afterEach(() => vi.unstubAllEnvs())

describe('progress on a terminal', () => {
  it('updates one line: epoch, bar, batch, loss, accuracy, speed, time left', () => {
    vi.stubEnv('NO_COLOR', '1')
    const shown = view(true)
    shown.view.show(progress)
    expect(shown.text()).toBe(
      `\r\x1b[Kepoch  3/20  ${'█'.repeat(15)}${'░'.repeat(5)}  12/16  loss 0.512  accuracy 0.750  142 samples/s  ETA 1:20`,
    )
  })

  it('keeps one line per epoch, without unknown metrics', () => {
    vi.stubEnv('NO_COLOR', '1')
    const shown = view(true)
    shown.view.show(progress)
    shown.view.show(epochEnd)
    expect(shown.text().split('\x1b[K').at(-1)).toBe(
      'epoch  3/20  train_loss 0.500  val_loss 0.600  val_accuracy 0.700  4.2 s  best\n',
    )
    expect(shown.text()).not.toContain('val_auc')
  })

  it('shows that training has stalled, since when, in which phase and the remedy, and that it continues', () => {
    vi.stubEnv('NO_COLOR', '1')
    const shown = view(true)
    const stalled = { since: '2026-01-01T00:00:00Z', doing: 'training, epoch 3', remedy: 'Read its log.' }
    shown.view.show({ type: 'stalled', ...envelope, metrics: {}, stalled })
    shown.view.show({ type: 'stalled', ...envelope, metrics: {}, stalled: null })
    expect(shown.text()).toBe(
      'stalled since 2026-01-01T00:00:00Z: training, epoch 3. Read its log.\nThe training continues.\n',
    )
  })

  it('shows the phase before the first batch, and the bar afterwards', () => {
    vi.stubEnv('NO_COLOR', '1')
    const shown = view(true)
    shown.view.waiting({ status: 'started', phase: 'queued', queue_position: 2, reason: null })
    shown.view.waiting({ status: 'running', phase: 'training', queue_position: null, reason: null })
    expect(shown.text()).toBe('\r\x1b[Kqueued, position 2\r\x1b[Ktraining …')
    shown.view.show(progress)
    const before = shown.text()
    shown.view.waiting({ status: 'running', phase: 'training', queue_position: null, reason: null })
    expect(shown.text()).toBe(before)
  })

  it('shows why a job waits although it could start', () => {
    const shown = view(true)
    const reason = 'waits: the Ray cluster cannot be used'
    shown.view.waiting({ status: 'started', phase: 'queued', queue_position: 1, reason })
    expect(shown.text()).toBe(`\r\x1b[Kqueued, position 1: ${reason}`)
  })

  it('is colored unless NO_COLOR is set', () => {
    vi.stubEnv('NO_COLOR', '')
    vi.stubEnv('TERM', 'xterm')
    const shown = view(true)
    shown.view.show(epochEnd)
    expect(shown.text()).toContain('\x1b[32m')
  })
})

describe('progress elsewhere', () => {
  it('prints plain lines: every epoch, and progress at most once in ten seconds', () => {
    const shown = view(false)
    shown.view.show(progress)
    shown.later(9)
    shown.view.show(progress)
    expect(shown.text()).toBe('')
    shown.later(2)
    shown.view.show(progress)
    shown.view.show(progress)
    expect(shown.text()).toBe('epoch  3/20  12/16  loss 0.512  accuracy 0.750  142 samples/s  ETA 1:20\n')
    shown.view.show(epochEnd)
    expect(shown.text()).not.toContain('\x1b')
    expect(shown.text().split('\n')).toHaveLength(3)
  })

  it('prints a line with its code for every warning', () => {
    const shown = view(false)
    shown.view.warn([
      { code: 'NO_PATIENT_COLUMN', message: 'there is no patient column' },
      { code: 'CONSTANT_COLUMN', message: '"site" is constant' },
    ])
    expect(shown.text()).toBe(
      'warning: there is no patient column [NO_PATIENT_COLUMN]\nwarning: "site" is constant [CONSTANT_COLUMN]\n',
    )
  })

  it('compares the model with the best baseline at the end', () => {
    const shown = view(false)
    const text =
      'not significantly different from logistic regression: AUC difference 0.003 (−0.020 to 0.030)'
    shown.view.show({
      type: 'completed',
      ...envelope,
      metrics: {},
      status: 'completed',
      best_checkpoint: null,
      model_id: 'resnet18_gated_001',
      baseline_verdict: {
        baseline: 'logistic_regression',
        title: 'logistic regression',
        metric: 'auc',
        verdict: 'inconclusive',
        text,
      },
      duration_seconds: 2,
    })
    expect(shown.text()).toMatch(
      /^completed after .*\nOn validation the model is not significantly different from/,
    )
    expect(shown.text()).toContain(text)
  })

  it('shows how a job ended and what to do after a failure', () => {
    const shown = view(false)
    shown.view.show({
      type: 'error',
      ...envelope,
      metrics: {},
      error: 'no space',
      code: 'DISK_FULL',
      details: 'Free some.',
    })
    expect(shown.text()).toBe('failed: no space [DISK_FULL]\nWhat to do: Free some.\n')
  })
})
