import { describe, expect, it } from 'vitest'
import {
  canBecome,
  isTerminal,
  JOB_STATUSES,
  JOB_TRANSITIONS,
  NODE_STATUSES,
  NODE_TRANSITIONS,
  RUN_STATUSES,
  RUN_TRANSITIONS,
} from './index.js'

describe('job status', () => {
  //  started ──► running ──► completed
  //     │           ├──────► failed
  //     └───────────┴──────► stopped
  it('reaches every status from started, and nothing leaves a terminal one', () => {
    const reached = new Set(['started'])
    for (const from of reached)
      for (const to of JOB_TRANSITIONS[from as keyof typeof JOB_TRANSITIONS]) reached.add(to)
    expect([...reached].sort()).toEqual([...JOB_STATUSES].sort())
    for (const status of ['completed', 'failed', 'stopped'] as const) {
      expect(isTerminal(status)).toBe(true)
      for (const other of JOB_STATUSES) expect(canBecome(status, other)).toBe(false)
    }
  })

  it('cannot be completed without having run', () => {
    expect(canBecome('started', 'completed')).toBe(false)
  })
})

it('a status is terminal when no transition of its table leaves it, for jobs, runs and nodes alike', () => {
  for (const status of JOB_STATUSES) expect(isTerminal(status)).toBe(JOB_TRANSITIONS[status].length === 0)
  for (const status of RUN_STATUSES) expect(isTerminal(status)).toBe(RUN_TRANSITIONS[status].length === 0)
  for (const status of NODE_STATUSES) expect(isTerminal(status)).toBe(NODE_TRANSITIONS[status].length === 0)
})
