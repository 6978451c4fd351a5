import { phrase, type Text, textOf } from '@medloom/contracts'
import { z } from 'zod'
import { sleep } from '../../concurrency/sleep.js'
import type { RunningTrainer } from '../../ports/launcher.js'
import { polledTrainer } from '../polled-trainer.js'
import { ProcessIdentity, processState, signalFamily } from './process-identity.js'

/** The handle of a trainer that is a process of this machine. */
export const LocalHandle = ProcessIdentity.extend({ launcher: z.literal('local') })
export type LocalHandle = z.infer<typeof LocalHandle>

/** Time to wait for the report of the end of a process that is gone. */
const REPORT_MILLISECONDS = 2000

/**
 * A process whose parent reports its end. It is also polled: a parent that was killed or suspended reports nothing.
 * @param ended resolves with "exit code 0" or "killed by SIGKILL" when the parent has reported it.
 */
export function reportedProcess(handle: LocalHandle, ended: Promise<Text>): RunningTrainer {
  const polled = adoptedProcess(handle)
  let over = false
  const reported = ended.then((ending) => {
    over = true
    polled.release()
    return ending
  })
  const missed = polled.gone.then(async (ending) => {
    await sleep(REPORT_MILLISECONDS)
    return ending
  })
  return {
    ...polled,
    state: async () => (over ? 'gone' : polled.state()),
    begun: Promise.resolve(),
    gone: Promise.race([reported, missed]),
  }
}

/** A process that another service started: polled, since only a parent is notified of the end. */
export function adoptedProcess(handle: LocalHandle, pollMilliseconds?: number): RunningTrainer {
  return polledTrainer(
    {
      handle,
      look: () => processState(handle),
      ending: () => textOf(phrase('exit_code_unknown')),
      stop: () => signalFamily(handle, 'SIGTERM'),
      kill: () => signalFamily(handle, 'SIGKILL'),
    },
    pollMilliseconds,
  )
}
