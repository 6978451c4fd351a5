import { expect, it } from 'vitest'
import type { Capacity } from '../../ports/launcher.js'
import { admit } from './admission.js'
import type { RunningQuotas } from './remaining-quotas.js'
import type { Admission, Waiting } from './waiting.js'

/** The rule in its simplest form: every job is compared with every occupied slot, and with every job of its owner. */
function byDefinition(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  capacity: Capacity,
  quotas: RunningQuotas = new Map(),
) {
  const admitted: Admission[] = []
  const reserved: string[] = []
  for (const job of waiting) {
    const theirs = [...running, ...admitted].filter(({ owner }) => owner === job.owner)
    if (job.owner && theirs.length >= (quotas.get(job.owner) ?? Number.POSITIVE_INFINITY)) continue
    const busy = [...running, ...admitted].flatMap(({ places }) => places)
    const choices = placesFor(job.device, capacity.accelerators)
    if (capacity.maxJobs !== null) {
      if (running.length + admitted.length >= capacity.maxJobs) break
      const load = (places: string[]) => busy.filter((place) => places.includes(place)).length
      const best = choices.reduce((one, other) => (load(other) < load(one) ? other : one))
      admitted.push({ ...job, places: best })
      continue
    }
    const free = choices.find(
      (places) => !places.some((place) => busy.includes(place) || reserved.includes(place)),
    )
    if (free) admitted.push({ ...job, places: free })
    else reserved.push(...choices.flat())
  }
  return admitted
}

function placesFor(device: string, accelerators: readonly string[]): string[][] {
  const any = accelerators.filter((name) => device === 'auto' || name.startsWith(`${device}:`))
  if (any.length > 0) return any.map((name) => [name])
  const [, numbers] = device.split(':')
  const named = numbers === undefined ? [device] : numbers.split(',').map((number) => `cuda:${number}`)
  return named.every((name) => accelerators.includes(name)) ? [named] : [['cpu']]
}

/** Pseudo-random numbers below `below`, identical in every run (mulberry32). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const DEVICES = ['auto', 'cuda', 'cpu', 'mps', 'cuda:0', 'cuda:2', 'cuda:0,1', 'cuda:1,3', 'cuda:99']

it('admits the same jobs as the definition, for any waiting and running jobs', () => {
  for (let seed = 0; seed < 500; seed++) {
    const draw = numbers(seed)
    const accelerators =
      draw(6) === 0 ? ['mps'] : Array.from({ length: draw(8) }, (_, index) => `cuda:${index}`)
    const capacity: Capacity = { accelerators, maxJobs: draw(3) === 0 ? draw(12) : null }
    const jobs = Array.from({ length: draw(60) }, (_, index) => ({
      id: String(index),
      device: DEVICES[draw(DEVICES.length)] ?? 'auto',
      num_workers: null,
      owner: ['ann', 'bob', null][draw(3)] ?? null,
    }))
    const quotas = new Map([['ann', draw(5)]])
    const running = byDefinition(jobs.slice(0, draw(10)), [], capacity)
    const waiting = jobs.filter(({ id }) => running.every((job) => job.id !== id))
    expect(admit(waiting, running, capacity, quotas), `seed ${seed}`).toEqual(
      byDefinition(waiting, running, capacity, quotas),
    )
  }
})

it('takes one pass over a long queue: ten times as many jobs take much less than a hundred times as long', () => {
  const accelerators = Array.from({ length: 1000 }, (_, index) => `cuda:${index}`)
  const running = accelerators
    .slice(1)
    .map((place): Admission => ({ id: place, device: 'auto', num_workers: null, places: [place] }))
  let looks = 0
  const waiting = Array.from({ length: 10_000 }, (_, index) => ({
    id: String(index),
    num_workers: null,
    get device() {
      looks += 1
      return 'auto'
    },
  }))
  const [first, ...others] = admit(waiting, running, { accelerators, maxJobs: null })
  expect([first?.id, first?.places, others]).toEqual(['0', ['cuda:0'], []])
  expect(looks).toBeLessThan(5 * waiting.length)
})
