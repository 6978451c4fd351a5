import type { NodeState, RunStatus, WorkflowMessage } from '@medloom/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WorkflowView } from './workflow-view.js'

const node = (changes: Partial<NodeState>): NodeState => ({
  status: 'pending',
  reason: null,
  progress: 0,
  message: null,
  error: null,
  started_at: null,
  duration: null,
  outputs: {},
  ...changes,
})
const made = { dataset: { type: 'dataset', summary: '60 cases', digest: 'd' } }
const base = { workflow_id: 'w', run_id: 'r', seq: 1, timestamp: '2026-01-01T00:00:00Z' }
const change = (id: string, changes: Partial<NodeState>): WorkflowMessage => ({
  type: 'node_status',
  ...base,
  node: id,
  state: node(changes),
})
const progress = (id: string | null, share: number, message: string | null = null): WorkflowMessage => ({
  type: 'progress',
  ...base,
  node: id,
  progress: share,
  message,
})
const run = (status: RunStatus): WorkflowMessage => ({ type: 'run_status', ...base, status, reason: null })
const snapshot = (nodes: Record<string, NodeState>): WorkflowMessage => ({
  type: 'snapshot',
  workflow_id: 'w',
  seq: 0,
  timestamp: base.timestamp,
  state: { workflow_id: 'w', run_id: 'r', status: 'running', progress: 0, nodes },
})

function view(isTTY: boolean) {
  let text = ''
  let now = 0
  const stream = { isTTY, columns: 100, write: (piece: string) => (text += piece) }
  return {
    view: new WorkflowView(stream, () => now),
    text: () => text,
    last: () => text.split('\x1b[J').at(-1) ?? '',
    later: (seconds: number) => {
      now += seconds * 1000
    },
  }
}

beforeEach(() => vi.stubEnv('NO_COLOR', '1'))
afterEach(() => vi.unstubAllEnvs())

describe('a run on a terminal', () => {
  it('shows one moving line per running node, and a bar for the whole run', () => {
    const shown = view(true)
    shown.view.show(snapshot({ load: node({}), train: node({ status: 'running' }) }))
    shown.later(12)
    shown.view.show(progress('train', 0.25, 'epoch 2/8'))
    shown.view.show(progress(null, 0.5))
    expect(shown.last().split('\n')).toEqual([
      `train  ${'█'.repeat(5)}${'░'.repeat(15)}   25 %  epoch 2/8`,
      `${'█'.repeat(10)}${'░'.repeat(10)}   50 %  0 of 2 nodes  0:12`,
    ])
  })

  it('prints one line per ended node above the moving lines', () => {
    const shown = view(true)
    shown.view.show(snapshot({ load: node({}), train: node({ status: 'running' }) }))
    shown.view.show(change('load', { status: 'success', duration: 1.25, outputs: made }))
    expect(shown.text()).toContain('\r\x1b[1A\x1b[Jload   success  1.3 s  60 cases\ntrain  ░')
    shown.view.show(run('success'))
    expect(shown.last()).toBe('')
  })

  it('never draws wider than the terminal, nor more than ten lines', () => {
    const shown = view(true)
    const nodes = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`n${i}`, node({ status: 'running', message: 'x'.repeat(300) })]),
    )
    shown.view.show(snapshot(nodes))
    const lines = shown.last().split('\n')
    expect(lines).toHaveLength(10)
    for (const line of lines) expect([...line].length).toBeLessThan(100)
    expect(lines.at(-2)).toBe('and 32 more')
  })
})

describe('a run elsewhere', () => {
  it('prints plain lines: each node once, and progress at most once in ten seconds', () => {
    const shown = view(false)
    shown.view.show(snapshot({ load: node({ status: 'cached', outputs: made }), train: node({}) }))
    shown.view.show(change('train', { status: 'running' }))
    shown.view.show(progress('train', 0.1))
    shown.later(11)
    shown.view.show(progress('train', 0.5, 'epoch 4/8'))
    shown.view.show(progress('train', 0.6))
    shown.view.show(snapshot({ load: node({ status: 'cached' }), train: node({ status: 'running' }) }))
    expect(shown.text()).toBe('load   cached  60 cases\n0 % of the run; running: train 50 % epoch 4/8\n')
  })

  it('shows each warning of a node once, live or from a cached result', () => {
    const shown = view(false)
    const log: WorkflowMessage = {
      type: 'log',
      ...base,
      node: 'load',
      level: 'warning',
      code: 'FILES_LEFT_OUT',
      message: '3 left out',
    }
    shown.view.show(snapshot({ load: node({ status: 'running' }), other: node({}) }))
    shown.view.show(log)
    shown.view.show(
      change('load', {
        status: 'success',
        outputs: made,
        warnings: [{ code: 'FILES_LEFT_OUT', message: '3 left out' }],
      }),
    )
    shown.view.show(
      change('other', {
        status: 'cached',
        outputs: made,
        warnings: [{ code: 'UNKNOWN_SPLIT', message: 'no labels' }],
      }),
    )
    expect(shown.text()).toBe(
      'load: 3 left out [FILES_LEFT_OUT]\nload   success  60 cases\nother  cached  60 cases\nother: no labels [UNKNOWN_SPLIT]\n',
    )
  })

  it('shows why a node failed, why another was skipped, and how the run ended', () => {
    const shown = view(false)
    const error = { type: 'COLUMN_NOT_FOUND', message: 'no column "agee"', trace: null }
    shown.view.show(snapshot({ filter: node({}), train: node({}) }))
    shown.view.show(change('filter', { status: 'error', duration: 0.5, error }))
    shown.view.show(change('train', { status: 'skipped', reason: 'it needs "filter", which failed' }))
    shown.view.show(run('error'))
    shown.view.end('error')
    expect(shown.text()).toBe(
      [
        'filter  error  0.5 s  no column "agee" [COLUMN_NOT_FOUND]',
        'train   skipped  it needs "filter", which failed',
        'error after 0.0 s: 1 error, 1 skipped',
        '',
      ].join('\n'),
    )
  })
})
