import { createHash } from 'node:crypto'
import {
  atPlace,
  fieldsOf,
  type TrainingCheck,
  type TrainingConfig,
  type TrainingOutlook,
  trainerConfig,
} from '@medloom/contracts'
import { within } from '../../concurrency/within.js'
import { AppError } from '../../errors.js'
import type { TaskPool } from '../../ports/task-pool.js'
import { type FileNow, filesNow, stateOf } from '../../storage/digests.js'

export interface TrainerAnswer {
  readonly trainer: TrainingCheck['trainer']
  readonly outlook: TrainingOutlook | null
}

interface Asked {
  readonly answer: Promise<TrainingOutlook>
  /** Aborted when no caller waits for the task any more, while it waits for a process. */
  readonly dropped: AbortController
  waiting: number
  /** Time of the answer, in milliseconds. */
  since: number | null
}

const MOST_KEPT = 200
/** Images can change while their table does not, so an answer expires. */
const KEPT_MILLISECONDS = 60_000
const OF_THE_LOOP_ALONE: ReadonlySet<string> = new Set([
  'epochs',
  'learning_rate',
  'backbone_learning_rate',
  'weight_decay',
  'scheduler',
  'warmup_epochs',
  'gradient_clip',
  'checkpoint_interval',
  'num_workers',
])

/**
 * Answers of the trainer about configurations, each requested once: while a user types, most requests concern the same tables and network.
 * A caller waits for a limited time; the trainer continues, and its answer serves later requests.
 */
export class TrainerAnswers {
  readonly #requests = new Map<string, Asked>()

  constructor(
    private readonly pool: Pick<TaskPool, 'run'>,
    private readonly roots: readonly string[],
    private readonly keptMilliseconds = KEPT_MILLISECONDS,
  ) {}

  /** @param config with absolute paths */
  async request(config: TrainingConfig, waitSeconds: number, signal: AbortSignal): Promise<TrainerAnswer> {
    const request = this.#find(config, await tablesOf(config))
    request.waiting += 1
    try {
      const outlook = await within(waitSeconds * 1000, request.answer, signal)
      if (outlook) return { trainer: { state: 'answered', reason: null }, outlook }
      return { trainer: { state: 'working', reason: null }, outlook: null }
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const reason = fieldsOf('reason', atPlace(error.code, error.text))
      return { trainer: { state: 'failed', ...reason }, outlook: null }
    } finally {
      request.waiting -= 1
      if (signal.aborted && request.waiting === 0) request.dropped.abort()
    }
  }

  #find(config: TrainingConfig, tables: Tables): Asked {
    const key = keyOf(config, tables)
    const known = this.#requests.get(key)
    const old = known?.since != null && Date.now() - known.since > this.keptMilliseconds
    if (known && !old && !known.dropped.signal.aborted) return known
    const dropped = new AbortController()
    const params = { config: trainerConfig(config), roots: [...this.roots] }
    const bytes = tables.reduce((sum, table) => sum + (table?.size ?? 0), 0)
    const answer = this.pool.run('check_training', params, { waits: dropped.signal, reads: { bytes } })
    const request: Asked = { answer, dropped, waiting: 0, since: null }
    this.#requests.delete(key)
    this.#requests.set(key, request)
    answer.then(
      () => {
        request.since = Date.now()
      },
      () => {
        if (this.#requests.get(key) === request) this.#requests.delete(key)
      },
    )
    for (const oldest of this.#requests.keys()) {
      if (this.#requests.size <= MOST_KEPT) break
      this.#requests.delete(oldest)
    }
    return request
  }
}

/** The current tables of a configuration; null: the table does not exist. */
type Tables = readonly (FileNow | null)[]

function tablesOf(config: TrainingConfig): Promise<Tables> {
  const { train_csv, val_csv, test_csv } = trainerConfig(config).data
  const paths = [train_csv, val_csv, test_csv].filter((path) => path !== null)
  return filesNow(paths)
}

/** Inputs of the answer: the configuration without keys that only the training loop reads, and the current state of the tables. */
function keyOf(config: TrainingConfig, tables: Tables): string {
  const { data, model, training } = trainerConfig(config)
  const loop = Object.entries(training).filter(([key]) => !OF_THE_LOOP_ALONE.has(key))
  const marks = tables.map((table) => table && stateOf(table))
  return createHash('sha256')
    .update(JSON.stringify([data, model, loop, marks]))
    .digest('hex')
}
