import type { Capacity } from '../../ports/launcher.js'
import { admitToCluster } from './cluster-admission.js'
import { RemainingQuotas, type RunningQuotas } from './remaining-quotas.js'
import type { Admission, Waiting } from './waiting.js'

/**
 * Select the waiting jobs that may start now, first in first out: one job per accelerator, one on the CPU. A job that waits for a slot
 * reserves only that slot against later jobs; a job whose owner has reached their quota of running jobs blocks nobody. Pure. It takes one
 * pass over the jobs, because the queue of a cluster is checked whenever a job arrives or ends.
 */
export function admit(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  capacity: Capacity,
  quotas: RunningQuotas = new Map(),
): Admission[] {
  const room = new RemainingQuotas(quotas, running)
  if (capacity.cluster) return admitToCluster(waiting, running, capacity.cluster, capacity.maxJobs, room)
  const places = new TakenPlaces(capacity.accelerators, running)
  return capacity.maxJobs === null
    ? oneForEachPlace(waiting, places, room)
    : asMany(waiting, capacity.maxJobs - running.length, places, room)
}

/** A slot is assigned once and never becomes free within one pass: if a device has no free slot, it has none for later jobs either. */
function oneForEachPlace(
  waiting: readonly Waiting[],
  places: TakenPlaces,
  room: RemainingQuotas,
): Admission[] {
  const admitted: Admission[] = []
  const without = new Set<string>()
  for (const job of waiting) {
    if (without.has(job.device) || !room.has(job)) continue
    const free = places.firstFree(job.device)
    if (free) {
      room.take(job)
      admitted.push({ ...job, places: places.take(free) })
    } else {
      without.add(job.device)
      places.keep(job.device)
    }
  }
  return admitted
}

function asMany(
  waiting: readonly Waiting[],
  count: number,
  places: TakenPlaces,
  room: RemainingQuotas,
): Admission[] {
  const admitted: Admission[] = []
  for (const job of waiting) {
    if (admitted.length >= count) break
    if (!room.has(job)) continue
    room.take(job)
    admitted.push({ ...job, places: places.take(places.leastBusy(job.device)) })
  }
  return admitted
}

/** Slots that are occupied or reserved during a pass over the waiting jobs. */
class TakenPlaces {
  readonly #accelerators: ReadonlySet<string>
  /** Slot → number of its jobs. */
  readonly #jobs = new Map<string, number>()
  /** Slots that a job waits for. */
  readonly #reserved = new Set<string>()
  /** By device: the slots for its jobs, and the number of leading ones that are not free. */
  readonly #choices = new Map<string, { readonly all: readonly string[][]; passed: number }>()

  constructor(
    readonly accelerators: readonly string[],
    running: readonly Admission[],
  ) {
    this.#accelerators = new Set(accelerators)
    for (const { places } of running) this.take(places)
  }

  take(places: readonly string[]): readonly string[] {
    for (const place of places) this.#jobs.set(place, this.#load(place) + 1)
    return places
  }

  keep(device: string): void {
    for (const places of this.#choicesOf(device).all) for (const place of places) this.#reserved.add(place)
  }

  firstFree(device: string): readonly string[] | undefined {
    const choices = this.#choicesOf(device)
    const isFree = (place: string) => this.#load(place) === 0 && !this.#reserved.has(place)
    while (choices.passed < choices.all.length && !choices.all[choices.passed]?.every(isFree))
      choices.passed += 1
    return choices.all[choices.passed]
  }

  leastBusy(device: string): readonly string[] {
    const load = (places: readonly string[]) => places.reduce((sum, place) => sum + this.#load(place), 0)
    return this.#choicesOf(device).all.reduce((best, places) => (load(places) < load(best) ? places : best))
  }

  #load(place: string): number {
    return this.#jobs.get(place) ?? 0
  }

  #choicesOf(device: string) {
    const known = this.#choices.get(device)
    if (known) return known
    const choices = { all: choicesOf(device, this.accelerators, this.#accelerators), passed: 0 }
    this.#choices.set(device, choices)
    return choices
  }
}

/** Returns true if work on `device` needs an accelerator slot: not on the CPU, and not on a device that does not exist. */
export function needsAccelerator(device: string, { accelerators }: Capacity): boolean {
  return choicesOf(device, accelerators)
    .flat()
    .some((place) => accelerators.includes(place))
}

/** A device that does not exist counts as the CPU: the trainer reports the error, and other jobs do not wait for it. */
function choicesOf(
  device: string,
  accelerators: readonly string[],
  known: ReadonlySet<string> = new Set(accelerators),
): string[][] {
  const any =
    device === 'auto'
      ? accelerators
      : device === 'cuda'
        ? accelerators.filter((name) => name.startsWith('cuda'))
        : []
  if (any.length > 0) return any.map((name) => [name])
  const numbers = /^cuda:([\d,]+)$/.exec(device)?.[1]
  const named = numbers ? numbers.split(',').map((number) => `cuda:${number}`) : [device]
  return named.every((name) => known.has(name)) ? [named] : [['cpu']]
}
