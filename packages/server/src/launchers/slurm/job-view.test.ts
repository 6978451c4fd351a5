import { expect, it } from 'vitest'
import type { TerminalEvent } from '../../ports/terminal-event.js'
import { NOT_WRITABLE } from './batch-script.js'
import { endingOf, interruptionOf, stateOf } from './job-view.js'
import type { SlurmJob } from './slurm-commands.js'

const ended = (state: string, exit: number | null = 0): SlurmJob => ({
  id: '7',
  name: 'medloom-a-1',
  state,
  reason: null,
  exit,
})
const stopped = { type: 'completed', status: 'stopped' } as TerminalEvent

it.each([
  ['TIMEOUT', 'its time limit in Slurm was reached'],
  ['PREEMPTED', 'Slurm preempted it for another job'],
  ['NODE_FAIL', 'its node failed'],
  ['BOOT_FAIL', 'its node failed to boot'],
])('a job that ends as %s is interrupted: its training continues', (state, why) => {
  expect(stateOf(ended(state))).toBe('gone')
  expect(interruptionOf(ended(state), null, false)?.english).toBe(why)
})

it.each(['FAILED', 'OUT_OF_MEMORY', 'CANCELLED', 'DEADLINE', 'COMPLETED'])(
  'a job that ends as %s without a report failed by itself, or was canceled by a person',
  (state) => {
    expect(stateOf(ended(state))).toBe('gone')
    expect(interruptionOf(ended(state), null, false)).toBeNull()
  },
)

it('a trainer that saved its checkpoint at the request of Slurm is interrupted', () => {
  expect(interruptionOf(ended('COMPLETED'), stopped, false)?.english).toContain('requested its end')
  expect(interruptionOf(ended('CANCELLED'), stopped, false)).toBeNull()
})

it('a job that Slurm does not know is interrupted, unless this service canceled it', () => {
  expect(interruptionOf(null, null, false)?.english).toContain('has no record')
  expect(interruptionOf(null, null, true)).toBeNull()
})

it('describes its end, with a remedy for too little memory or a missing folder', () => {
  expect(endingOf(ended('FAILED', 1)).english).toBe('Slurm job 7: FAILED, exit code 1')
  expect(endingOf(ended('OUT_OF_MEMORY', null)).english).toContain('--slurm-memory')
  expect(endingOf(ended('FAILED', NOT_WRITABLE)).english).toContain('exit code 73; its node cannot write')
})
