import { TrainerResources } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { Coalescer } from '../../concurrency/coalescer.js'
import { RateLimiter } from '../../concurrency/rate-limiter.js'
import { RESOURCES_READ_MILLISECONDS } from '../../durations.js'
import type { EventChunk, RunExchange } from '../../ports/run-exchange.js'
import { addBuckets, finestLevel, singleBucket } from '../metrics/metric-levels.js'
import type { ResourceLevelsRepository, StoredResources } from './resource-levels.repository.js'

/** Reads per second of all trainings together: with many trainings, each is read less often and several measurements at a time. */
const READS = new RateLimiter(50)

export interface ResourceWatchOptions {
  readonly jobId: string
  readonly attempt: number
  readonly exchange: Pick<RunExchange, 'resources'>
  readonly levels: ResourceLevelsRepository
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly lookMilliseconds?: number | undefined
}

/** Stores the measurements of a trainer while it is followed. Measurements that could not be stored are read again with the next ones. */
export class ResourceWatch {
  /** Stored state; undefined until it is read. */
  #stored: StoredResources | undefined
  readonly #take = new Coalescer(() => this.#takeAll(), {
    onError: (error) => {
      this.#stored = undefined
      if (!this.#detached) this.options.log.warn({ err: error }, 'what a job takes could not be stored')
    },
  })
  #detached = false
  readonly #end: () => void

  constructor(readonly options: ResourceWatchOptions) {
    const { lookMilliseconds = RESOURCES_READ_MILLISECONDS } = options
    this.#end = READS.repeat(lookMilliseconds, () => this.#take.flush())
  }

  /** Resolves when everything written by now is stored. */
  close(): Promise<void> {
    this.#end()
    return this.#take.flush()
  }

  /** The service ends, and its database with it: the next one reads the rest. */
  detach(): void {
    this.#end()
    this.#detached = true
  }

  async #takeAll(): Promise<void> {
    const { jobId, attempt, exchange, levels } = this.options
    for (;;) {
      this.#stored ??= await levels.find(jobId)
      const chunk = await exchange.resources(
        attempt,
        this.#stored.attempt === attempt ? this.#stored.read_bytes : 0,
      )
      if (!chunk) return
      this.#stored = await store(this.options, this.#stored, chunk)
    }
  }
}

/** The file position moves together with the levels, so that each line counts once. @returns the stored state */
async function store(
  { jobId, attempt, levels }: ResourceWatchOptions,
  before: StoredResources,
  { lines, end }: EventChunk,
): Promise<StoredResources> {
  const measured = lines.flatMap((line) => readLine(line) ?? [])
  const { complete, ...after } = addBuckets(
    before,
    measured.map(({ at, step, values }) => singleBucket({ at, step }, values)),
  )
  const finest = finestLevel(after.points)
  const reasons = measured.at(-1)?.reasons ?? before.reasons
  const stored = { ...after, attempt, read_bytes: end, reasons }
  await levels.store({
    jobId,
    complete: complete.filter(({ level }) => level >= finest),
    outgrown: finest > finestLevel(before.points) ? finest : null,
    stored,
  })
  return stored
}

/** null: not a measurement, such as a line truncated by a full disk. */
function readLine(line: string): TrainerResources | null {
  try {
    return TrainerResources.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}
