import { randomUUID } from 'node:crypto'
import { Timer } from '../../concurrency/timer.js'
import { CLUSTER_CAPACITY_POLL_MILLISECONDS } from '../../durations.js'
import type { AppError } from '../../errors.js'
import type { Capacity } from '../../ports/launcher.js'
import type { JobRecord } from '../job-record.js'
import { admit, needsAccelerator } from './admission.js'
import {
  cancelled,
  closing,
  type DeviceSlots,
  type Slot,
  type SlotRequest,
  unlimitedSlot,
} from './device-slots.js'
import type { QueueGate } from './environment-fault.js'
import { type Grant, grantOf } from './grant.js'
import type { RunningQuotas } from './remaining-quotas.js'
import type { Admission, Waiting } from './waiting.js'

/** The queue. It starts jobs in order of acceptance, up to the capacity of the launcher; evaluations wait in the same queue. */
export class Scheduler implements DeviceSlots {
  /** By id, in order of acceptance. */
  #waiting = new Map<string, Waiting>()
  readonly #running = new Map<string, Admission>()
  /** Waiting requests that are not jobs. */
  readonly #requests = new Map<string, SlotRequest>()
  /** Job → order of acceptance. */
  readonly #order = new Map<string, number>()
  #accepted = 0
  #waking: Promise<void> | undefined
  readonly #again = new Timer(() => this.wake())
  #quotas: RunningQuotas = new Map()
  #closed = false

  /**
   * @param capacity the current devices and slots for training.
   * @param run resolves once the job has freed its slot, with the fault of the machine if it could not be started.
   * @param gate shut while the machine has a fault.
   * @param quotas current maximum number of running jobs per user.
   */
  constructor(
    readonly capacity: () => Promise<Capacity>,
    readonly run: (jobId: string, grant: Grant | null) => Promise<AppError | null>,
    readonly gate: Pick<QueueGate, 'isShut' | 'shut'>,
    readonly quotas: () => Promise<RunningQuotas> = async () => new Map(),
  ) {}

  enqueue(job: Pick<JobRecord, 'job_id' | 'config' | 'owner'>): void {
    this.#join({ id: job.job_id, ...ofTraining(job) })
    void this.#wake()
  }

  /** A job whose trainer was submitted by an earlier service occupies the slots in which it trains. */
  adopt(job: Pick<JobRecord, 'job_id' | 'config' | 'prepared' | 'places' | 'owner'>): void {
    const places = job.places ?? placesOf(job.prepared?.device ?? job.config.training.device)
    this.#begin({ id: job.job_id, ...ofTraining(job), places }, null)
  }

  /** Returns true if the job waits or runs here. */
  knows(jobId: string): boolean {
    return this.#order.has(jobId) || this.#running.has(jobId)
  }

  /** Called when a job ended before it was started. */
  remove(jobId: string): void {
    this.#waiting.delete(jobId)
    this.#order.delete(jobId)
  }

