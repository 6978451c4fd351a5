import type { JobRecord } from '../job-record.js'

/** What there is to train on. `maxJobs` set: that many at a time, wherever they run. */
export interface Machine {
  /** "cuda:0", "cuda:1", "mps"; empty: the CPU alone. */
  readonly accelerators: readonly string[]
  readonly maxJobs: number | null
}

export interface Waiting {
  readonly job_id: string
  /** training.device of the configuration. */
  readonly device: string
}

export interface Admission extends Waiting {
  /** What the job occupies: accelerators, or the CPU. */
  readonly places: readonly string[]
}

/**
 * Which of the waiting jobs may start now, first in first out: one job per accelerator, one on the CPU. A job that waits for a
 * place keeps those behind it from taking that place, and only that. Pure.
 */
export function admit(
  waiting: readonly Waiting[],
  running: readonly Admission[],
  machine: Machine,
): Admission[] {
  const admitted: Admission[] = []
  const kept = new Set<string>()
  for (const job of waiting) {
    const busy = [...running, ...admitted].flatMap(({ places }) => places)
    const choices = choicesOf(job.device, machine.accelerators)
    if (machine.maxJobs !== null) {
      if (running.length + admitted.length >= machine.maxJobs) break
      admitted.push({ ...job, places: leastBusy(choices, busy) })
      continue
    }
    const free = choices.find((places) => places.every((place) => !busy.includes(place) && !kept.has(place)))
    if (free) admitted.push({ ...job, places: free })
    else for (const place of choices.flat()) kept.add(place)
  }
  return admitted
}

/** The device that a job is told to use: the accelerator it was given, where there is a choice. */
export function deviceFor({ device, places }: Admission, machine: Machine): string {
  const [place] = places
  const open = device === 'auto' || device === 'cuda'
  return open && machine.accelerators.length > 1 && place?.startsWith('cuda:') ? place : device
}

/** A device that is not there counts as the CPU: the trainer says what is wrong, and holds up nobody with a device. */
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

/** The queue. It starts jobs in order of acceptance; `run` resolves once a job has left its place. */
export class Scheduler {
  #waiting: Waiting[] = []
  #running = new Map<string, Admission>()
  #machine: Machine | undefined
  #closed = false

  constructor(
    readonly machine: () => Promise<Machine>,
    readonly run: (jobId: string, device: string | null) => Promise<void>,
  ) {}

  enqueue(job: Pick<JobRecord, 'job_id' | 'config'>): void {
    this.#waiting.push({ job_id: job.job_id, device: job.config.training.device })
    void this.#wake()
  }

  /** A job that runs already, left behind by an earlier service, occupies the place where it trains. */
  adopt(job: Pick<JobRecord, 'job_id' | 'config' | 'prepared'>): void {
    const device = job.prepared?.device ?? job.config.training.device
    const places = /^cuda:[\d,]+$/.test(device)
      ? device
          .slice(5)
          .split(',')
          .map((number) => `cuda:${number}`)
      : [device.split(':')[0] ?? device]
    this.#begin({ job_id: job.job_id, device, places }, null)
  }

  remove(jobId: string): void {
    this.#waiting = this.#waiting.filter((job) => job.job_id !== jobId)
  }

  close(): void {
    this.#closed = true
    this.#waiting = []
  }

  async #wake(): Promise<void> {
    this.#machine ??= await this.machine()
    const machine = this.#machine
    if (this.#closed) return
    for (const admission of admit(this.#waiting, [...this.#running.values()], machine)) {
      this.remove(admission.job_id)
      this.#begin(admission, deviceFor(admission, machine))
    }
  }

  #begin(admission: Admission, device: string | null): void {
    this.#running.set(admission.job_id, admission)
    void this.run(admission.job_id, device).finally(() => {
      this.#running.delete(admission.job_id)
      void this.#wake()
    })
  }
}
