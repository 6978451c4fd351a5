import { TrainerResources } from '@medloom/contracts'
import type { FastifyBaseLogger } from 'fastify'
import { Pace } from '../../concurrency/pace.js'
import { together } from '../../database/together.js'
import type { RunExchange } from '../../launchers/exchange/run-exchange.js'
import { finestLevel, foldBuckets, singleBucket } from '../metrics/metric-levels.js'
import type { ResourceLevelsRepository } from './resource-levels.repository.js'

/** As often as trainers measure. */
const LOOK_MILLISECONDS = 5000
/** Of all trainings together: of more than that many several measurements are taken in at a time. */
const LOOKS = new Pace(50)

export interface ResourceWatchOptions {
  readonly jobId: string
  readonly attempt: number
  readonly exchange: Pick<RunExchange, 'resources'>
  readonly levels: ResourceLevelsRepository
  readonly log: Pick<FastifyBaseLogger, 'warn'>
  readonly lookMilliseconds?: number | undefined
}

/** Takes in what a trainer measures while it is followed. What fails is read again with what follows it. */
export class ResourceWatch {
  #timer: NodeJS.Timeout | undefined
  #taking: Promise<void> = Promise.resolve()
  #closed = false
  readonly #leave = LOOKS.join()

  constructor(readonly options: ResourceWatchOptions) {
    this.#next()
  }

  /** Resolves when what was written by now is stored. */
  close(): Promise<void> {
    this.#closed = true
    this.#leave()
    clearTimeout(this.#timer)
    return this.#take()
  }

  #next(): void {
    if (this.#closed) return
    const milliseconds = this.options.lookMilliseconds ?? Math.max(LOOK_MILLISECONDS, LOOKS.milliseconds)
    this.#timer = setTimeout(() => void this.#take().then(() => this.#next()), milliseconds).unref()
  }

  #take(): Promise<void> {
    this.#taking = this.#taking
      .then(() => takeResources(this.options))
      .catch((error) => this.options.log.warn({ err: error }, 'what a job takes could not be stored'))
    return this.#taking
  }
}

/** One transaction moves the place in the file together with the levels: each line counts once. */
async function takeResources({ jobId, attempt, exchange, levels }: ResourceWatchOptions): Promise<void> {
  for (;;) {
    const before = await levels.find(jobId)
    const read = before.attempt === attempt ? before.read_bytes : 0
    const chunk = await exchange.resources(attempt, read)
    if (!chunk) return
    const measured = chunk.lines.flatMap((line) => readLine(line) ?? [])
    const { complete, ...after } = foldBuckets(
      before,
      measured.map(({ at, step, values }) => singleBucket({ at, step }, values)),
    )
    const finest = finestLevel(after.points)
    const reasons = measured.at(-1)?.reasons ?? before.reasons
    await levels.withoutWaiting(async (transaction) => {
      const kept = complete.filter(({ level }) => level >= finest)
      const outgrown = finest > finestLevel(before.points)
      await together([
        levels.add(jobId, kept, transaction),
        ...(outgrown ? [levels.dropBelow(jobId, finest, transaction)] : []),
        levels.save(jobId, { ...after, attempt, read_bytes: chunk.end, reasons }, transaction),
      ])
    })
  }
}

/** null: no measurement, such as a line that a full disk has cut. */
function readLine(line: string): TrainerResources | null {
  try {
    return TrainerResources.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}
