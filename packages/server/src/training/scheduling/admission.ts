import type { Capacity } from '../../launchers/launcher.js'

export interface Waiting {
  /** Of a job, or of other work that needs an accelerator. */
  readonly id: string
  /** As training.device of a configuration. */
  readonly device: string
}

export interface Admission extends Waiting {
  /** What it occupies: accelerators, or the CPU. */
  readonly places: readonly string[]
}

/**
 * Which of the waiting jobs may start now, first in first out: one job per accelerator, one on the CPU. A job that waits for a
 * place keeps those behind it from taking that place, and only that. Pure.
 */
export function admit(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  capacity: Capacity,
): Admission[] {
  const admitted: Admission[] = []
  const kept = new Set<string>()
  for (const job of waiting) {
    const busy = [...running, ...admitted].flatMap(({ places }) => places)
    const choices = choicesOf(job.device, capacity.accelerators)
    if (capacity.maxJobs !== null) {
      if (running.length + admitted.length >= capacity.maxJobs) break
      admitted.push({ ...job, places: leastBusy(choices, busy) })
      continue
    }
    const free = choices.find((places) => places.every((place) => !busy.includes(place) && !kept.has(place)))
    if (free) admitted.push({ ...job, places: free })
    else for (const place of choices.flat()) kept.add(place)
  }
  return admitted
}

/** The device in the spec of a job: the accelerator it was given, where there is a choice. */
export function deviceFor({ device, places }: Admission, capacity: Capacity): string {
  const [place] = places
  const open = device === 'auto' || device === 'cuda'
  return open && capacity.accelerators.length > 1 && place?.startsWith('cuda:') ? place : device
}

/** Whether work on `device` needs a place on an accelerator: not on the CPU, and not on a device that does not exist. */
export function needsAccelerator(device: string, { accelerators }: Capacity): boolean {
  return choicesOf(device, accelerators)
    .flat()
    .some((place) => accelerators.includes(place))
}

/** A device that does not exist counts as the CPU: the trainer reports the error, and jobs with a device do not wait for it. */
function choicesOf(device: string, accelerators: readonly string[]): string[][] {
  const any =
    device === 'auto'
      ? accelerators
      : device === 'cuda'
        ? accelerators.filter((name) => name.startsWith('cuda'))
        : []
  if (any.length > 0) return any.map((name) => [name])
  const numbers = /^cuda:([\d,]+)$/.exec(device)?.[1]
  const named = numbers ? numbers.split(',').map((number) => `cuda:${number}`) : [device]
  return named.every((name) => accelerators.includes(name)) ? [named] : [['cpu']]
}

function leastBusy(choices: readonly string[][], busy: readonly string[]): string[] {
  const load = (places: readonly string[]) => busy.filter((place) => places.includes(place)).length
  return choices.reduce((best, places) => (load(places) < load(best) ? places : best))
}
