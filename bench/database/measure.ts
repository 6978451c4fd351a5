import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Subject, Tables } from './subjects.js'

export interface Figures {
  /** One after the other, each a transaction with one row that is synced to the disk. */
  readonly commitsPerSecond: number
  /** The same from 16 concurrent callers. */
  readonly commitsPerSecondOf16: number
  /** In one transaction, 100 rows per statement. */
  readonly rowsPerSecond: number
  /** Time of a select of one row by its key, in milliseconds. */
  readonly selectMedian: number
  readonly selectP99: number
  /** The same during continuous writes. */
  readonly selectUnderLoadMedian: number
  readonly selectUnderLoadP99: number
  /** Maximum and 99th percentile of the delay of a timer in milliseconds, while 16 callers commit and one writes batches. */
  readonly stallMax: number
  readonly stallP99: number
}

export async function measure({ database }: Subject, seconds: number): Promise<Figures> {
  const commit = (seq: number) =>
    database
      .transaction()
      .execute((transaction) => transaction.insertInto('events').values(row(seq)).execute())
  const batches = (count: number) =>
    database.transaction().execute(async (transaction) => {
      for (let batch = 0; batch < count; batch++) {
        const rows = Array.from({ length: 100 }, (_, seq) => row(seq))
        await transaction.insertInto('events').values(rows).execute()
      }
    })
  const select = () => database.selectFrom('events').selectAll().where('number', '=', 1).executeTakeFirst()

  await commit(0)
  const commitsPerSecond = await rate(seconds, 1, commit)
  const commitsPerSecondOf16 = await rate(seconds, 16, commit)
  const rowsPerSecond = 1000 * (await rate(seconds, 1, () => batches(10)))
  const idle = await latencies(seconds, select)

  const load = new AbortController()
  const callers = [
    ...Array.from({ length: 16 }, () => repeatedly(load.signal, () => commit(1))),
    repeatedly(load.signal, () => batches(5)),
  ]
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const busy = await latencies(seconds * 2, select, () => {
    loop.disable()
    load.abort()
  })
  await Promise.all(callers)
  return {
    commitsPerSecond,
    commitsPerSecondOf16,
    rowsPerSecond,
    selectMedian: quantile(idle, 0.5),
    selectP99: quantile(idle, 0.99),
    selectUnderLoadMedian: quantile(busy, 0.5),
    selectUnderLoadP99: quantile(busy, 0.99),
    stallMax: loop.max / 1e6,
    stallP99: loop.percentile(99) / 1e6,
  }
}

function row(seq: number): Tables['events'] {
  return {
    job: 'a job of the bench',
    seq,
    type: 'progress',
    message: JSON.stringify({ seq, text: 'x'.repeat(150) }),
  }
}

/** Rate per second with this number of concurrent callers. */
async function rate(
  seconds: number,
  callers: number,
  work: (i: number) => Promise<unknown>,
): Promise<number> {
  const end = AbortSignal.timeout(seconds * 1000)
  const begin = performance.now()
  let done = 0
  await Promise.all(Array.from({ length: callers }, () => repeatedly(end, () => work(done++))))
  return (1000 * done) / (performance.now() - begin)
}

async function repeatedly(until: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  for (let last = performance.now(); !until.aborted; ) {
    await work()
    // A database in this thread never yields to timers; a service that only writes would never stop.
    if (performance.now() - last < 10) continue
    await new Promise((resume) => setImmediate(resume))
    last = performance.now()
  }
}

/** Interval between calls, which are due whether or not the previous one has ended, like requests. */
const INTERVAL = 5

/** Milliseconds of each call from the moment at which it was due, so that a blocked event loop counts too. */
async function latencies(
  seconds: number,
  work: () => Promise<unknown>,
  onLastDue: () => void = () => undefined,
): Promise<number[]> {
  const taken: Promise<number>[] = []
  const begin = performance.now()
  for (let due = begin; due < begin + seconds * 1000; due += INTERVAL) {
    const early = due - performance.now()
    if (early > 0) await delay(early)
    taken.push(work().then(() => performance.now() - due))
  }
  onLastDue()
  return (await Promise.all(taken)).sort((a, b) => a - b)
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}
