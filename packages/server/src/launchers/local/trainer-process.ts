import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import type { RunningTrainer } from '../launcher.js'
import { polledTrainer } from '../polled-trainer.js'
import { ProcessIdentity, processState, signalFamily } from './process-identity.js'

/** The handle of a trainer that is a process of this machine. */
export const LocalHandle = ProcessIdentity.extend({ launcher: z.literal('local') })
export type LocalHandle = z.infer<typeof LocalHandle>

/** A child of this service. Its end is noticed at once. */
export function ownProcess(child: ChildProcess, handle: LocalHandle): RunningTrainer {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ended = hasEnded()
    ? Promise.resolve()
    : once(child, 'exit').then(
        () => undefined,
        () => undefined,
      )
  return {
    handle,
    state: async () => (hasEnded() ? 'gone' : 'running'),
    begun: Promise.resolve(),
    gone: ended.then(() =>
      child.signalCode ? `killed by ${child.signalCode}` : `exit code ${child.exitCode}`,
    ),
    stop: () => signalFamily(handle, 'SIGTERM'),
    kill: () => signalFamily(handle, 'SIGKILL'),
    release: () => child.unref(),
  }
}

/** A process that another service started: polled, since only a parent is notified of the end. */
export function adoptedProcess(handle: LocalHandle, pollMilliseconds?: number): RunningTrainer {
  return polledTrainer(
    {
      handle,
      look: () => processState(handle),
      ending: () => 'its exit code is not known',
      stop: () => signalFamily(handle, 'SIGTERM'),
      kill: () => signalFamily(handle, 'SIGKILL'),
    },
    pollMilliseconds,
  )
}
