import { after } from '../concurrency/timer.js'
import { within } from '../concurrency/within.js'
import { PYTHON_PROBE_RETRY_SECONDS } from '../durations.js'
import { AppError } from '../errors.js'
import type { TaskPool, TaskResult } from '../ports/task-pool.js'

export type Probe = TaskResult<'probe'>
/** The state of the trainer's environment, as far as known. */
export type ProbeState =
  | { readonly known: true; readonly probe: Probe }
  | { readonly known: false; readonly error: string }

/** The versions in the trainer's environment: read once and cached, read again only after a failure. */
export class PythonProbe {
  private answer: Promise<ProbeState> | undefined

  constructor(private readonly pool: Pick<TaskPool, 'run'>) {}

  /** Wait at most `seconds`; an environment that is still starting counts as unknown, not as faulty. */
  async state(seconds: number): Promise<ProbeState> {
    this.answer ??= this.probe()
    const state = await within(seconds * 1000, this.answer)
    return state ?? { known: false, error: 'the Python environment is still starting' }
  }

  private async probe(): Promise<ProbeState> {
    try {
      return { known: true, probe: await this.pool.run('probe', {}) }
    } catch (error) {
      after(PYTHON_PROBE_RETRY_SECONDS * 1000, () => {
        this.answer = undefined
      })
      return {
        known: false,
        error: error instanceof AppError ? `${error.message}. ${error.details}` : 'the probe failed',
      }
    }
  }
}
