import { MEDLOOM_VERSION } from '../system/version.js'
import type { TrainerOrder } from './launcher.js'

/** How a process is made that carries out an order, on whichever machine. */
export interface TrainerCommand {
  readonly argv: readonly [program: string, ...args: string[]]
  /** Beside what the machine has. It may hold a secret: it belongs into the environment of the process alone, never into a log or a list of arguments. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The one way in which launchers start a trainer. What it prints goes to the log of its run, not to that of the launcher.
 * @param python the interpreter that has the trainer, on the machine where it runs
 */
export function trainerCommand(python: string, order: TrainerOrder): TrainerCommand {
  const { job_id, attempt, spec, token, resources } = order
  const trainer = [python, '-m', 'medloom_trainer'] as const
  const environment = {
    ...PLAIN_TEXT,
    // A trainer of another version refuses to start: what both agree on changes with it.
    MEDLOOM_VERSION,
  }
  if (token === undefined) {
    // On several nodes it is the process that starts the others.
    const what = resources.nodes > 1 ? 'group' : 'train'
    // A cluster may begin it so late that the spec is that of a later attempt.
    return { argv: [...trainer, what, '--log', `--attempt=${attempt}`, spec], environment }
  }
  return {
    argv: [...trainer, 'remote'],
    environment: {
      ...environment,
      MEDLOOM_EXCHANGE_URL: spec,
      MEDLOOM_EXCHANGE_TOKEN: token,
      MEDLOOM_JOB_ID: job_id,
      MEDLOOM_ATTEMPT: String(attempt),
    },
  }
}

/** What it prints arrives at once, and in UTF-8. */
const PLAIN_TEXT = { PYTHONUNBUFFERED: '1', PYTHONUTF8: '1' }