  async acquire(device: string, signal: AbortSignal): Promise<Slot> {
    const capacity = await this.capacity()
    if (signal.aborted) throw cancelled()
    if (this.#closed) throw closing()
    if (!needsAccelerator(device, capacity)) return unlimitedSlot(device)
    return new Promise((resolve, reject) => {
      const leave = this.#request(device, { granted: resolve, refused: reject })
      signal.addEventListener('abort', () => leave(cancelled()), { once: true })
      this.#admit(capacity)
    })
  }

  async tryAcquire(device: string): Promise<Slot | null> {
    const capacity = await this.capacity()
    if (!needsAccelerator(device, capacity)) return unlimitedSlot(device)
    const granted: Slot[] = []
    const leave = this.#request(device, { granted: (slot) => granted.push(slot), refused: () => undefined })
    this.#admit(capacity)
    leave()
    return granted[0] ?? null
  }

  close(): void {
    this.#closed = true
    this.#again.stop()
    this.#waiting.clear()
    for (const { refused } of this.#requests.values()) refused(closing())
    this.#requests.clear()
  }

  /** Start all jobs that can be started. @returns true if jobs are still waiting. */
  wake(): boolean {
    void this.#wake()
    return this.#waiting.size > this.#requests.size
  }

  /** The number of jobs that users may run has changed: a pass that has already begun may not know it. */
  quotasChanged(): void {
    void this.#wake().then(() => this.#wake())
  }

  /** Jobs that arrive together, as when the service starts, are handled in one pass. */
  #wake(): Promise<void> {
    this.#waking ??= this.#limits()
      .finally(() => {
        this.#waking = undefined
      })
      .then((capacity) => this.#admit(capacity))
    return this.#waking
  }

  async #limits(): Promise<Capacity> {
    // While the database does not respond, the last known quotas apply.
    if (!this.#closed) this.#quotas = await this.quotas().catch(() => this.#quotas)
    return this.capacity()
  }

  /** While the gate is shut, no trainer is started. Computations of workers still get free slots. */
  #admit(capacity: Capacity): void {
    if (this.#closed) return
    const waiting = [...this.#waiting.values()]
    const candidates = this.gate.isShut ? waiting.filter(({ id }) => this.#requests.has(id)) : waiting
    for (const admission of admit(candidates, [...this.#running.values()], capacity, this.#quotas)) {
      const { id } = admission
      this.#waiting.delete(id)
      const grant = grantOf(admission, capacity)
      const request = this.#requests.get(id)
      if (request) this.#give(admission, grant, request)
      else this.#begin(admission, grant)
    }
    if (capacity.cluster && this.#waiting.size > 0) this.#again.start(CLUSTER_CAPACITY_POLL_MILLISECONDS)
  }

  #join(waiting: Waiting): void {
    this.#order.set(waiting.id, this.#accepted++)
    this.#waiting.set(waiting.id, waiting)
  }

  /** @returns a function that leaves the queue; it has no effect once the slot is granted. */
  #request(device: string, request: SlotRequest): (why?: AppError) => void {
    const id = randomUUID()
    this.#requests.set(id, request)
    this.#join({ id, device, num_workers: null })
    return (why) => {
      if (!this.#requests.delete(id)) return
      this.remove(id)
      if (why) request.refused(why)
      // Later ones may have waited for a slot because of its turn.
      void this.#wake()
    }
  }

  #give(admission: Admission, { device }: Grant, { granted }: SlotRequest): void {
    const { id } = admission
    this.#requests.delete(id)
    this.#running.set(id, admission)
    const release = () => {
      if (!this.#running.delete(id)) return
      this.#order.delete(id)
      void this.#wake()
    }
    granted({ device, release })
  }

  #begin(admission: Admission, grant: Grant | null): void {
    this.#running.set(admission.id, admission)
    void this.run(admission.id, grant).then((fault) => {
      this.#running.delete(admission.id)
      if (fault) this.#wait(admission, fault)
      else this.#order.delete(admission.id)
      void this.#wake()
    })
  }

  /** The job could not be started, through no fault of its own: it returns to its position in the queue. */
  #wait({ places: _, ...job }: Admission, fault: AppError): void {
    if (this.#closed) return
    const turn = ([id]: [string, Waiting]) => this.#order.get(id) ?? 0
    this.#waiting.set(job.id, job)
    this.#waiting = new Map([...this.#waiting].sort((a, b) => turn(a) - turn(b)))
    this.gate.shut(fault)
  }
}

function ofTraining({ config, owner }: Pick<JobRecord, 'config' | 'owner'>): Omit<Waiting, 'id'> {
  const { device, num_workers } = config.training
  return { device, num_workers, owner }
}

/** For a job of a version that did not store its slots. */
function placesOf(device: string): string[] {
  const numbers = /^cuda:([\d,]+)$/.exec(device)?.[1]
  return numbers ? numbers.split(',').map((number) => `cuda:${number}`) : [device.split(':')[0] ?? device]
}
