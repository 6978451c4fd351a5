import type { Capacity } from '../../packages/server/src/ports/launcher.js'
import { Scheduler } from '../../packages/server/src/training/scheduling/scheduler.js'
import { type Figure, quantile } from './figures.js'
import { configOf, type Size } from './seed.js'

const DECISIONS = 100

/** Milliseconds from the end of a job until the next one is selected, with a full queue: one slot per job, or the given number. */
export async function decisions(
  { queued, running }: Size,
  places: 'one device each' | 'any device',
): Promise<number[]> {
  const accelerators =
    places === 'any device' ? [] : Array.from({ length: running }, (_, number) => `cuda:${number}`)
  const capacity: Capacity = { accelerators, maxJobs: places === 'any device' ? running : null }
  const config = configOf('/train.csv')
  const job = (job_id: string) => ({
    job_id,
    owner: null,
    config: { ...config, training: { ...config.training, device: 'auto' as const } },
  })
  const ends: (() => void)[] = []
  let chosen: () => void = () => undefined
  const scheduler = new Scheduler(
    async () => capacity,
    () => {
      chosen()
      return new Promise((end) => ends.push(() => end(null)))
    },
    { isShut: false, shut: () => undefined },
  )
  for (let index = 0; index < queued + running; index++) scheduler.enqueue(job(String(index)))
  while (ends.length < running) await new Promise(setImmediate)
  const times: number[] = []
  for (let count = 0; count < Math.min(DECISIONS, queued); count++) {
    const next = new Promise<void>((done) => {
      chosen = done
    })
    const began = performance.now()
    ends[count]?.()
    await next
    times.push(performance.now() - began)
  }
  scheduler.close()
  return times
}

/** @returns measurements with limits. */
export async function decisionFigures(size: Size): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const places of ['one device each', 'any device'] as const)
    figures.push({
      what: `decision at ${size.queued} waiting, ${size.running} slots (${places}), p99`,
      value: quantile(await decisions(size, places), 0.99),
      unit: 'ms',
      limit: { at: 'most', value: 50 },
    })
  return figures
}
