import type { TrainerOrder } from '../ports/launcher.js'
import { MEDLOOM_VERSION } from '../version.js'

/** Command that starts a process for an order, on any machine. */
export interface TrainerCommand {
  readonly argv: readonly [program: string, ...args: string[]]
  /**
   * Added to the variables of the machine. It may contain a secret: it must only be passed in the environment of the process, never in a
   * log or a list of arguments.
   */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * The only way in which launchers start a trainer. Its output goes to the log of its run, not to that of the launcher.
 * @param python the interpreter with the trainer, on the machine of the trainer
 */
export function trainerCommand(python: string, order: TrainerOrder): TrainerCommand {
  const { job_id, attempt, spec, token, resources } = order
  const trainer = [python, '-m', 'medloom_trainer'] as const
  const environment = {
    ...PLAIN_TEXT,
    // A trainer of another version refuses to start, because the interface of both changes with the version.
    MEDLOOM_VERSION,
  }
  if (token === undefined) {
    // On several nodes, this process starts the others.
    const what = resources.nodes > 1 ? 'group' : 'train'
    // A cluster may start it so late that the spec already belongs to a later attempt.
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

/** Makes its output unbuffered and UTF-8. */
const PLAIN_TEXT = { PYTHONUNBUFFERED: '1', PYTHONUTF8: '1' }
